# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls that EventBridge refuses for a moment, and targets that it refuses in a successful answer."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.apply import PAUSES, Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.model import Desired

NAMED = {"Name": "events"}
PUT, DELETE = Step("PutRule", NAMED, ()), Step("DeleteRule", NAMED, ())
TARGETS = Step("PutTargets", {"Rule": "events", "Targets": [{"Id": "queue", "Arn": "arn"}]}, ())
REMOVE = Step("RemoveTargets", {"Rule": "events", "Ids": ["queue"]}, ())
DONE = {"FailedEntryCount": 0, "FailedEntries": []}


@pytest.fixture
def world(stubbed: t.Any) -> tuple[t.Any, Applier, list[float]]:
    client, stub = stubbed("events")
    pauses: list[float] = []
    return stub, Applier(Api(client), Desired("events"), clock=Clock(sleep=pauses.append)), pauses


def test_concurrent_changes_are_awaited(world: t.Any) -> None:
    stub, apply, pauses = world
    stub.add_client_error("put_rule", "ConcurrentModificationException")
    stub.add_response("put_rule", {"RuleArn": "arn"})
    apply(PUT)
    stub.add_response(
        "put_targets", {"FailedEntryCount": 1, "FailedEntries": [{"TargetId": "queue", "ErrorCode": "ConcurrentModificationException"}]}
    )
    stub.add_response("put_targets", DONE)
    apply(TARGETS)
    assert pauses == [0.5, 0.5] and apply.there is True


def test_a_refused_target_is_a_failure(world: t.Any) -> None:
    stub, apply, pauses = world
    entry = {"TargetId": "queue", "ErrorCode": "InvalidArn", "ErrorMessage": "no queue"}
    stub.add_response("put_targets", {"FailedEntryCount": 1, "FailedEntries": [entry]})
    with pytest.raises(Failure, match="PutTargets for event rule events failed: InvalidArn: no queue"):
        apply(TARGETS)
    assert pauses == []


def test_a_new_rule_may_be_unknown_for_a_moment(world: t.Any) -> None:
    stub, apply, pauses = world
    stub.add_client_error("put_targets", "ResourceNotFoundException")
    with pytest.raises(AwsError):
        apply(TARGETS)
    stub.add_response("put_rule", {"RuleArn": "arn"})
    apply(PUT)
    stub.add_client_error("put_targets", "ResourceNotFoundException")
    stub.add_response("put_targets", DONE)
    apply(TARGETS)
    assert pauses == [0.5]


def test_removed_targets_count_for_a_moment(world: t.Any) -> None:
    stub, apply, pauses = world
    stub.add_response("remove_targets", DONE)
    apply(REMOVE)
    stub.add_client_error("delete_rule", "ValidationException")
    stub.add_response("delete_rule", {})
    apply(DELETE)
    assert pauses == [0.5] and apply.there is False


def test_a_removal_whose_reply_was_lost_is_done(world: t.Any) -> None:
    stub, apply, _pauses = world
    stub.add_client_error("remove_targets", "ResourceNotFoundException")
    stub.add_client_error("delete_rule", "ResourceNotFoundException")
    apply(REMOVE)
    apply(DELETE)
    assert apply.there is False


def test_an_error_that_does_not_pass_is_raised_after_all_pauses(world: t.Any) -> None:
    stub, apply, pauses = world
    for _try in range(len(PAUSES) + 1):
        stub.add_client_error("delete_rule", "ValidationException", "Rule can't be deleted since it has targets.")
    with pytest.raises(AwsError, match="DeleteRule for event rule events failed"):
        apply(DELETE)
    assert pauses == list(PAUSES) and apply.there is None
