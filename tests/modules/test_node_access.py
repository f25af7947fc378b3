# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node_access without sessions: records of the configuration of nodes, and their removal."""

from __future__ import annotations

import json
import typing as t

import pytest
import reported
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.model import Record
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.record import Records
from simulated import Simulated, simulator
from simulated.shape import one_shape

GROUP = {
    "InstanceGroupName": "login-group",
    "InstanceType": "ml.m5.large",
    "InstanceCount": 2,
    "ExecutionRole": "arn:aws:iam::111111111111:role/hyperpod-nodes",
    "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-example/code", "OnCreate": "on_create.sh"},
    "SlurmConfig": {"NodeType": "Login"},
}
CONTROLLER = {**GROUP, "InstanceGroupName": "controller", "InstanceCount": 1, "SlurmConfig": {"NodeType": "Controller"}}
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICAPSL0Skya4hv55isK/lq7KgIVoqLRwBCsfmvLmwAEg"
ALICE = {"alice": {"state": "present", "digest": "one"}}
ALICE_CHANGED = {"alice": {"state": "present", "digest": "two"}}


class Cluster(Simulated):
    """The simulated API with one cluster."""

    arn = ""
    nodes: tuple[str, ...] = ()

    @property
    def records(self) -> Records:
        return Records(self.client("ssm"))

    def trust(self, instance_id: str, *, configured: bool = False) -> None:
        about = {"triple": [instance_id, "launched", "updated"], "host_keys": [], "operations_user": "ops", "operations_key": "key"}
        self.records.save(self.arn.rpartition("/")[2], Record.from_json(json.dumps({**about, "configured": configured})))

    def record(self, state: str, *, check: bool = False, **options: t.Any) -> tuple[list[tuple[str, t.Any, t.Any]], dict[str, t.Any]]:
        """Run node_access; return its changes and its result."""
        result = self.run("node_access", check=check, cluster_arn=self.arn, state=state, **options)
        assert not result.get("failed"), result["msg"]
        assert result["changed"] is bool(result["changes"]) and (not check or self.changes() == [])
        return [(each["resource"], each["before"], each["after"]) for each in result["changes"]], result


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Cluster]:
    with simulator(tmp_path_factory.mktemp("lab")) as url:
        cluster = Cluster(url)
        cluster.control("settings", {"transition_seconds": 0.05, "parameter_rest_seconds": 0, "parameter_lag_seconds": 0})
        sagemaker = cluster.client("sagemaker")
        cluster.arn = sagemaker.create_cluster(ClusterName="ml", InstanceGroups=[CONTROLLER, GROUP], Orchestrator={"Slurm": {}})["ClusterArn"]
        listed = sagemaker.list_cluster_nodes(ClusterName="ml")["ClusterNodeSummaries"]
        cluster.nodes = tuple(sorted(each["InstanceId"] for each in listed))
        yield cluster


@pytest.fixture
def cluster(running: Cluster) -> t.Iterator[Cluster]:
    """The cluster without parameters of an earlier test."""
    yield running
    ssm = running.client("ssm")
    for page in ssm.get_paginator("describe_parameters").paginate():
        for parameter in page["Parameters"]:
            ssm.delete_parameter(Name=parameter["Name"])


def test_a_plan_names_the_nodes_that_would_gain_access(cluster, tmp_path):
    """Check mode opens no session."""
    cluster.trust(cluster.nodes[0])
    options = {"public_key": PUBLIC_KEY, "include": "all", "state_dir": str(tmp_path)}
    changes, result = cluster.record("present", check=True, **options)
    assert sorted(result["nodes"]) == sorted(cluster.nodes)
    assert {node for node in cluster.nodes if any(node in str(change) for change in changes)} >= set(cluster.nodes[1:])


def test_recorded_and_removed(cluster, tmp_path):
    node = cluster.nodes[0]
    cluster.trust(node)
    options = {"cluster_arn": cluster.arn, "instance_ids": [node]}
    removal = {**options, "state": "absent", "state_dir": str(tmp_path)}
    one_shape(cluster, "node_access", present={**options, "state": "configured"}, absent=removal, passing=["forgotten"])


def test_a_node_is_recorded_as_configured_once(cluster):
    first, second, stranger = cluster.nodes
    cluster.trust(first)
    cluster.trust(second, configured=True)
    expected = [(f"trust record of {first}", False, True)]
    assert cluster.record("configured", instance_ids=[first, second, stranger], check=True)[0] == expected
    changes, result = cluster.record("configured", instance_ids=[first, second, stranger])
    assert (changes, cluster.changes(), result["hyperpod_findings"]) == (expected, ["PutParameter"], [])
    assert cluster.record("configured", instance_ids=[first, second, stranger])[0] == []


def test_nodes_without_the_current_declaration_are_reported(cluster):
    people, everywhere = "record of users on nodes", list(cluster.nodes)
    for expected in ([(people, None, "0 nodes")], []):
        assert cluster.record("configured", instance_ids=[], people=ALICE, seen=everywhere)[0] == expected
    assert cluster.record("announced", people=ALICE)[0] == []
    for check in (True, False):
        assert cluster.record("announced", people=ALICE_CHANGED, check=check)[0] == [(people, "0 nodes", "all nodes")]
    changes, result = cluster.record("configured", instance_ids=[], people=ALICE_CHANGED, seen=everywhere[:1])
    assert changes == [(people, "all nodes", "2 nodes")]
    (sentence,) = reported.texts_of(result, "pending")
    assert sentence.startswith("Access of alice (") and "2 of 3 nodes" in sentence


def test_records_of_a_cluster_and_of_single_nodes_are_removed(cluster, tmp_path):
    for node in cluster.nodes:
        cluster.trust(node)
    options = {"state_dir": str(tmp_path)}
    _changes, result = cluster.record("absent", instance_ids=[cluster.nodes[0], "i-0other"], **options)
    assert result["forgotten"] == [cluster.nodes[0]]
    assert len(cluster.record("absent", check=True, **options)[0]) == 2
    assert len(cluster.record("absent", **options)[0]) == 2
    assert cluster.record("absent", **options)[0] == [] and not cluster.records.load(cluster.arn.rpartition("/")[2]).names
