# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps for an extension, and how AWS merges its settings."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.model import Desired, Extension, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.plan import merged, plan

CLUSTER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
ARN = "arn:aws:sagemaker:us-west-2:111111111111:extension/sagemaker-observability/ml/0a1b2c"


def wanted(**more: t.Any) -> Desired:
    return Desired(CLUSTER, "sagemaker-observability", **more)


def state(status: str = "Active", **configuration: t.Any) -> State:
    return State(Extension(ARN, "1.9.0", status, configuration))


@pytest.mark.parametrize(
    ("have", "want", "after"),
    [
        ({}, {}, {}),
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}, {"a": {"b": 3, "c": 2}}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}, {"a": {"c": 2}}),
        ({"a": 1}, {"a": None, "b": None}, {}),
        ({"a": 1}, {"a": {"b": 2}}, {"a": {"b": 2}}),
        ({"a": {"b": 1}}, {"a": 2}, {"a": 2}),
    ],
)
def test_settings_are_merged(have: dict[str, t.Any], want: dict[str, t.Any], after: dict[str, t.Any]) -> None:
    assert merged(have, want) == after


@pytest.mark.parametrize(
    ("desired", "found", "operation", "sent"),
    [
        (wanted(), State(), "CreateClusterExtension", {"ExtensionName": "sagemaker-observability"}),
        (wanted(version="1.0.0", configuration={"a": None}), State(), "CreateClusterExtension", {"ExtensionVersion": "1.0.0"}),
        (wanted(), state(), None, {}),
        (wanted(version="1.9.0"), state(a=1), None, {}),
        (wanted(version="1.10.0"), state(), "UpdateClusterExtension", {"ExtensionVersion": "1.10.0"}),
        (wanted(configuration={"a": 2}), state(a=1), "UpdateClusterExtension", {"ConfigurationValues": json.dumps({"a": 2})}),
        (wanted(configuration={"a": None}), state(a=1), "UpdateClusterExtension", {"ConfigurationValues": json.dumps({"a": None})}),
        (wanted(), state("CreateFailed"), "UpdateClusterExtension", {}),
        (wanted(), state("Degraded"), "UpdateClusterExtension", {}),
        (wanted(present=False), state(), "DeleteClusterExtension", {}),
        (wanted(present=False), state("Deleting"), None, {}),
        (wanted(present=False), State(), None, {}),
    ],
)
def test_the_plan_has_the_expected_calls(desired: Desired, found: State, operation: str | None, sent: dict[str, t.Any]) -> None:
    steps = plan(desired, found).steps
    assert [step.operation for step in steps] == ([operation] if operation else [])
    for step in steps:
        others = {name: value for name, value in step.arguments.items() if name not in ("ClusterArn", "ExtensionArn")}
        assert others == {**({"ExtensionName": desired.name} if operation == "CreateClusterExtension" else {}), **sent}
        assert not plan(desired, plan(desired, found).after(found))


def test_an_earlier_version_is_refused() -> None:
    with pytest.raises(Refused, match=r"version: '1\.8\.0' is not allowed: the cluster has 1\.9\.0"):
        plan(wanted(version="1.8.0"), state())


RESOURCE = wanted().resource
NEW = {"ClusterArn": CLUSTER, "ExtensionName": "sagemaker-observability"}
OLD = {"ClusterArn": CLUSTER, "ExtensionArn": ARN}


@pytest.mark.parametrize(
    ("desired", "found", "step"),
    [
        (
            wanted(),
            State(),
            Step("CreateClusterExtension", NEW, (Change("create", RESOURCE, after={"version": KNOWN_AFTER_APPLY, "configuration": {}}),)),
        ),
        (
            wanted(version="1.0.0", configuration={"a": 1, "b": None}),
            State(),
            Step(
                "CreateClusterExtension",
                {**NEW, "ExtensionVersion": "1.0.0", "ConfigurationValues": '{"a": 1}'},
                (Change("create", RESOURCE, after={"version": "1.0.0", "configuration": {"a": 1}}),),
            ),
        ),
        (
            wanted(version="1.10.0", configuration={"a": 2}),
            state(a=1, b=1),
            Step(
                "UpdateClusterExtension",
                {**OLD, "ExtensionVersion": "1.10.0", "ConfigurationValues": '{"a": 2}'},
                (
                    Change("update", RESOURCE, "version", "1.9.0", "1.10.0"),
                    Change("update", RESOURCE, "configuration", {"a": 1, "b": 1}, {"a": 2, "b": 1}),
                ),
            ),
        ),
        (
            wanted(),
            state("UpdateFailed"),
            Step("UpdateClusterExtension", OLD, (Change("update", RESOURCE, "status", "UpdateFailed", "Active"),)),
        ),
        (
            wanted(present=False),
            state(),
            Step("DeleteClusterExtension", OLD, (Change("delete", RESOURCE, before={"version": "1.9.0"}),)),
        ),
    ],
    ids=["a new one", "a new one with settings", "settings", "one that failed", "removal"],
)
def test_requests_and_changes_are_as_expected(desired: Desired, found: State, step: Step) -> None:
    assert plan(desired, found).steps == (step,)
