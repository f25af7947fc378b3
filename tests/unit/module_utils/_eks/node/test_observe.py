# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes and instances, as they are read."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.node import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes import devices

from .reported import iid, node, provider_id


def reported(item: dict[str, t.Any]) -> t.Any:
    return observe.reported(item, devices.nodes_of([item], {}))


@pytest.mark.parametrize(
    ("provider", "instance_id", "zone"),
    [
        (provider_id(iid(1)), iid(1), "us-west-2a"),
        ("aws:///us-west-2-lax-1a/i-01234567", "i-01234567", "us-west-2-lax-1a"),
        ("aws:///us-west-2a/i-01234567x", "", ""),
        (f"aws:///us-west-2a/{iid(1)}\n", "", ""),
        (f"aws://us-west-2a/{iid(1)}", "", ""),
        (f"gce:///us-west-2a/{iid(1)}", "", ""),
        ("aws:///us-west-2a/0123abcd/fargate-ip-10-0-0-1.us-west-2.compute.internal", "", ""),
        (f"aws:///usw2-az1/sagemaker/cluster/hyperpod-abc-{iid(1)}", "", ""),
        (f"eks-hybrid:///us-west-2/training/mi-{1:017x}", "", ""),
        ("", "", ""),
        (None, "", ""),
    ],
)
def test_only_provider_ids_of_ec2_have_an_instance(provider: str | None, instance_id: str, zone: str) -> None:
    found = reported(node("a", provider))
    assert (found.instance_id, found.zone) == (instance_id, zone)


def test_a_node_is_read() -> None:
    taint = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}
    found = reported(node("a", provider_id(iid(1)), unschedulable=True, taints=[taint], ready="False"))
    assert (found.instance_type, found.node_group, found.gpus, found.ready) == ("p5.48xlarge", "gpus", 8, False)
    assert (found.unschedulable, found.taints) == (True, ("nvidia.com/gpu=true:NoSchedule",))
    bare = reported({"metadata": {"name": "b"}})
    assert (bare.provider_id, bare.instance_type, bare.gpus, bare.ready) == ("", "", 0, False)


def test_foreign_texts_are_made_printable() -> None:
    hostile = "x\x1b[2J\u202e" + "y" * 9000
    labels = {"node.kubernetes.io/instance-type": hostile, "eks.amazonaws.com/nodegroup": hostile}
    found = reported(node("a", hostile, labels=labels))
    for text in (found.provider_id, found.instance_type, found.node_group):
        assert text.isprintable() and len(text) == 200


class Ec2:
    """Returns the given instances in pages of one; ``asked``: the IDs of each request."""

    def __init__(self, *instances: dict[str, t.Any]) -> None:
        self.instances = instances
        self.asked: list[list[str]] = []

    def get_paginator(self, _operation: str) -> Ec2:
        return self

    def paginate(self, Filters: t.Any) -> t.Iterator[dict[str, t.Any]]:
        self.asked.append(Filters[0]["Values"])
        yield from ({"Reservations": [{"Instances": [each]}]} for each in self.instances if each["InstanceId"] in Filters[0]["Values"])


def instance(number: int, tags: t.Mapping[str, str], *interfaces: str) -> dict[str, t.Any]:
    return {
        "InstanceId": iid(number),
        "InstanceType": "p5.48xlarge",
        "Placement": {"AvailabilityZone": "us-west-2a"},
        "State": {"Name": "running"},
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
        "NetworkInterfaces": [{"InterfaceType": each} for each in interfaces],
    }


@pytest.mark.parametrize(
    ("tags", "clusters"),
    [
        ({"kubernetes.io/cluster/a": "owned"}, {"a"}),
        ({"kubernetes.io/cluster/a": "shared", "kubernetes.io/cluster/b": "owned"}, {"a", "b"}),
        ({"kubernetes.io/cluster/a": "no"}, set()),
        ({"eks:cluster-name": "a"}, {"a"}),
        ({"aws:eks:cluster-name": "a"}, {"a"}),
        ({"eks:eks-cluster-name": "a"}, {"a"}),
        ({}, set()),
    ],
)
def test_tags_name_the_cluster(tags: dict[str, str], clusters: set[str]) -> None:
    found = observe.instances(Api(Ec2(instance(1, tags))), [iid(1)])
    assert found[iid(1)].clusters == clusters


def test_instances_are_read_in_parts() -> None:
    ids = [iid(number) for number in range(201)]
    ec2 = Ec2(instance(0, {"eks:nodegroup-name": "gpus"}, "efa", "efa-only", "interface"), instance(200, {}))
    found = observe.instances(Api(ec2), ids)
    assert [len(each) for each in ec2.asked] == [200, 1] and set(found) == {iid(0), iid(200)}
    assert (found[iid(0)].efa_interfaces, found[iid(0)].node_group, found[iid(0)].zone) == (2, "gpus", "us-west-2a")
    assert (found[iid(200)].efa_interfaces, found[iid(200)].node_group) == (0, "")


def test_without_instances_ec2_is_not_called() -> None:
    ec2 = Ec2()
    assert observe.instances(Api(ec2), []) == {} and ec2.asked == []
