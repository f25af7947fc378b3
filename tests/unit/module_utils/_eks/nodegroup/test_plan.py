# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps for a node group, and every parameter of the requests that create one."""

from __future__ import annotations

import typing as t

import botocore.session
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Change, Plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.health import Issue
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import Desired, Nodegroup, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.options import desired as options, specification
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.plan import left, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.table import CONFIGURATION, VERSIONS
from botocore.validate import validate_parameters

MODEL = botocore.session.get_session().get_service_model("eks")
ROLE, SUBNET = "arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-nodes", "subnet-0123456789abcdef0"
ABOUT = {"clusterName": "pods", "nodegroupName": "gpu"}
TEMPLATE = {"id": "lt-01234567", "name": "one", "version": "3"}
HAVE: dict[str, t.Any] = {
    "ami_type": "AL2023_x86_64_NVIDIA",
    "launch_template": TEMPLATE,
    "scaling": {"min": 1, "max": 4, "desired": 2},
    "labels": {"a": "b"},
    "taints": [{"key": "a", "value": "b", "effect": "NO_SCHEDULE"}],
    "update_config": {"max_unavailable": 1, "strategy": "DEFAULT"},
    "node_repair": {"enabled": False},
    "version": "1.33",
    "release_version": "1.33.9-20261015",
}
THERE = Nodegroup("arn", "ACTIVE", HAVE, tags={"a": "b"})


def wanted(**given: t.Any) -> Desired:
    """The options of a new group with the module's defaults."""
    names = {"eks_cluster": "pods", "name": "gpu", "state": "present", "force_update": False, "tags": None, "purge_tags": True}
    return options({**dict.fromkeys(specification()), **names, **given}, "us-west-2")


def planned(given: dict[str, t.Any], group: Nodegroup | None = THERE, **more: t.Any) -> Plan:
    return plan(Desired("pods", "gpu", settings=given, **more), State(group, "1.34"))


GOLDEN: dict[str, tuple[dict[str, t.Any], dict[str, t.Any]]] = {
    "least": ({}, {}),
    "standard": (
        {
            "instance_types": ["m7i.xlarge", "m6i.xlarge"],
            "ami_type": "AL2023_x86_64_STANDARD",
            "capacity_type": "ON_DEMAND",
            "disk_size": 100,
            "scaling": {"min": 2, "max": 4},
            "labels": {"team": "research"},
            "version": "1.34",
            "release_version": "1.34.2-20261015",
            "tags": {"cost": "one"},
        },
        {
            "instanceTypes": ["m7i.xlarge", "m6i.xlarge"],
            "amiType": "AL2023_x86_64_STANDARD",
            "capacityType": "ON_DEMAND",
            "diskSize": 100,
            "scalingConfig": {"minSize": 2, "maxSize": 4, "desiredSize": 2},
            "labels": {"team": "research"},
            "version": "1.34",
            "releaseVersion": "1.34.2-20261015",
            "tags": {"cost": "one"},
        },
    ),
    "NVIDIA with a launch template": (
        {
            "instance_types": ["p5.48xlarge"],
            "ami_type": "AL2023_x86_64_NVIDIA",
            "launch_template": {"name": "training-p5", "version": "3"},
            "scaling": {"min": 0, "max": 8, "desired": 8},
            "taints": [
                {"key": "nvidia.com/gpu", "effect": "NO_SCHEDULE"},
                {"key": "team", "value": "research", "effect": "NO_EXECUTE"},
            ],
            "update_config": {"max_unavailable": 1, "strategy": "MINIMAL"},
        },
        {
            "instanceTypes": ["p5.48xlarge"],
            "amiType": "AL2023_x86_64_NVIDIA",
            "launchTemplate": {"name": "training-p5", "version": "3"},
            "scalingConfig": {"minSize": 0, "maxSize": 8, "desiredSize": 8},
            "taints": [
                {"key": "nvidia.com/gpu", "effect": "NO_SCHEDULE"},
                {"key": "team", "value": "research", "effect": "NO_EXECUTE"},
            ],
            "updateConfig": {"maxUnavailable": 1, "updateStrategy": "MINIMAL"},
        },
    ),
    "SPOT": (
        {
            "instance_types": ["g6.xlarge", "g5.xlarge"],
            "ami_type": "AL2023_x86_64_NVIDIA",
            "capacity_type": "SPOT",
            "scaling": {"min": 0, "max": 1},
            "update_config": {"max_unavailable_percentage": 50},
        },
        {
            "instanceTypes": ["g6.xlarge", "g5.xlarge"],
            "amiType": "AL2023_x86_64_NVIDIA",
            "capacityType": "SPOT",
            "scalingConfig": {"minSize": 0, "maxSize": 1, "desiredSize": 0},
            "updateConfig": {"maxUnavailablePercentage": 50},
        },
    ),
    "CAPACITY_BLOCK": (
        {
            "ami_type": "AL2023_x86_64_NVIDIA",
            "capacity_type": "CAPACITY_BLOCK",
            "launch_template": {"id": "lt-0123456789abcdef0", "version": "1"},
            "scaling": {"min": 0, "max": 4, "desired": 0},
        },
        {
            "amiType": "AL2023_x86_64_NVIDIA",
            "capacityType": "CAPACITY_BLOCK",
            "launchTemplate": {"id": "lt-0123456789abcdef0", "version": "1"},
            "scalingConfig": {"minSize": 0, "maxSize": 4, "desiredSize": 0},
        },
    ),
    "repair": (
        {
            "ami_type": "AL2023_ARM_64_NVIDIA",
            "node_repair": {
                "enabled": True,
                "max_unhealthy_node_threshold_percentage": 20,
                "max_parallel_nodes_repaired_count": 1,
                "overrides": [
                    {
                        "condition": "AcceleratedHardwareReady",
                        "reason": "NvidiaXID13Error",
                        "min_repair_wait_minutes": 15,
                        "action": "NoAction",
                    }
                ],
            },
        },
        {
            "amiType": "AL2023_ARM_64_NVIDIA",
            "nodeRepairConfig": {
                "enabled": True,
                "maxUnhealthyNodeThresholdPercentage": 20,
                "maxParallelNodesRepairedCount": 1,
                "nodeRepairConfigOverrides": [
                    {
                        "nodeMonitoringCondition": "AcceleratedHardwareReady",
                        "nodeUnhealthyReason": "NvidiaXID13Error",
                        "minRepairWaitTimeMins": 15,
                        "repairAction": "NoAction",
                    }
                ],
            },
        },
    ),
    "own AMI": ({"ami_type": "CUSTOM", "launch_template": {"name": "own"}}, {"launchTemplate": {"name": "own"}}),
    "empty values": ({"labels": {}, "taints": [], "update_config": {}, "node_repair": {}, "tags": {}}, {}),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_a_creation_sends_exactly_the_given_settings(name: str) -> None:
    given, parameters = GOLDEN[name]
    desired = wanted(node_role_arn=ROLE, subnet_ids=[SUBNET], **given)
    (step,) = plan(desired, State(None, "1.34")).steps
    assert step.operation == "CreateNodegroup"
    assert step.arguments == {**ABOUT, "nodeRole": ROLE, "subnets": [SUBNET], **parameters}
    validate_parameters(step.arguments, MODEL.operation_model("CreateNodegroup").input_shape)
    (change,) = step.changes
    assert (change.action, change.resource) == ("create", "node group gpu")
    assert change.after == {**desired.settings, **({"scaling": {"desired": given["scaling"]["min"], **given["scaling"]}} if "scaling" in given else {})}


def test_the_golden_requests_use_every_parameter() -> None:
    sent = {parameter for _given, parameters in GOLDEN.values() for parameter in parameters}
    elsewhere = {"clientRequestToken", "remoteAccess", "warmPoolConfig", "nodeRole", "subnets", *ABOUT}
    assert sent == set(MODEL.operation_model("CreateNodegroup").input_shape.members) - elsewhere


def test_a_new_group_is_predicted() -> None:
    after = planned({"node_role_arn": ROLE, "subnet_ids": [SUBNET]}, None, tags={"a": "b"}).after(State(None, "1.34"))
    assert after.kubernetes == "1.34" and (after.group.arn, after.group.status, after.group.tags) == (KNOWN_AFTER_APPLY, "ACTIVE", {"a": "b"})
    settings = after.group.settings
    assert {name for name, value in settings.items() if value == KNOWN_AFTER_APPLY} == {
        *("instance_types", "ami_type", "disk_size", "scaling", "update_config", "release_version")
    }
    assert (settings["version"], settings["launch_template"], settings["node_repair"]) == ("1.34", None, {"enabled": False})
    own = {"node_role_arn": ROLE, "subnet_ids": [SUBNET], "ami_type": "CUSTOM", "launch_template": {"name": "own"}}
    settings = planned(own, None).after(State(None, "1.34")).group.settings
    assert (settings["version"], settings["launch_template"]["name"]) == (KNOWN_AFTER_APPLY, "own")
    assert settings["launch_template"]["version"] == KNOWN_AFTER_APPLY


def test_a_group_as_declared_needs_no_change() -> None:
    for given in ({}, HAVE, {"launch_template": {"name": "one"}}, {"update_config": {"max_unavailable": 1}}, {"scaling": {"min": 1}}):
        assert not planned(given, tags={"a": "b"})
    assert not planned({}, None, present=False)
    assert not planned({}, Nodegroup("arn", "DELETING"), present=False)


def test_differences_are_sent_in_one_call_before_the_versions() -> None:
    taint = {"key": "a", "value": "", "effect": "NO_EXECUTE"}
    given = {
        "scaling": {"min": 3},
        "labels": {"c": "d"},
        "taints": [taint],
        "update_config": {"strategy": "MINIMAL"},
        "node_repair": {"enabled": True},
        "version": "1.34",
        "launch_template": {"version": "4"},
    }
    found = planned(given, force_update=True, tags={})
    configure, upgrade, untag = found.steps
    assert (configure.operation, configure.arguments) == (
        "UpdateNodegroupConfig",
        {
            **ABOUT,
            "scalingConfig": {"minSize": 3, "desiredSize": 3},
            "labels": {"addOrUpdateLabels": {"c": "d"}, "removeLabels": ["a"]},
            "taints": {
                "addOrUpdateTaints": [{"key": "a", "effect": "NO_EXECUTE"}],
                "removeTaints": [{"key": "a", "value": "b", "effect": "NO_SCHEDULE"}],
            },
            "updateConfig": {"maxUnavailable": 1, "updateStrategy": "MINIMAL"},
            "nodeRepairConfig": {"enabled": True},
        },
    )
    template = {"id": "lt-01234567", "version": "4"}
    assert (upgrade.operation, upgrade.arguments) == (
        "UpdateNodegroupVersion",
        {**ABOUT, "version": "1.34", "launchTemplate": template, "force": True},
    )
    assert (untag.operation, untag.arguments) == ("UntagResource", {"resourceArn": "arn", "tagKeys": ["a"]})
    for step in (configure, upgrade):
        validate_parameters(step.arguments, MODEL.operation_model(step.operation).input_shape)
    assert [change.field for change in found.changes[:2]] == ["scaling.min", "scaling.desired"]
    assert Change("update", "node group gpu", "update_config.strategy", "DEFAULT", "MINIMAL") in found.changes
    after = found.after(State(THERE, "1.34"))
    assert after.group.settings == {
        **HAVE,
        **{name: given[name] for name in ("labels", "taints", "node_repair", "version")},
        "scaling": {"min": 3, "max": 4, "desired": 3},
        "update_config": {"max_unavailable": 1, "strategy": "MINIMAL"},
        "launch_template": {**TEMPLATE, "version": "4"},
        "release_version": KNOWN_AFTER_APPLY,
    }
    assert after.group.tags == {}


@pytest.mark.parametrize("given", [{"taints": []}, {"labels": {}}])
def test_empty_values_remove_everything(given: dict[str, t.Any]) -> None:
    found = planned(given)
    (step,) = found.steps
    (option,) = given
    assert list(step.arguments[option]) == [f"remove{option.title()}"]
    assert found.after(State(THERE, "1.34")).group.settings[option] == given[option]


def test_the_desired_number_changes_only_if_it_is_given_or_too_low() -> None:
    assert not planned({"scaling": {"min": 1, "max": 4}})
    (step,) = planned({"scaling": {"min": 2, "max": 8}}).steps
    assert step.arguments["scalingConfig"] == {"minSize": 2, "maxSize": 8}
    (step,) = planned({"scaling": {"min": 3}}).steps
    assert step.arguments["scalingConfig"] == {"minSize": 3, "desiredSize": 3}
    (step,) = planned({"scaling": {"desired": 4}}).steps
    assert step.arguments["scalingConfig"] == {"desiredSize": 4}
    with pytest.raises(Refused, match="scaling.desired: 2 is not allowed: scaling.min is 3"):
        planned({"scaling": {"min": 3, "desired": 2}})


def test_what_is_left_is_computed_for_each_operation() -> None:
    desired = Desired("pods", "gpu", settings={"labels": {}, "version": "1.34"})
    assert [change.field for change in left(desired, THERE, CONFIGURATION)] == ["labels"]
    assert [change.field for change in left(desired, THERE, VERSIONS)] == ["version"]


def test_a_removal_names_the_group_and_its_nodes() -> None:
    (step,) = planned({}, present=False).steps
    assert (step.operation, step.arguments) == ("DeleteNodegroup", ABOUT)
    assert step.changes == (Change("delete", "node group gpu", before={"nodegroup_arn": "arn", "nodes": 2}),)
    assert step.effect(State(THERE)) == State()
    for status in ("CREATE_FAILED", "DELETE_FAILED", "DEGRADED"):
        assert planned({}, Nodegroup("arn", status), present=False)


def test_a_group_in_deletion_is_created_again() -> None:
    (step,) = planned({"node_role_arn": ROLE, "subnet_ids": [SUBNET]}, Nodegroup("arn", "DELETING", HAVE)).steps
    assert step.operation == "CreateNodegroup"


def test_warnings_about_health_and_settings_that_are_not_compared() -> None:
    degraded = Nodegroup("arn", "DEGRADED", HAVE, (Issue("IamThrottling", "slow"),))
    found = planned({"instance_types": ["p5.48xlarge"]}, degraded)
    assert not found and found.notes == (
        "node group gpu of EKS cluster pods is DEGRADED (desired 2; IamThrottling: slow). Next step: run again later.",
        "instance_types of node group gpu of EKS cluster pods was not compared, because EKS does not return it for a group with a launch "
        "template.",
    )
    assert planned({}).notes == ()
