# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of the playbook cluster that is killed after any mutating call can be repeated: nothing is done twice."""

from __future__ import annotations

import collections
import json
import typing as t
from pathlib import Path

import pytest
from simulated import Simulated
from simulated.cluster_documents import BOUNDARY, CONTROLLER, LOGIN, WORKERS, defined, document, group, provisioned
from simulated.definitions import Definitions, Place, Run, held_to_policies

LOCK: dict[str, Place] = {
    "the lock is taken": {"operation": "PutParameter", "where": {"Overwrite": False}},
    "older locks are deleted": {"operation": "DeleteParameters"},
    "the lock is released": {"operation": "PutParameter", "where": {"Overwrite": True}},
}
SCRIPT = "PUT /sagemaker-killed/ml/src/on_create.sh"
PARAMETERS = "PUT /sagemaker-killed/ml/src/provisioning_parameters.json"


@pytest.fixture
def aws(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Simulated]:
    with held_to_policies(tmp_path_factory.mktemp("aws")) as found:
        yield found


def at(*operations: str) -> dict[str, Place]:
    return {operation: {"operation": operation} for operation in operations}


MADE = at("CreateRole", "AttachRolePolicy", "PutRolePolicy", SCRIPT, PARAMETERS, "CreateCluster", "PutParameter")
"""The parameter holds the digests of the scripts."""
CHANGED = {**LOCK, **at("UpdateCluster", "AddTags", "DeleteTags")}
REMOVED = {**LOCK, **at("DeleteCluster")}


def thirds(places: t.Mapping[str, Place]) -> list[tuple[str, ...]]:
    """Three parts, each with as many kills as one test has time for."""
    return [tuple(places)[first::3] for first in range(3)]


def killed_at_each(controller: Definitions, places: t.Mapping[str, Place], killed: t.Collection[str], **extra: t.Any) -> Run:
    """The run that finished, with the calls of all runs. Each mutating call is one of ``places``."""
    places_of_kills, done = controller.killed_at_each({name: places[name] for name in killed}, **extra)
    assert done.rc == 0 and set(places_of_kills) == set(killed), (places_of_kills, done.output)
    assert controller.calls_outside(places) == [], "a run must be killed after each mutating call"
    return done


def assert_once(done: Run, operations: t.Collection[str]) -> None:
    counted = collections.Counter(done.changes)
    assert {operation: counted[operation] for operation in operations} == dict.fromkeys(operations, 1)


@pytest.mark.slow
@pytest.mark.parametrize("killed", thirds(MADE), ids=" ".join)
def test_the_creation_of_a_cluster_survives_killed_runs(tmp_path: Path, aws: Simulated, killed: tuple[str, ...]) -> None:
    """The role of the nodes and their scripts are created before the cluster."""
    controller = Definitions(tmp_path, aws)
    scripts = {"SourceS3Uri": "s3://sagemaker-killed/ml/src", "OnCreate": "on_create.sh"}
    groups = [group(name, 1, LifeCycleConfig=scripts) for name in ("controller-machine", "login-group", "workers")]
    for each in groups:
        del each["ExecutionRole"]
    definition = document("made", controller.network(), *groups)
    del definition["NodeProvisioningMode"], definition["Orchestrator"]
    (tmp_path / "parameters.json").write_text(json.dumps(provisioned()))
    (tmp_path / "src").mkdir()
    (tmp_path / "src/on_create.sh").write_text("#!/bin/bash\n")
    aws.client("s3").create_bucket(Bucket="sagemaker-killed", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    controller.define(
        made={
            "hyperpod_cluster_definition": definition,
            "hyperpod_cluster_provisioning_parameters_file": str(tmp_path / "parameters.json"),
            "hyperpod_cluster_life_cycle_dir": str(tmp_path / "src"),
            "hyperpod_cluster_execution_role": "hyperpod-nodes-killed",
            "hyperpod_cluster_execution_role_boundary": BOUNDARY,
        }
    )
    done = killed_at_each(controller, MADE, killed)
    assert_once(done, MADE)
    assert_unchanged(controller)
    found = aws.client("sagemaker").describe_cluster(ClusterName="made")["InstanceGroups"]
    assert [each["InstanceGroupName"] for each in found] == ["controller-machine", "login-group", "workers"]
    iam = aws.client("iam")
    attached = iam.list_attached_role_policies(RoleName="hyperpod-nodes-killed")["AttachedPolicies"]
    assert [each["PolicyName"] for each in attached] == ["AmazonSageMakerClusterInstanceRolePolicy"]
    assert iam.list_role_policies(RoleName="hyperpod-nodes-killed")["PolicyNames"] == ["hyperpod-vpc"]
    assert iam.get_role(RoleName="hyperpod-nodes-killed")["Role"]["PermissionsBoundary"]["PermissionsBoundaryArn"] == BOUNDARY


def tagged(**tags: str) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in {"lab/hosts": "none", **tags}.items()]


@pytest.mark.slow
@pytest.mark.parametrize("killed", thirds(CHANGED), ids=" ".join)
def test_changes_of_a_cluster_survive_killed_runs(tmp_path: Path, aws: Simulated, killed: tuple[str, ...]) -> None:
    """The lock of a killed run blocks no later run, and is released at the end."""
    controller = Definitions(tmp_path, aws)
    network, file = controller.network(), tmp_path / "changed.json"
    before = document("changed", network, CONTROLLER, WORKERS, Tags=tagged(old="1", kept="1"))
    arn = aws.client("sagemaker").create_cluster(**before)["ClusterArn"]
    defined(controller, file, "changed", network, CONTROLLER, LOGIN, NodeRecovery="None", Tags=tagged(new="1", kept="1"))
    purge = {"hyperpod_cluster_purge_instance_groups": True}
    done = killed_at_each(controller, CHANGED, killed, **purge)
    assert_once(done, ("UpdateCluster", "AddTags", "DeleteTags"))
    assert_unchanged(controller, **purge)
    found = aws.client("sagemaker").describe_cluster(ClusterName="changed")
    assert [each["InstanceGroupName"] for each in found["InstanceGroups"]] == ["controller-machine", "login-group"]
    assert found["NodeRecovery"] == "None"
    assert {tag["Key"] for tag in aws.client("sagemaker").list_tags(ResourceArn=arn)["Tags"]} == {"lab/hosts", "new", "kept"}
    assert aws.start("cluster_lock", cluster_arn=arn, state="query")["holder"] is None


@pytest.mark.slow
def test_the_removal_of_a_cluster_survives_killed_runs(tmp_path: Path, aws: Simulated) -> None:
    """A run takes no lock once the cluster is removed, so all places are in one test."""
    controller = Definitions(tmp_path, aws)
    network = controller.network()
    arn = aws.client("sagemaker").create_cluster(**document("removed", network, CONTROLLER))["ClusterArn"]
    defined(controller, tmp_path / "removed.json", "removed", network, CONTROLLER)
    done = killed_at_each(controller, REMOVED, tuple(REMOVED), hyperpod_cluster_remove=arn)
    assert_once(done, ("DeleteCluster",))
    assert_unchanged(controller, hyperpod_cluster_remove=arn)
    assert "removed" not in [each["ClusterName"] for each in aws.client("sagemaker").list_clusters()["ClusterSummaries"]]
    assert aws.start("cluster_lock", cluster_arn=arn, state="query")["holder"] is None


def assert_unchanged(controller: Definitions, **extra: t.Any) -> None:
    again = controller.run(**extra)
    assert again.rc == 0 and again.changes == [] and "changed=0" in again.output, again.output
