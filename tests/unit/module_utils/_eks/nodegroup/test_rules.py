# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals that need the observed state."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.health import Issue
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import Desired, Nodegroup
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.plan import wanted
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.rules import check_change, check_creation, hidden

ROLE = "arn:aws:iam::111111111111:role/nodes"
NEW = {"node_role_arn": ROLE, "subnet_ids": ["subnet-01234567"]}
PLAIN: dict[str, t.Any] = {
    **NEW,
    "instance_types": ["m5.large"],
    "ami_type": "AL2023_x86_64_STANDARD",
    "capacity_type": "ON_DEMAND",
    "disk_size": 50,
    "scaling": {"min": 1, "max": 4, "desired": 3},
    "version": "1.33",
    "release_version": "1.33.9-20261015",
    "labels": {},
    "taints": [],
}
TEMPLATE = {"id": "lt-01234567", "name": "one", "version": "3"}
OF_TEMPLATE = {**{name: value for name, value in PLAIN.items() if name not in ("instance_types", "disk_size")}, "launch_template": TEMPLATE}
BLOCK = {**OF_TEMPLATE, "capacity_type": "CAPACITY_BLOCK"}
OWN = {**OF_TEMPLATE, "ami_type": "CUSTOM", "release_version": "ami-01234567"}
NAMED = {"launch_template": {"name": "one"}}


def create(given: dict[str, t.Any]) -> None:
    check_creation(Desired("pods", "gpu", settings={**NEW, **given}), "1.34")


def change(have: dict[str, t.Any], given: dict[str, t.Any], *, status: str = "ACTIVE") -> None:
    desired, group = Desired("pods", "gpu", settings=given), Nodegroup("arn", status, have, (Issue("AccessDenied", "no"),))
    check_change(desired, group, wanted(desired, group), "1.34")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"version": "1.34", "release_version": "1.34.2-20261015"},
        {"release_version": "1.20.1-7c3e9198"},
        {"scaling": {"min": 0, "max": 1}},
        {**NAMED, "ami_type": "CUSTOM"},
        {**NAMED, "capacity_type": "CAPACITY_BLOCK"},
        {"update_config": {"max_unavailable_percentage": 10, "strategy": "MINIMAL"}},
        {"update_config": {}},
    ],
)
def test_a_new_group_is_allowed(given: dict[str, t.Any]) -> None:
    create(given)


@pytest.mark.parametrize(
    ("given", "option", "message"),
    [
        ({"node_role_arn": None}, "node_role_arn", "missing; a new node group requires it"),
        ({"subnet_ids": None}, "subnet_ids", "missing; a new node group requires it"),
        ({"scaling": {"max": 1}}, "scaling.min", "missing"),
        ({"ami_type": "AL2_x86_64"}, "ami_type", "creates no new ones"),
        ({"ami_type": "CUSTOM"}, "ami_type", "together with a launch template"),
        ({"capacity_type": "CAPACITY_BLOCK"}, "capacity_type", "requires a launch template"),
        ({"launch_template": {"version": "1"}}, "launch_template", "missing id or name"),
        ({"update_config": {"strategy": "MINIMAL"}}, "update_config.strategy", "requires a number"),
        ({"version": "1.33"}, "version", "only with the version of the cluster, which is 1.34"),
        ({"version": "1.35"}, "version", "only with the version of the cluster, which is 1.34"),
        ({"release_version": "1.33.9-20261015"}, "release_version", "the Kubernetes version of the cluster is 1.34"),
    ],
)
def test_a_new_group_that_eks_refuses(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=f"^{option}: .*{message}") as refused:
        create(given)
    assert refused.value.option == option


@pytest.mark.parametrize(
    ("have", "given"),
    [
        (PLAIN, PLAIN),
        (PLAIN, {"version": "1.34"}),
        (PLAIN, {"version": "1.34", "release_version": "1.34.1-20260901"}),
        (PLAIN, {"release_version": "1.33.9-20261016"}),
        (PLAIN, {"scaling": {"min": 4}}),
        (PLAIN, {"scaling": {"max": 3}}),
        (PLAIN, {"scaling": {"max": 2, "desired": 2}}),
        ({**PLAIN, "ami_type": "AL2_x86_64"}, {"ami_type": "AL2_x86_64"}),
        ({**PLAIN, "release_version": "1.20.1-7c3e9198"}, {"release_version": "1.20.1-6c3e9198"}),
        (OF_TEMPLATE, {"launch_template": {"id": "lt-01234567", "version": "9"}}),
        (OF_TEMPLATE, {"launch_template": {"name": "one"}}),
        (OF_TEMPLATE, {"instance_types": ["p5.48xlarge"]}),
        (BLOCK, {"labels": {"a": "b"}}),
        (BLOCK, {"version": "1.34", "scaling": {"min": 0, "desired": 0}}),
        ({**BLOCK, "scaling": {"min": 0, "max": 1, "desired": 0}}, {"version": "1.34"}),
        (OWN, {"launch_template": {"version": "4"}}),
        ({"labels": {}, "taints": []}, {"version": "1.34", "release_version": "1.34.1-20260901"}),
    ],
)
def test_a_change_is_allowed(have: dict[str, t.Any], given: dict[str, t.Any]) -> None:
    change(have, given)


@pytest.mark.parametrize(
    ("have", "given", "option", "message"),
    [
        (PLAIN, {"node_role_arn": f"{ROLE}2"}, "node_role_arn", "a different value for a node group with another name"),
        (PLAIN, {"subnet_ids": ["subnet-01234568"]}, "subnet_ids", "AWS cannot change that"),
        (PLAIN, {"capacity_type": "SPOT"}, "capacity_type", "the role training_cluster does this if training_cluster_remove_groups lists"),
        (PLAIN, {"instance_types": ["m5.large", "m6i.large"]}, "instance_types", "AWS cannot change that"),
        (PLAIN, {"ami_type": "AL2023_x86_64_NVIDIA"}, "ami_type", "AWS cannot change that"),
        (PLAIN, {"ami_type": "AL2_x86_64"}, "ami_type", "creates no new ones"),
        (PLAIN, {"capacity_type": "SPOT"}, "capacity_type", "AWS cannot change that"),
        (PLAIN, {"disk_size": 51}, "disk_size", "AWS cannot change that"),
        (PLAIN, NAMED, "launch_template", "was created without a launch template"),
        (OF_TEMPLATE, {"launch_template": {"name": "two"}}, "launch_template.name", "AWS cannot change that"),
        (OF_TEMPLATE, {"launch_template": {"id": "lt-01234568"}}, "launch_template.id", "AWS cannot change that"),
        (OF_TEMPLATE, {"disk_size": 50}, "disk_size", "the launch template of node group gpu sets the size"),
        ({**OF_TEMPLATE, "instance_types": ["a.b"]}, {"instance_types": ["c.d"]}, "instance_types", "AWS cannot change that"),
        (OWN, {"version": "1.34"}, "version", "the AMI of node group gpu is in its launch template"),
        (OWN, {"release_version": "1.34.2-20261015"}, "release_version", "the AMI of node group gpu is in its launch template"),
        (PLAIN, {"version": "1.35"}, "version", "EKS cluster pods has version 1.34; upgrade it first. Allowed: 1.33 to 1.34"),
        (PLAIN, {"version": "1.32"}, "version", "node group gpu has version 1.33, and EKS can't downgrade it"),
        (PLAIN, {"release_version": "1.33.9-20261014"}, "release_version", "EKS can't downgrade it"),
        (PLAIN, {"release_version": "1.34.1-20261016"}, "release_version", "or this one with version=1.34"),
        (PLAIN, {"version": "1.34", "release_version": "1.33.9-20261016"}, "release_version", "is 1.34"),
        (PLAIN, {"scaling": {"max": 2}}, "scaling.max", "has 3 desired nodes, and EKS would have to terminate some"),
        (PLAIN, {"scaling": {"min": 5}}, "scaling.min", "at most 4"),
        ({**PLAIN, "scaling": {"min": 2, "max": 4, "desired": 2}}, {"scaling": {"max": 1}}, "scaling.max", "2 or more"),
        (PLAIN, {"scaling": {"desired": 5}}, "scaling.desired", "at most 4"),
        (PLAIN, {"scaling": {"desired": 0}}, "scaling.desired", "1 or more"),
        (BLOCK, {"version": "1.34"}, "version", "only if scaling.desired is 0"),
        (BLOCK, {"launch_template": {"version": "4"}}, "launch_template.version", "only if scaling.desired is 0"),
    ],
)
def test_a_change_that_eks_refuses(have: dict[str, t.Any], given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=f"^{option}: .*{message}") as refused:
        change(have, given)
    assert refused.value.option == option


@pytest.mark.parametrize("status", ["CREATE_FAILED", "DELETE_FAILED"])
def test_a_failed_group_must_be_removed(status: str) -> None:
    message = rf"^node group gpu of EKS cluster pods is {status} \(desired 3; AccessDenied: no\), .* remove the group with eks_nodegroup and state=absent"
    with pytest.raises(Refused, match=message):
        change(PLAIN, {}, status=status)


def test_only_instance_types_of_a_template_are_not_compared() -> None:
    given = Desired("pods", "gpu", settings={"instance_types": ["a.b"], "labels": {}})
    assert hidden(given, Nodegroup("arn", "ACTIVE", OF_TEMPLATE)) == ("instance_types",)
    assert hidden(given, Nodegroup("arn", "ACTIVE", PLAIN)) == ()
    assert hidden(given, Nodegroup("arn", "ACTIVE", {**OF_TEMPLATE, "instance_types": ["c.d"]})) == ()
    assert hidden(Desired("pods", "gpu"), Nodegroup("arn", "ACTIVE", OF_TEMPLATE)) == ()
