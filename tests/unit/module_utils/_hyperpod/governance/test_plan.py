# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls that lead to the declared task governance."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import QUOTA, SCHEDULER
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.model import Capacity, Desired, Found, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.plan import plan, settings_then, undeclared

CLUSTER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
GPU = "ml.p4d.24xlarge"
HAVE = {
    "team_name": "a",
    "fair_share_weight": 1,
    "activation_state": "Enabled",
    "preempt_team_tasks": "Never",
    "compute_quota_resources": [{"instance_type": GPU, "accelerators": 8, "vcpu": 96.0, "memory_in_gib": 1024.0}],
    "resource_sharing_config": {"strategy": "LendAndBorrow", "borrow_limit": 50},
}
CONFIG = {
    "ComputeQuotaResources": [{"InstanceType": GPU, "Accelerators": 8, "VCpu": 96.0, "MemoryInGiB": 1024.0}],
    "ResourceSharingConfig": {"Strategy": "LendAndBorrow", "BorrowLimit": 50},
    "PreemptTeamTasks": "Never",
}
TARGET = {"TeamName": "a", "FairShareWeight": 1}
EVERYTHING = {"ComputeQuotaConfig": CONFIG, "ComputeQuotaTarget": TARGET, "ActivationState": "Enabled"}
SEND = {"ComputeQuotaId": "id", "TargetVersion": 4}
HOPELESS = ("CreateFailed", "CreateRollbackFailed", "UpdateRollbackFailed", "DeleteFailed", "DeleteRollbackFailed")


def wanted(*, tags: dict[str, str] | None = None, **settings: t.Any) -> Desired:
    return Desired(QUOTA, CLUSTER, "quota", "a", settings={"team_name": "a", **settings}, tags=tags)


ABSENT = dataclasses.replace(wanted(), present=False)


def state(status: str = "Updated", *, others: tuple[Found, ...] = (), **more: t.Any) -> State:
    found = Found("id", "arn", "quota", status, 4, "a", settings=HAVE, **more)
    return State(found, others, Capacity({GPU: 2}, {GPU: {"accelerators": 8}}))


def sharing(**values: t.Any) -> dict[str, t.Any]:
    return {"ComputeQuotaConfig": {**CONFIG, "ResourceSharingConfig": values}}


@pytest.mark.parametrize(
    ("desired", "sent"),
    [
        (wanted(), None),
        (wanted(compute_quota_resources=[{"instance_type": GPU, "accelerators": 8}]), None),
        (wanted(fair_share_weight=2), {"ComputeQuotaTarget": {**TARGET, "FairShareWeight": 2}}),
        (wanted(description="x"), {"Description": "x"}),
        (wanted(description=""), None),
        (wanted(activation_state="Disabled"), {"ActivationState": "Disabled"}),
        (wanted(preempt_team_tasks="LowerPriority"), {"ComputeQuotaConfig": {**CONFIG, "PreemptTeamTasks": "LowerPriority"}}),
        (wanted(resource_sharing_config={"strategy": "Lend"}), sharing(Strategy="Lend")),
        (wanted(resource_sharing_config={"borrow_limit": 60}), sharing(Strategy="LendAndBorrow", BorrowLimit=60)),
        (wanted(compute_quota_resources=[]), {"ComputeQuotaConfig": {**CONFIG, "ComputeQuotaResources": []}}),
        (
            wanted(compute_quota_resources=[{"instance_type": GPU, "accelerators": 4}]),
            {"ComputeQuotaConfig": {**CONFIG, "ComputeQuotaResources": [{"InstanceType": GPU, "Accelerators": 4}]}},
        ),
    ],
)
def test_an_update_sends_the_planned_settings(desired: Desired, sent: dict[str, t.Any] | None) -> None:
    made = plan(desired, state())
    assert [(step.operation, step.arguments) for step in made.steps] == ([("UpdateComputeQuota", {**SEND, **sent})] if sent else [])
    after = made.after(state())
    assert not plan(desired, after)
    if sent:
        assert (after.found.version, after.found.status) == (5, "Updated")


@pytest.mark.parametrize("status", ["Created", "Updated", "Creating", "Updating"])
def test_only_a_failed_status_is_a_difference(status: str) -> None:
    assert not plan(wanted(), state(status))


def test_a_failed_update_is_sent_again_completely() -> None:
    (step,) = plan(wanted(), state("UpdateFailed", failure="no queue")).steps
    assert (step.operation, step.arguments) == ("UpdateComputeQuota", {**SEND, **EVERYTHING})
    assert [(each.field, each.before, each.after) for each in step.changes] == [("status", "UpdateFailed", "Updated")]
    assert not plan(wanted(), step.effect(state("UpdateFailed")))
    (step,) = plan(wanted(description="x"), state("UpdateFailed")).steps
    assert step.arguments == {**SEND, "Description": "x"}


@pytest.mark.parametrize("status", HOPELESS)
def test_a_quota_that_aws_cannot_repair_is_recreated_only_on_request(status: str) -> None:
    found = state(status, failure="no queue", tags={"x": "y", "aws:cloudformation": "z"})
    with pytest.raises(Refused, match=rf"compute quota quota of team a is {status} \(no queue\), and AWS cannot change it in this status. Set recreate: true"):
        plan(wanted(), found)
    again = dataclasses.replace(wanted(tags={"x": "y"}, **{**DECLARED, "fair_share_weight": 2}), recreate=True)
    removal, creation = plan(again, found).steps
    assert (removal.operation, removal.arguments) == ("DeleteComputeQuota", {"ComputeQuotaId": "id"})
    named = {"Name": "quota", "ClusterArn": CLUSTER, "Tags": [{"Key": "x", "Value": "y"}]}
    assert creation.arguments == {**named, **EVERYTHING, "ComputeQuotaTarget": {**TARGET, "FairShareWeight": 2}}
    assert not plan(again, plan(again, found).after(found))
    assert [step.operation for step in plan(ABSENT, found).steps] == ["DeleteComputeQuota"]


DECLARED = {**HAVE, "compute_quota_resources": [{"instance_type": GPU, "accelerators": 8}]}


@pytest.mark.parametrize(
    ("settings", "tags", "lost"),
    [
        ({}, {}, "preempt_team_tasks, fair_share_weight"),
        ({"fair_share_weight": 1, "preempt_team_tasks": "Never"}, {}, None),
        ({"fair_share_weight": 1, "preempt_team_tasks": "Never"}, {"x": "y"}, "tags"),
    ],
)
def test_a_recreation_that_would_lose_undeclared_settings_is_refused(settings: dict[str, t.Any], tags: dict[str, str], lost: str | None) -> None:
    """A run may end between the two calls, and the next run knows only the declaration."""
    resources = {"compute_quota_resources": DECLARED["compute_quota_resources"]}
    again = dataclasses.replace(wanted(**resources, **settings), recreate=True)
    found = state("UpdateRollbackFailed", tags={**tags, "aws:x": "z"})
    if lost is None:
        assert len(plan(again, found).steps) == 2
        return
    with pytest.raises(Refused, match=rf"team a is UpdateRollbackFailed, and recreate: true deletes it .* Also declare its other settings \({lost}\), so"):
        plan(again, found)


@pytest.mark.parametrize(
    ("have", "want", "paths"),
    [
        (HAVE, {}, ["compute_quota_resources", "preempt_team_tasks", "team_name", "fair_share_weight"]),
        ({"activation_state": "Enabled", "fair_share_weight": 0, "description": "", "compute_quota_resources": []}, {}, []),
        ({"activation_state": "Disabled", "description": "x"}, {}, ["activation_state", "description"]),
        ({"resource_sharing_config": {"strategy": "LendAndBorrow", "borrow_limit": 60}}, {}, ["resource_sharing_config"]),
        (
            {"resource_sharing_config": {"strategy": "LendAndBorrow", "borrow_limit": 60}},
            {"resource_sharing_config": {"strategy": "LendAndBorrow"}},
            ["resource_sharing_config.borrow_limit"],
        ),
        ({"resource_sharing_config": {"strategy": "Lend"}}, {"resource_sharing_config": {"strategy": "Lend"}}, []),
    ],
)
def test_undeclared_settings_are_listed(have: dict[str, t.Any], want: dict[str, t.Any], paths: list[str]) -> None:
    assert undeclared(QUOTA, settings_then(QUOTA, have, want), want) == paths


def test_tags_without_purge_must_be_declared_for_a_recreation() -> None:
    again = dataclasses.replace(wanted(tags={"x": "1"}, **HAVE), recreate=True, purge_tags=False)
    assert plan(again, state("CreateFailed", tags={"x": "y"})).steps[1].arguments["Tags"] == [{"Key": "x", "Value": "1"}]
    with pytest.raises(Refused, match="(tags)"):
        plan(again, state("CreateFailed", tags={"a": "b"}))


def test_a_creation_sends_the_declared_settings_and_predicts_the_rest() -> None:
    for found in (State(), state("Deleting")):
        (step,) = plan(wanted(tags={"x": "y"}), found).steps
        named = {"Name": "quota", "ClusterArn": CLUSTER, "Tags": [{"Key": "x", "Value": "y"}]}
        assert step.arguments == {**named, "ComputeQuotaConfig": {}, "ComputeQuotaTarget": {"TeamName": "a"}}
        made = step.effect(found).found
        assert (made.status, made.version, made.settings["activation_state"], made.tags) == ("Created", 1, "Enabled", {"x": "y"})
    (step,) = plan(Desired(SCHEDULER, CLUSTER, "fair"), State()).steps
    assert (step.operation, step.arguments["SchedulerConfig"]) == ("CreateClusterSchedulerConfig", {})


@pytest.mark.parametrize(("found", "calls"), [(state(), ["DeleteComputeQuota"]), (state("Deleting"), []), (State(), [])])
def test_only_an_existing_quota_is_deleted(found: State, calls: list[str]) -> None:
    assert [step.operation for step in plan(ABSENT, found).steps] == calls


def test_a_different_name_is_refused() -> None:
    for desired in (wanted(), ABSENT):
        other = dataclasses.replace(desired, name="other")
        with pytest.raises(Refused, match="name: 'other' is not allowed: team a has compute quota quota, which AWS cannot rename"):
            plan(other, state())
        with pytest.raises(Refused, match="the compute quota of team b has this name"):
            plan(desired, State(None, (Found("x", "x", "quota", "Created", team="b"),)))
    with pytest.raises(Refused, match="the cluster can have only one, and has scheduler configuration fair"):
        plan(Desired(SCHEDULER, CLUSTER, "other"), State(Found("x", "x", "fair", "Created")))


def test_limits_of_a_team_that_does_not_borrow_are_refused() -> None:
    lending = state().having(settings={**HAVE, "resource_sharing_config": {"strategy": "Lend"}})
    with pytest.raises(Refused, match="borrow_limit: 5 is not allowed: strategy is 'Lend'. Allowed: no value without strategy LendAndBorrow"):
        plan(wanted(resource_sharing_config={"borrow_limit": 5}), lending)


def test_a_new_quota_with_limits_needs_a_strategy() -> None:
    with pytest.raises(Refused, match=r"resource_sharing_config\.strategy: missing"):
        plan(wanted(resource_sharing_config={"borrow_limit": 5}), State())


def test_more_than_the_capacity_is_refused_if_something_is_sent() -> None:
    full = state(others=(Found("x", "x", "b", "Created", team="b", settings={**HAVE, "team_name": "b"}),))
    more = wanted(compute_quota_resources=[{"instance_type": GPU, "accelerators": 16}])
    with pytest.raises(Refused, match="16 accelerators"):
        plan(more, full)
    assert plan(dataclasses.replace(more, allow_oversubscription=True), full)
    crowded = dataclasses.replace(full, capacity=Capacity({GPU: 1}, {GPU: {"accelerators": 8}}))
    assert not plan(wanted(), crowded) and plan(wanted(description="x"), crowded)
    with pytest.raises(Refused, match="8 accelerators"):
        plan(dataclasses.replace(wanted(), settings=HAVE), dataclasses.replace(crowded, found=None))


def test_tags_are_added_and_removed() -> None:
    tagged = state(tags={"a": "1", "b": "2", "aws:x": "y"})
    steps = plan(wanted(tags={"b": "3"}), tagged).steps
    assert [(step.operation, step.arguments) for step in steps] == [
        ("AddTags", {"ResourceArn": "arn", "Tags": [{"Key": "b", "Value": "3"}]}),
        ("DeleteTags", {"ResourceArn": "arn", "TagKeys": ["a"]}),
    ]
    kept = dataclasses.replace(wanted(tags={"b": "2"}), purge_tags=False)
    assert not plan(kept, tagged) and not plan(wanted(), tagged)


def test_settings_that_an_old_botocore_drops_are_not_overwritten() -> None:
    old = dataclasses.replace(state(), dropped=("ComputeQuotaConfig.ComputeQuotaResources.AcceleratorPartition",))
    assert plan(wanted(description="x"), old)
    with pytest.raises(Refused, match=r"does not support UpdateComputeQuota\.ComputeQuotaConfig\.ComputeQuotaResources\.AcceleratorPartition, so"):
        plan(wanted(preempt_team_tasks="LowerPriority"), old)


RESOURCE = "compute quota quota of team a"


def test_creations_retries_and_removals_have_the_expected_requests_and_changes() -> None:
    (create,) = plan(wanted(**DECLARED_ALL, tags={"x": "y"}), State(None, (), Capacity({GPU: 2}, {GPU: {"accelerators": 8}}))).steps
    after = {"team_name": "a", **DECLARED_ALL, "tags": {"x": "y"}}
    assert (create.operation, create.changes) == ("CreateComputeQuota", (Change("create", RESOURCE, after=after),))
    (retry,) = plan(wanted(), state("UpdateFailed")).steps
    assert retry.changes == (Change("update", RESOURCE, "status", "UpdateFailed", "Updated"),)
    removal = plan(ABSENT, state())
    change = Change("delete", RESOURCE, before={"status": "Updated", **HAVE})
    assert removal.steps == (Step("DeleteComputeQuota", {"ComputeQuotaId": "id"}, (change,)),)


DECLARED_ALL = {name: value for name, value in DECLARED.items() if name != "team_name"}


@pytest.mark.parametrize(
    ("desired", "found", "option"),
    [
        (wanted(), state("CreateFailed"), "recreate"),
        (dataclasses.replace(wanted(), recreate=True), state("CreateFailed"), "recreate"),
        (dataclasses.replace(wanted(), name="new"), state(), "name"),
        (wanted(), dataclasses.replace(state(), found=None, others=(Found("o", "arn", "quota", "Created", 1, "b"),)), "name"),
    ],
    ids=["it failed", "settings would be lost", "another name", "the name of another team"],
)
def test_refusals_name_the_option(desired: Desired, found: State, option: str) -> None:
    with pytest.raises(Refused) as refused:
        plan(desired, found)
    assert refused.value.option == option
