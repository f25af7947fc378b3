# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Node groups, launch templates and device plugins."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import groups

from .given import ARN, GROUP, TYPE, cluster, resource, variables

CLUSTER_MADE = {"__training_cluster_made_cluster": {"eks_cluster": {"vpc": {"cluster_security_group": "sg-1"}}}}
TEMPLATE = {"launch_template_id": "lt-1", "version": 3, "capacity_type": "CAPACITY_BLOCK"}
TEMPLATES_MADE = {"__training_cluster_made_templates": {"results": [{"item": {"name": "ml.gpu"}, "efa_launch_template": TEMPLATE}]}}


def test_each_group_has_a_template_in_the_security_group_of_the_cluster() -> None:
    given = [{**GROUP, "capacity_reservation_id": "cr-1", "volume_size": 500, "local_storage": "RAID0"}]
    system, gpu = groups.groups(variables(groups=given, **CLUSTER_MADE)).templates
    assert (system["name"], gpu["name"], gpu["instance_type"], gpu["security_group"]) == ("ml.system", "ml.gpu", "p5.48xlarge", "sg-1")
    assert (gpu["reservation"], gpu["placement_group"], gpu["volume_size"], gpu["local_storage"]) == ("cr-1", "", 500, "RAID0")
    assert gpu["tags"] == {"mlfleet.hyperpod/cluster": ARN} and (system["reservation"], system["efa"], gpu["efa"]) == ("", False, None)


def planned(template: dict[str, t.Any], *, changes: list[t.Any]) -> dict[str, t.Any]:
    """The result of the planned template of group gpu."""
    return {"__training_cluster_planned_templates": {"results": [{"item": template, "efa_launch_template": TEMPLATE, "changes": changes}]}}


def test_a_template_that_the_plan_leaves_unchanged_needs_no_other_call() -> None:
    (_system, gpu) = groups.groups(variables(cluster())).planned
    found = groups.groups(variables(cluster(), **planned(gpu, changes=[])))
    assert [each["name"] for each in found.templates] == ["ml.system"]
    assert found.node_groups[1]["template"] == {"id": "lt-1", "version": "3"}


def test_a_template_is_ensured_if_the_plan_changes_it_or_has_other_options() -> None:
    (_system, gpu) = groups.groups(variables(cluster())).planned
    changes = [{"field": "volume_size"}]
    for given in (planned(gpu, changes=changes), planned({**gpu, "security_group": "(known after apply)"}, changes=[])):
        found = groups.groups(variables(cluster(), **given))
        assert [each["name"] for each in found.templates] == ["ml.system", "ml.gpu"]


def test_a_group_uses_the_version_and_the_capacity_type_of_its_template() -> None:
    (_system, gpu) = groups.groups(variables(**CLUSTER_MADE, **TEMPLATES_MADE)).node_groups
    assert (gpu["template"], gpu["capacity_type"]) == ({"id": "lt-1", "version": "3"}, "CAPACITY_BLOCK")
    assert gpu["role_arn"] == "arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-nodes"
    assert gpu["scaling"] == {"min": 2, "max": 2, "desired": 2} and gpu["node_repair"] == {"enabled": True}
    spot = groups.groups(variables(groups=[{**GROUP, "spot": True}], **TEMPLATES_MADE)).node_groups[1]
    assert spot["capacity_type"] == "SPOT"


def test_only_existing_groups_are_upgraded() -> None:
    """EKS creates a group with the version of the cluster."""
    there = resource("eks_nodegroup", "gpu", desired=2, version="1.34")
    versions = [each["version"] for each in groups.groups(variables(cluster(), there, version="1.35")).node_groups]
    assert versions == [None, "1.35"]


def test_groups_of_someone_else_are_left_alone() -> None:
    theirs = resource("eks_nodegroup", "gpu", ours=False, desired=2, version="1.34")
    found = groups.groups(variables(cluster(ours=False), theirs, node_subnet_id="subnet-7"))
    assert (found.node_groups, found.templates, found.planned) == ([], [], [])
    new = groups.groups(variables(cluster(ours=False), groups=[GROUP], node_subnet_id="subnet-7"))
    assert [(each["name"], each["subnets"]) for each in new.node_groups] == [("gpu", ["subnet-7"])]
    assert new.templates[0]["security_group"] == "sg-9"


def test_a_group_whose_creation_failed_is_created_again() -> None:
    failed = resource("eks_nodegroup", "gpu", status="CREATE_FAILED", desired=2, version="1.34")
    found = groups.groups(variables(cluster(), failed, resource("eks_nodegroup", "system", desired=2, version="1.34")))
    assert (found.failed, [each["name"] for each in found.templates]) == (["gpu"], ["ml.system", "ml.gpu"])


def test_check_mode_leaves_out_what_the_run_prepares_first() -> None:
    there = [resource("eks_nodegroup", name, desired=2, version="1.34") for name in ("gpu", "system")]
    subnet = resource("subnet", "ml.nodes", availability_zone="us-west-2b")
    failed = {**there[0], "status": "CREATE_FAILED"}
    for resources, names in (([*there, subnet], ["system", "gpu"]), ([failed, subnet], ["system"]), (there, [])):
        found = groups.groups(variables(cluster(), *resources, check=True, version="1.35"))
        assert [(each["name"], each["version"]) for each in found.node_groups] == [(name, None) for name in names]
    upgraded = groups.groups(variables(cluster(version="1.35"), *there, subnet, check=True, version="1.35"))
    assert [each["version"] for each in upgraded.node_groups] == ["1.35", "1.35"]


def test_templates_are_planned_before_the_cluster_exists() -> None:
    found = groups.groups(variables())
    assert {each["security_group"] for each in found.planned} == {"(known after apply)"}
    assert {each["security_group"] for each in found.templates} == {""}
    assert {each["security_group"] for each in groups.groups(variables(cluster())).planned} == {"sg-9"}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, "AL2023_x86_64_STANDARD"),
        ({"gpus": 8, "gpu_manufacturer": "NVIDIA"}, "AL2023_x86_64_NVIDIA"),
        ({"gpus": 1, "gpu_manufacturer": "Nvidia", "architecture": "arm64"}, "AL2023_ARM_64_NVIDIA"),
        ({"neuron_devices": 16}, "AL2023_x86_64_NEURON"),
        ({"architecture": "arm64"}, "AL2023_ARM_64_STANDARD"),
        ({"gpus": 1, "gpu_manufacturer": "AMD"}, "AL2023_x86_64_STANDARD"),
    ],
)
def test_the_image_follows_from_the_hardware(more: dict[str, t.Any], expected: str) -> None:
    assert groups.ami_type({**TYPE, **more}) == expected


def test_device_plugins_are_for_types_with_devices() -> None:
    assert groups.plugins(variables()) == groups.Plugins(["p5.48xlarge"], ["p5.48xlarge"])
    assert groups.plugins(variables(groups=[])) == groups.Plugins([], [])


def test_device_plugins_have_the_images_of_the_user() -> None:
    found = groups.plugins(variables(device_plugin_images={"efa": "mirror/efa:v1"}))
    assert (found.nvidia_image, found.efa_image) == (None, "mirror/efa:v1")
