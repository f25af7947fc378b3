# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Managed node groups of eksctl become a system group and GPU groups."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import refusals
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import eksctl_groups as groups
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.eksctl_network import Network, Subnet

Values = dict[str, t.Any]
RESERVED = {"capacityReservationTarget": {"capacityReservationID": "cr-0123456789abcdef0"}}
SYSTEM: Values = {"name": "sys", "instanceType": "m7i.xlarge", "desiredCapacity": 2}
IDS = ("subnet-00000000000000001", "subnet-00000000000000002")
EXISTING = Network({}, subnets=tuple(Subnet(name, each) for name, each in zip("ab", IDS)), exists=True)
CONFIG = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  instance:\n    localStorage:\n      strategy: RAID0\n"


def gpu(**given: t.Any) -> Values:
    return {"name": "gpus", "instanceType": "g5.8xlarge", **given}


def variables(*given: Values, network: Network | None = None) -> Values:
    network = network or Network({})
    return groups.variables(groups.read_groups({"managedNodeGroups": list(given)}, "f", network), network)


def problems(*given: Values, network: Network | None = None) -> list[str]:
    found = refusals(lambda: variables(*given, network=network))
    return [each.removeprefix("f.managedNodeGroups") for each in found]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ({}, (2, 2, 2)),
        ({"desiredCapacity": 3}, (3, 3, 3)),
        ({"minSize": 1}, (1, 1, 1)),
        ({"minSize": 0, "maxSize": 4}, (0, 0, 4)),
        ({"desiredCapacity": 0}, (0, 0, 1)),
        ({"desiredCapacity": 2, "minSize": 1, "maxSize": 5}, (2, 1, 5)),
    ],
)
def test_missing_sizes_have_the_defaults_of_eksctl(sizes: Values, expected: tuple[int, int, int]) -> None:
    (group,) = variables(gpu(**sizes))["groups"]
    assert (group["nodes"], group["min"], group["max"]) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"spot": True}, {"spot": True}),
        ({"volumeSize": 500, "volumeType": "gp3", "volumeEncrypted": True}, {"volume_size": 500}),
        ({"placement": {"groupName": "near"}}, {"placement_group": "near"}),
        ({"capacityReservation": RESERVED}, {"capacity_reservation_id": "cr-0123456789abcdef0"}),
        ({"overrideBootstrapCommand": CONFIG}, {"local_storage": "RAID0"}),
        ({"nodeRepairConfig": {"enabled": False}}, {"node_repair": False}),
        ({"labels": {"team": "a"}}, {"labels": {"team": "a"}}),
        (
            {"taints": [{"key": "a", "value": "b", "effect": "NoSchedule"}, {"key": "c", "effect": "PreferNoSchedule"}]},
            {"taints": [{"key": "a", "value": "b", "effect": "NO_SCHEDULE"}, {"key": "c", "effect": "PREFER_NO_SCHEDULE"}]},
        ),
        ({"amiFamily": "AmazonLinux2023", "disableIMDSv1": True, "ssh": {"allow": False, "enableSsm": True}}, {}),
        ({"iam": {"attachPolicyARNs": ["arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"]}}, {}),
        ({"iam": {"withAddonPolicies": {"albIngress": False}}}, {}),
    ],
)
def test_settings_of_a_gpu_group(given: Values, expected: Values) -> None:
    (group,) = variables(gpu(**given))["groups"]
    assert group == {"name": "gpus", "instance_type": "g5.8xlarge", "nodes": 2, "min": 2, "max": 2, **expected}


def test_the_family_of_the_type_decides_which_group_is_the_system_group() -> None:
    found = variables(gpu(), SYSTEM, gpu(name="trn", instanceType="trn1.32xlarge"))
    assert found["system"] == {"instance_type": "m7i.xlarge", "nodes": 2}
    assert [each["name"] for each in found["groups"]] == ["gpus", "trn"]


def test_the_permissions_for_drivers_are_returned() -> None:
    given = {"managedNodeGroups": [gpu(iam={"withAddonPolicies": {"ebs": True, "fsx": True, "efs": False, "cloudWatch": True}})]}
    assert groups.read_groups(given, "f", Network({}))[0].drivers == {"ebs", "fsx"}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"name": None}, "[0].name: missing."),
        ({"name": "a b"}, "[0].name: 'a b' is not allowed. Allowed: the name of a node group"),
        ({"instanceType": None}, "[0].instanceType: missing; set it to the type of the group's nodes."),
        ({"instanceType": "vt1.3xlarge"}, "[0].instanceType: 'vt1.3xlarge' is not allowed: it is not known whether this family has"),
        ({"instanceTypes": ["g5.8xlarge"]}, "[0].instanceTypes: ['g5.8xlarge'] is not allowed: instanceType is also given."),
        ({"instanceType": None, "instanceTypes": ["g5.8xlarge", "g6.8xlarge"]}, "[0].instanceTypes: ['g5.8xlarge', 'g6.8xlarge'] is not"),
        ({"amiFamily": "Bottlerocket"}, "[0].amiFamily: 'Bottlerocket' is not allowed: the nodes use EKS's images"),
        ({"ami": "ami-1"}, "[0].ami: 'ami-1' is not allowed"),
        ({"desiredCapacity": 2, "maxSize": 1}, "[0].desiredCapacity: 2 is not allowed: f.managedNodeGroups[0].maxSize is 1."),
        ({"desiredCapacity": 1, "minSize": 2}, "[0].desiredCapacity: 1 is not allowed: f.managedNodeGroups[0].minSize is 2."),
        ({"volumeSize": 20}, "[0].volumeSize: 20 is not allowed. Allowed: whole numbers of GiB from 50 to 65536, 100 or more"),
        ({"volumeType": "io2"}, "[0].volumeType: 'io2' is not allowed"),
        ({"spot": True, "capacityReservation": RESERVED}, "[0].spot: True is not allowed: Spot Instances do not use reserved capacity."),
        ({"placement": {"groupName": "a"}, "capacityReservation": RESERVED}, "[0].placement.groupName: 'a' is not allowed: the group has"),
        ({"placement": {"spreadLevel": "rack"}}, "[0].placement.spreadLevel: 'rack' is not allowed: nodes for training must be close"),
        (
            {"capacityReservation": {"capacityReservationTarget": {"capacityReservationID": "cr-1"}}},
            "[0].capacityReservation.capacityReservationTarget.capacityReservationID: 'cr-1' is not allowed. Allowed: an ID such as",
        ),
        ({"capacityReservation": {"capacityReservationPreference": "open"}}, "[0].capacityReservation.capacityReservationPreference: 'open'"),
        (
            {"instanceMarketOptions": {"marketType": "capacity-block"}},
            "[0].capacityReservation.capacityReservationTarget.capacityReservationID: missing; market type capacity-block requires",
        ),
        ({"instanceMarketOptions": {"marketType": "spot"}}, "[0].instanceMarketOptions.marketType: 'spot' is not allowed: for Spot Instances"),
        ({"overrideBootstrapCommand": "#!/bin/bash\nyum update"}, "[0].overrideBootstrapCommand: '#!/bin/bash\\nyum update' is not allowed: the"),
        ({"overrideBootstrapCommand": CONFIG.replace("RAID0", "Mount")}, "[0].overrideBootstrapCommand: 'apiVersion: node.eks.aws/v1alpha1"),
        ({"overrideBootstrapCommand": f"{CONFIG}  kubelet: {{}}\n"}, "[0].overrideBootstrapCommand: 'apiVersion: node.eks.aws/v1alpha1"),
        ({"overrideBootstrapCommand": f"{CONFIG}---\n{CONFIG}"}, "[0].overrideBootstrapCommand: 'apiVersion: node.eks.aws/v1alpha1"),
        ({"preBootstrapCommands": ["reboot"]}, "[0].preBootstrapCommands: ['reboot'] is not allowed: the run executes no commands on nodes."),
        ({"labels": {"kubernetes.io/a": "b"}}, "[0].labels: 'kubernetes.io/a' is not allowed"),
        ({"taints": [{"key": "a", "effect": "NO_SCHEDULE"}]}, "[0].taints[0].effect: 'NO_SCHEDULE' is not allowed. Allowed: NoSchedule, NoE"),
        ({"tags": {"aws:a": "b"}}, "[0].tags: 'aws:a' is not allowed"),
        ({"nodeRepairConfig": {"maxParallelNodesRepairedCount": 1}}, "[0].nodeRepairConfig.maxParallelNodesRepairedCount: 1 is not allowed"),
        ({"iam": {"withAddonPolicies": {"externalDNS": True}}}, "[0].iam.withAddonPolicies.externalDNS: True is not allowed: the role of the nodes"),
        ({"iam": {"attachPolicyARNs": ["arn:aws:iam::aws:policy/AdministratorAccess"]}}, "[0].iam.attachPolicyARNs: 'arn:aws:iam::aws:policy/"),
        ({"iam": {"attachPolicyARNs": ["arn:aws:iam::111111111111:policy/AmazonEKSWorkerNodePolicy"]}}, "[0].iam.attachPolicyARNs: 'arn:aws:"),
        ({"iam": {"instanceRoleARN": "a"}}, "[0].iam.instanceRoleARN: 'a' is not allowed: the run creates the IAM roles."),
        ({"iam": {"instanceRolePermissionsBoundary": "a"}}, "[0].iam.instanceRolePermissionsBoundary: 'a' is not allowed."),
        ({"ssh": {"allow": True}}, "[0].ssh.allow: True is not allowed: the nodes accept no SSH connections"),
        ({"launchTemplate": {"id": "lt-1"}}, "[0].launchTemplate: {'id': 'lt-1'} is not allowed: the run creates the launch templates."),
        ({"availabilityZones": ["us-west-2a", "us-west-2b"]}, "[0].availabilityZones: ['us-west-2a', 'us-west-2b'] is not allowed: all nodes"),
    ],
)  # fmt: skip
def test_a_refused_setting_of_a_gpu_group(given: Values, sentence: str) -> None:
    (refused,) = problems(gpu(**given))
    assert refused.startswith(sentence)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"volumeSize": 100}, "volumeSize"),
        ({"labels": {"a": "b"}}, "labels"),
        ({"taints": [{"key": "a", "effect": "NoSchedule"}]}, "taints"),
        ({"spot": True}, "spot"),
        ({"capacityReservation": RESERVED}, "capacityReservation"),
        ({"placement": {"groupName": "a"}}, "placement"),
        ({"overrideBootstrapCommand": CONFIG}, "overrideBootstrapCommand"),
    ],
)
def test_the_system_group_has_only_a_type_and_a_number_of_nodes(given: Values, key: str) -> None:
    (refused,) = problems({**SYSTEM, **given})
    assert refused.startswith(f"[0].{key}: ") and "the system group has only an instance type and a number of nodes" in refused


def test_the_system_group_needs_a_node() -> None:
    (refused,) = problems({**SYSTEM, "desiredCapacity": 0})
    assert refused == "[0].desiredCapacity: 0 is not allowed. Allowed: whole numbers from 1 to 100."


def test_two_groups_without_accelerators_are_refused() -> None:
    (refused,) = problems(SYSTEM, {**SYSTEM, "name": "more"})
    assert refused == ": 'sys, more' is not allowed: the cluster has one system group. Allowed: one group without accelerators."


def test_names_are_unique() -> None:
    assert problems(gpu(), gpu()) == [".name: 'gpus' is not allowed: it is given more than once. Allowed: each value once."]


def test_all_groups_of_a_new_vpc_are_in_one_zone() -> None:
    system, first, second = ({"availabilityZones": [f"us-west-2{letter}"]} for letter in "abc")
    found = problems({**SYSTEM, **system}, gpu(**first), gpu(name="more", **second))
    why = "is not allowed: all nodes of the cluster must be in one zone. Allowed: us-west-2b."
    assert found == [f"[0].availabilityZones: 'us-west-2a' {why}", f"[2].availabilityZones: 'us-west-2c' {why}"]
    spread = {"availabilityZones": ["us-west-2a", "us-west-2b"]}
    assert variables({**SYSTEM, **spread}, gpu(**first))["zone"] == "us-west-2b"


def test_gpu_groups_of_an_existing_vpc_may_have_different_subnets() -> None:
    found = variables(SYSTEM, gpu(subnets=["b"]), gpu(name="more", subnets=["a"]), network=EXISTING)
    assert found["node_subnet_id"] == IDS[1]
    assert [each.get("subnet_id") for each in found["groups"]] == [None, IDS[0]]
    (refused,) = problems({**SYSTEM, "subnets": ["a"]}, gpu(subnets=["b"]), network=EXISTING)
    assert refused.startswith(f"[0].subnets: '{IDS[0]}' is not allowed: all nodes of the cluster must be in one zone.")
