# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps for a rule, its target and its tags, and rules that are not ours."""

from __future__ import annotations

import dataclasses
import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.identity import OWN_TAGS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.model import Desired, Rule, State, Target
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.plan import plan

QUEUE, DEAD, OTHER = (f"arn:aws:sqs:us-west-2:111111111111:{name}" for name in ("events", "dead", "other"))
PATTERN = {"source": ["aws.sagemaker"]}
TARGET = Target(QUEUE, DEAD, 3600)
WANTED = Desired("events", pattern=PATTERN, description="HyperPod", target=TARGET, tags=OWN_TAGS)
THERE = Rule("arn", PATTERN, "HyperPod", targets={"queue": TARGET}, tags=OWN_TAGS)


def having(**values: t.Any) -> State:
    return State(dataclasses.replace(THERE, **values))


def wanting(**values: t.Any) -> Desired:
    return dataclasses.replace(WANTED, **values)


def operations(desired: Desired, state: State) -> list[str]:
    return [step.operation for step in plan(desired, state).steps]


def test_a_new_rule_is_created_before_its_target() -> None:
    found = plan(WANTED, State())
    create, target = found.steps
    arguments = dict(create.arguments)
    assert create.operation == "PutRule" and json.loads(arguments.pop("EventPattern")) == PATTERN
    assert arguments == {
        "Name": "events",
        "State": "ENABLED",
        "Description": "HyperPod",
        "Tags": [{"Key": "mlfleet.hyperpod/component", "Value": "events"}],
    }
    assert target.operation == "PutTargets" and target.arguments == {
        "Rule": "events",
        "Targets": [{"Id": "queue", "Arn": QUEUE, "DeadLetterConfig": {"Arn": DEAD}, "RetryPolicy": {"MaximumEventAgeInSeconds": 3600}}],
    }
    after = found.after(State()).rule
    assert dataclasses.replace(after, arn="arn") == THERE
    assert operations(WANTED, State(after)) == []


def test_a_rule_as_declared_needs_no_change() -> None:
    assert operations(WANTED, having()) == []
    assert operations(wanting(description=None), having(description="another")) == []
    assert operations(wanting(present=False), State()) == []


@pytest.mark.parametrize(
    ("values", "field", "before", "after"),
    [
        ({"pattern": {"source": ["aws.ec2"]}}, "event_pattern", {"source": ["aws.ec2"]}, PATTERN),
        ({"pattern": None}, "event_pattern", None, PATTERN),
        ({"description": "x"}, "description", "x", "HyperPod"),
        ({"state": "DISABLED"}, "enabled", False, True),
        ({"schedule": "rate(1 hour)"}, "schedule_expression", "rate(1 hour)", ""),
    ],
)
def test_one_call_replaces_a_rule_that_differs(values: dict[str, t.Any], field: str, before: t.Any, after: t.Any) -> None:
    """EventBridge keeps no setting that a request omits, and ignores tags of an existing rule."""
    found = plan(WANTED, having(**values))
    (step,) = found.steps
    assert set(step.arguments) == {"Name", "EventPattern", "State", "Description"} and step.operation == "PutRule"
    assert [(each.field, each.before, each.after) for each in step.changes] == [(field, before, after)]
    assert found.after(having(**values)) == having()


def test_an_update_without_a_description_keeps_the_description() -> None:
    (step,) = plan(wanting(description=None), having(state="DISABLED")).steps
    assert step.arguments["Description"] == "HyperPod"


@pytest.mark.parametrize(
    ("target", "changes"),
    [
        (None, [("create", "target", None, {"queue_arn": QUEUE, "dead_letter_queue_arn": DEAD, "maximum_event_age": 3600})]),
        (Target(OTHER, DEAD, 3600), [("update", "target.queue_arn", OTHER, QUEUE)]),
        (Target(QUEUE), [("update", "target.dead_letter_queue_arn", "", DEAD), ("update", "target.maximum_event_age", None, 3600)]),
        (dataclasses.replace(TARGET, transformed_by=("Input",)), [("update", "target.transformed_by", ["Input"], [])]),
    ],
)
def test_a_target_that_differs_is_replaced(target: Target | None, changes: list[tuple[t.Any, ...]]) -> None:
    state = having(targets={"queue": target} if target else {})
    (step,) = plan(WANTED, state).steps
    assert step.operation == "PutTargets"
    assert [(each.action, each.field, each.before, each.after) for each in step.changes] == changes
    assert step.effect(state) == having()


def test_other_targets_stay_and_are_reported() -> None:
    found = plan(WANTED, having(targets={"queue": TARGET, "lambda": Target("arn:aws:lambda:x")}))
    assert not found and found.notes == ("event rule events has other targets, which stay unchanged: lambda.",)


def test_tags_are_added_and_removed() -> None:
    desired = wanting(tags={"a": "b", **OWN_TAGS})
    assert operations(desired, having(tags={"c": "d", **OWN_TAGS})) == ["TagResource", "UntagResource"]
    assert operations(dataclasses.replace(desired, purge_tags=False), having(tags={"c": "d", "a": "b", **OWN_TAGS})) == []


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Rule("arn", PATTERN, "HyperPod", targets={"queue": TARGET}), "exists without the tag mlfleet.hyperpod/component=events"),
        (dataclasses.replace(THERE, managed_by="states.amazonaws.com"), "belongs to the AWS service states.amazonaws.com"),
    ],
)
def test_a_rule_of_another_owner_is_refused(rule: Rule, message: str) -> None:
    with pytest.raises(Refused) as refused:
        plan(WANTED, State(rule))
    assert message in str(refused.value)


def test_an_adopted_rule_gets_our_tag() -> None:
    assert operations(wanting(adopt=True), having(tags={})) == ["TagResource"]


def test_targets_are_removed_before_the_rule() -> None:
    state = having(targets={"queue": TARGET, "lambda": Target("arn:aws:lambda:x")})
    found = plan(wanting(present=False), state)
    targets, rule = found.steps
    assert (targets.operation, targets.arguments) == ("RemoveTargets", {"Rule": "events", "Ids": ["lambda", "queue"]})
    assert [(each.field, each.before) for each in targets.changes] == [("target lambda", "arn:aws:lambda:x"), ("target", QUEUE)]
    assert (rule.operation, rule.arguments) == ("DeleteRule", {"Name": "events"})
    assert found.after(state) == State()
    assert operations(wanting(present=False), having(targets={})) == ["DeleteRule"]


def test_a_rule_of_another_owner_is_not_removed() -> None:
    found = plan(wanting(present=False), having(tags={}))
    assert not found and "event rule events does not have the tag" in str(found.notes[0])
