# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declared cluster, and its marks."""

from __future__ import annotations

import json
import pathlib
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import declared

from .given import ARN, GROUP, cluster, resource, variables


def test_the_cluster_has_its_marks() -> None:
    found = declared.this(variables(tags={"team": "research"}))
    assert (found.name, found.arn, found.account, found.partition) == ("ml", ARN, "111111111111", "aws")
    assert found.declared_tags == {"team": "research"}
    assert found.tags == {"team": "research", "mlfleet.hyperpod/cluster": ARN}
    assert found.types == ["m7i.xlarge", "p5.48xlarge"]


def test_an_eksctl_file_declares_the_cluster(tmp_path: pathlib.Path) -> None:
    group = {"name": "p5", "instanceType": "p5.48xlarge", "desiredCapacity": 1, "privateNetworking": True}
    document = {
        "apiVersion": "eksctl.io/v1alpha5",
        "kind": "ClusterConfig",
        "metadata": {"name": "other", "region": "us-west-2", "version": "1.35"},
        "managedNodeGroups": [group],
    }
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(document))
    given = variables(eksctl_file=str(path), name="", groups=[])
    assert declared.name(given) == "other"
    assert [each.name for each in declared.declared(given).groups][-1] == "p5"
    assert declared.values(given)["version"] == "1.35"


def test_each_part_of_a_new_cluster_has_its_role() -> None:
    names = declared.names(variables(file_system={"storage_capacity": 1200})).roles
    assert names == tuple(f"ml-us-west-2-{part}" for part in ("cluster", "nodes", "vpc-cni", "aws-fsx-csi-driver"))


def test_a_cluster_of_someone_else_gets_roles_for_new_parts_only() -> None:
    assert declared.names(variables(cluster(ours=False), groups=[GROUP])).roles == ("ml-us-west-2-nodes",)
    assert declared.names(variables(cluster(ours=False), groups=[], system={})).roles == ()


@pytest.mark.parametrize(
    ("resources", "attached"),
    [
        ([cluster()], False),
        ([cluster(ours=False)], True),
        ([cluster(ours=False), resource("eks_addon", "vpc-cni", ours=False, service_account_role_arn="")], True),
        ([cluster(ours=False), resource("eks_addon", "vpc-cni", ours=False, service_account_role_arn="arn:role")], False),
        ([cluster(ours=False), resource("eks_pod_identity_association", "a", ours=False, service_account="aws-node")], False),
    ],
)
def test_nodes_of_a_foreign_cluster_may_run_the_network_add_on(resources: list[dict[str, t.Any]], attached: bool) -> None:
    roles = declared.wanted_roles(variables(*resources, groups=[GROUP]))
    assert ("AmazonEKS_CNI_Policy" in roles["ml-us-west-2-nodes"].managed) is attached


def test_misspelt_variables_are_refused() -> None:
    (refusal,) = declared.refusals({**variables(), "training_cluster_acept_cost": 5})
    assert "training_cluster_acept_cost" in refusal["text"] and "training_cluster_accept_cost" in refusal["text"]


def test_two_hosts_must_not_declare_one_cluster() -> None:
    both = {"training_cluster_name": "ml", "hyperpod_region": "us-west-2", "hyperpod_profile": "research"}
    given = {**variables(), "ansible_play_hosts_all": ["host", "other"]}
    (refusal,) = declared.refusals({**given, "hostvars": {"host": both, "other": both}})
    assert "training_cluster_name: 'ml' is not allowed: host other declares it too" in refusal["text"]
    assert declared.refusals({**given, "hostvars": {"host": both, "other": {**both, "hyperpod_region": "eu-west-1"}}}) == []


def test_defaults_do_not_contradict_what_is_declared(tmp_path: pathlib.Path) -> None:
    subnets = ["subnet-00000000000000001", "subnet-00000000000000002"]
    existing = {"vpc_id": "vpc-0123456789abcdef0", "subnet_ids": subnets, "node_subnet_id": subnets[0]}
    assert declared.refusals(variables(**existing)) == []
    group = {"name": "sys", "instanceType": "m7i.large", "desiredCapacity": 1, "privateNetworking": True}
    metadata = {"name": "ml", "region": "us-west-2"}
    path = tmp_path / "cluster.json"
    document = {"apiVersion": "eksctl.io/v1alpha5", "kind": "ClusterConfig", "metadata": metadata, "managedNodeGroups": [group]}
    path.write_text(json.dumps({**document, "vpc": {"publicAccessCIDRs": ["203.0.113.0/24"]}}))
    given = variables(eksctl_file=str(path), groups=[])
    assert declared.refusals({**given, "hostvars": {"host": {"hyperpod_region": "us-west-2"}}}) == []


@pytest.mark.parametrize(("name", "value"), [("vpc_cidr", "10.0.0.0/8"), ("state", "absent"), ("admins", ["alice"])])
def test_wrong_variables_are_refused(name: str, value: object) -> None:
    (refusal, *_more) = declared.refusals(variables(**{name: value}))
    assert refusal["code"] == "option-refused" and f"training_cluster_{'confirm' if name == 'state' else name}" in refusal["text"]
