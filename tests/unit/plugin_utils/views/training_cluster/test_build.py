# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of the cluster, its roles, access entries and add-ons."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import build

from .given import ARN, GROUP, cluster, resource, variables

ROLE = "arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2"
ADMIN, TEAM = "arn:aws:iam::111111111111:role/admin", "arn:aws:iam::111111111111:role/team"


def test_roles_trust_their_service_and_have_a_path() -> None:
    roles = build.roles(variables(file_system={"storage_capacity": 1200}))
    found = {each["name"]: each for each in roles.all}
    nodes, driver = found["ml-us-west-2-nodes"], found["ml-us-west-2-aws-fsx-csi-driver"]
    assert nodes["path"] == "/hyperpod-eks/" and nodes["policy"] is None
    assert "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy" in nodes["managed_policies"]
    assert json.loads(nodes["trust"])["Statement"][0]["Principal"] == {"Service": "ec2.amazonaws.com"}
    assert driver["policy"]["Statement"][0]["Action"] == "fsx:DescribeFileSystems"
    assert ARN in driver["trust"] and driver["tags"]["mlfleet.hyperpod/component"] == "iam_role"
    assert roles.with_policies == [driver]


def test_check_mode_compares_only_policies_of_roles_that_exist() -> None:
    driver = resource("iam_role", "ml-us-west-2-aws-fsx-csi-driver")
    for there, count in (([], 0), ([driver], 1)):
        assert len(build.roles(variables(*there, check=True, file_system={"storage_capacity": 1200})).with_policies) == count


def test_a_new_cluster_is_private_and_protected() -> None:
    found = build.cluster(variables())
    assert (found.role_arn, found.authentication_mode, found.attempts) == (f"{ROLE}-cluster", "API", 4)
    assert (found.public, found.private, found.public_access_cidrs, found.deletion_protection) == (False, True, None, True)
    assert found.tags == {"mlfleet.hyperpod/cluster": ARN, "mlfleet.hyperpod/component": "eks_cluster"}
    opened = build.cluster(variables(public_access_cidrs=["203.0.113.0/24"]))
    assert (opened.public, opened.public_access_cidrs) == (True, ["203.0.113.0/24"])


def test_fixed_settings_of_our_cluster_are_not_sent_again() -> None:
    found = build.cluster(variables(cluster(), version="1.35"))
    assert (found.role_arn, found.subnets, found.authentication_mode, found.attempts) == (None, None, None, 0)
    assert (found.version, found.private, found.deletion_protection, found.logging) == ("1.35", True, True, [])


@pytest.mark.parametrize(
    ("there", "asked", "expected"),
    [
        ([], False, "STANDARD"),
        ([], True, "EXTENDED"),
        ([cluster()], False, "STANDARD"),
        ([cluster(version="1.33")], False, None),
        ([cluster(version="1.33")], "yes", "EXTENDED"),
        ([cluster(ours=False)], True, None),
    ],
)
def test_extended_support_is_only_for_those_who_ask(there: list[t.Any], asked: object, expected: str | None) -> None:
    assert build.cluster(variables(*there, extended_support=asked)).support_type == expected


def test_a_cluster_of_someone_else_gets_only_declared_settings() -> None:
    found = build.cluster(variables(cluster(ours=False)))
    assert {getattr(found, name) for name in ("version", "role_arn", "subnets", "public", "private", "logging", "tags")} == {None}
    assert build.cluster(variables(cluster(ours=False), logging=["audit"])).logging == ["audit"]


def test_administrators_and_teams_have_access() -> None:
    teams = [{"principal_arn": TEAM, "policy": "AmazonEKSEditPolicy", "namespaces": ["research"]}, {"principal_arn": ADMIN, "policy": "AmazonEKSViewPolicy"}]
    there = [{**resource("eks_access_entry", "admin", ours=False), "id": ADMIN}, {**resource("eks_access_entry", "former"), "id": "arn:former"}]
    found = build.entries(variables(*there, admins=[ADMIN], teams=teams))
    entries = found.wanted
    assert found.undeclared == ["arn:former"]
    assert [each["purge"] for each in entries] == [False, True], "the entry of someone else keeps its policies"
    assert [(each["principal"], each["policies"]) for each in entries] == [
        (ADMIN, [{"policy": "AmazonEKSClusterAdminPolicy"}, {"policy": "AmazonEKSViewPolicy"}]),
        (TEAM, [{"policy": "AmazonEKSEditPolicy", "namespaces": ["research"]}]),
    ]
    assert entries[0]["tags"] is None and entries[1]["tags"]["mlfleet.hyperpod/component"] == "eks_access_entry"


def addon(name: str, *resources: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    found = build.addons(variables(*resources, **more))
    return next(each for each in (*found.first, *found.others) if each["name"] == name)


def test_add_ons_get_their_roles() -> None:
    cni = addon("vpc-cni")
    assert cni["identities"] == [{"service_account": "aws-node", "role_arn": f"{ROLE}-vpc-cni"}] and cni["association"] is None
    assert addon("coredns")["identities"] is None and addon("coredns")["association"] is None
    operator = "amazon-sagemaker-hyperpod-training-operator"
    apart = addon(operator, addons=[{"name": operator}])
    assert apart["identities"] is None and apart["association"]["namespace"] == "aws-hyperpod"


@pytest.mark.parametrize(("check", "version", "upgrade"), [(False, "v9", True), (True, "default", False)])
def test_check_mode_keeps_the_versions_of_add_ons_before_an_upgrade(check: bool, version: str, upgrade: bool) -> None:
    pinned = [{"name": "coredns", "version": "v9", "configuration": {"replicaCount": 3}}, {"name": "metrics-server"}]
    given = variables(cluster(), resource("eks_addon", "coredns"), check=check, version="1.35", addons=pinned)
    found = {each["name"]: each for each in build.addons(given).others}
    assert ("metrics-server" in found) is not check, "the plan lists a new add-on"
    coredns = found["coredns"]
    assert (coredns["version"], coredns["upgrade"], coredns["configuration"]) == (version, upgrade, {"replicaCount": 3})


def test_add_ons_of_someone_else_keep_their_roles_and_tags() -> None:
    theirs = addon("vpc-cni", cluster(), resource("eks_addon", "vpc-cni", ours=False))
    assert (theirs["identities"], theirs["association"], theirs["tags"]) == (None, None, None)


def test_add_ons_that_nodes_need_are_first() -> None:
    found = build.addons(variables())
    assert [each["name"] for each in found.first] == ["eks-pod-identity-agent", "vpc-cni", "kube-proxy"]
    assert [each["name"] for each in found.others] == ["coredns", "eks-node-monitoring-agent"]


@pytest.mark.parametrize(
    ("groups", "verified", "left"),
    [
        ([GROUP, {**GROUP, "name": "b"}], ["gpu", "b"], ""),
        ([GROUP, {**GROUP, "name": "b", "instance_type": "g5.8xlarge"}], ["gpu"], "b"),
        ([{**GROUP, "nodes": 0}], [], ""),
        ([], [], ""),
    ],
)
def test_groups_of_one_type_are_verified(groups: list[t.Any], verified: list[str], left: str) -> None:
    found = build.verified(variables(groups=groups))
    assert found.groups == verified
    assert [f"The node groups {left} were not verified" in each["text"] for each in found.findings] == [True] * bool(left)


def test_a_new_cluster_is_reported_with_its_removal() -> None:
    (made,) = build.outcome(variables())
    assert (made["code"], made["subject"]) == ("training-cluster-made", "ml")
    assert "training_cluster_confirm=ml" in made["text"]
    assert build.outcome(variables(cluster())) == []


def test_an_image_is_reported_with_its_digest_once_it_is_built() -> None:
    def texts(reference: str) -> list[tuple[str, str]]:
        made = {"__training_cluster_made_image": {"training_image": {"reference": reference}}}
        return [(each["kind"], each["text"]) for each in build.outcome(variables(cluster(), **made))]

    assert texts("r@sha256:1") == [("note", "The training image is in ECR: r@sha256:1.")]
    assert texts("(known after apply)") == []


@pytest.mark.parametrize("given", [False, "false", "no"])
def test_parts_are_switched_off_also_by_texts_of_the_command_line(given: object) -> None:
    assert build.asked(variables()) == build.Asked(True, True)
    assert build.asked(variables(device_plugins=given, verify=given)) == build.Asked(False, False)


def test_the_digests_of_the_device_plugins_are_reported() -> None:
    plugins = {"nvidia": {"image": "n:v1", "digests": ["sha256:1"]}, "efa": {"image": "", "digests": []}, "other": None}
    (found,) = build.outcome(variables(cluster(), __training_cluster_made_plugins={"device_plugins": plugins}))
    assert (found["kind"], found["code"]) == ("note", "training-cluster-device-plugins")
    assert found["text"] == "The images of the device plugins, with the digests on the nodes: n:v1 (sha256:1)."
    none = {"nvidia": {"image": "n:v1", "digests": []}, "efa": None}
    (early,) = build.outcome(variables(cluster(), __training_cluster_made_plugins={"device_plugins": none}))
    assert "n:v1 (not running yet)" in early["text"]
    assert build.outcome(variables(cluster(), __training_cluster_made_plugins={"skipped": True})) == []
