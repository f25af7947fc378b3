# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a reply of EKS becomes a node group."""

from __future__ import annotations

import typing as t

import botocore.session
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.health import Issue
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import (
    AMI_TYPES,
    OTHER_AMI_TYPES,
    Desired,
    Nodegroup,
    State,
)

LEAST: dict[str, t.Any] = {"nodegroupArn": "arn", "status": "ACTIVE"}


def test_omitted_settings_have_the_defaults_of_eks() -> None:
    found = Nodegroup.from_api(LEAST)
    defaults = {"labels": {}, "taints": [], "update_config": {"strategy": "DEFAULT"}, "node_repair": {"enabled": False}}
    assert found == Nodegroup("arn", "ACTIVE", defaults)
    assert (found.template, found.has_own_ami, found.described) == ({}, False, "ACTIVE")


def test_a_whole_reply_is_read() -> None:
    answer = {
        **LEAST,
        "status": "DEGRADED",
        "version": "1.34",
        "amiType": "CUSTOM",
        "scalingConfig": {"minSize": 0, "maxSize": 4, "desiredSize": 2},
        "launchTemplate": {"id": "lt-1", "name": "one", "version": "3"},
        "taints": [{"key": "a", "effect": "NO_SCHEDULE"}],
        "updateConfig": {"maxUnavailable": 1, "updateStrategy": "MINIMAL"},
        "nodeRepairConfig": {"enabled": True},
        "health": {"issues": [{"code": "AccessDenied", "message": "no"}]},
        "resources": {"autoScalingGroups": [{"name": "eks-1"}]},
        "tags": {"a": "b"},
    }
    found = Nodegroup.from_api(answer)
    assert found.settings == {
        "version": "1.34",
        "ami_type": "CUSTOM",
        "scaling": {"min": 0, "max": 4, "desired": 2},
        "launch_template": {"id": "lt-1", "name": "one", "version": "3"},
        "labels": {},
        "taints": [{"key": "a", "value": "", "effect": "NO_SCHEDULE"}],
        "update_config": {"max_unavailable": 1, "strategy": "MINIMAL"},
        "node_repair": {"enabled": True},
    }
    assert (found.issues, found.auto_scaling_groups, found.tags) == ((Issue("AccessDenied", "no"),), ("eks-1",), {"a": "b"})
    assert (found.template["version"], found.has_own_ami) == ("3", True)
    assert found.described == "DEGRADED (desired 2; AccessDenied: no)"


def test_ami_types_are_those_of_eks() -> None:
    enum = botocore.session.get_session().get_service_model("eks").shape_for("AMITypes").enum
    assert set(enum) <= {*AMI_TYPES, *OTHER_AMI_TYPES} and not set(AMI_TYPES) & set(OTHER_AMI_TYPES)


def test_values_of_a_state_are_replaced() -> None:
    group = Nodegroup("arn", "DEGRADED")
    assert State(group, "1.34").having(status="ACTIVE") == State(Nodegroup("arn", "ACTIVE"), "1.34")
    assert State().having(status="ACTIVE") == State()


def test_options_have_the_documented_defaults() -> None:
    desired = Desired("pods", "gpu")
    assert (desired.present, desired.settings, desired.force_update, desired.tags, desired.purge_tags) == (True, {}, False, None, True)
    assert (desired.resource, desired.about) == ("node group gpu", "node group gpu of EKS cluster pods")
