# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a rule is read, and a rule that EventBridge returns late."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.model import Desired, Rule, State, Target
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.observe import Observer, read

ARN = "arn:aws:events:us-west-2:111111111111:rule/events"
QUEUE, DEAD = (f"arn:aws:sqs:us-west-2:111111111111:{name}" for name in ("events", "dead"))
NAMED = {"Name": "events"}
DESCRIBED = {"Name": "events", "Arn": ARN, "EventPattern": '{"source": ["a"]}', "State": "DISABLED", "Description": "x"}


def answer(stub: t.Any, described: dict[str, t.Any] | None, *targets: dict[str, t.Any], tags: t.Sequence[dict[str, str]] = ()) -> None:
    if described is None:
        stub.add_client_error("describe_rule", "ResourceNotFoundException", expected_params=NAMED)
        return
    stub.add_response("describe_rule", described, NAMED)
    stub.add_response("list_targets_by_rule", {"Targets": [*targets]} if targets else {}, {"Rule": "events"})
    stub.add_response("list_tags_for_resource", {"Tags": [*tags]}, {"ResourceARN": ARN})


def test_a_rule_is_read_with_its_targets_and_tags(stubbed: t.Any) -> None:
    client, stub = stubbed("events")
    ours = {
        "Id": "queue",
        "Arn": QUEUE,
        "DeadLetterConfig": {"Arn": DEAD},
        "RetryPolicy": {"MaximumRetryAttempts": 185, "MaximumEventAgeInSeconds": 3600},
    }
    answer(stub, DESCRIBED, ours, {"Id": "x", "Arn": "y", "InputPath": "$.detail"}, tags=[{"Key": "a", "Value": "b"}])
    targets = {"queue": Target(QUEUE, DEAD, 3600), "x": Target("y", transformed_by=("InputPath",))}
    assert read(Api(client), "events") == State(Rule(ARN, {"source": ["a"]}, "x", "DISABLED", targets=targets, tags={"a": "b"}))


def test_fields_of_an_answer_may_be_missing(stubbed: t.Any) -> None:
    client, stub = stubbed("events")
    answer(stub, {"Arn": ARN})
    assert read(Api(client), "events") == State(Rule(ARN, state=""))


def test_a_pattern_that_is_not_json_is_no_pattern(stubbed: t.Any) -> None:
    client, stub = stubbed("events")
    answer(stub, {"Arn": ARN, "EventPattern": "{"})
    assert read(Api(client), "events") == State(Rule(ARN, state=""))


def test_a_rule_that_was_just_created_is_read_again(stubbed: t.Any) -> None:
    client, stub = stubbed("events")
    pauses: list[float] = []
    clock = Clock(sleep=pauses.append)
    apply = Applier(Api(client), Desired("events"), clock=clock)
    observe = Observer(Api(client), Desired("events"), apply, clock=clock)
    answer(stub, None)
    assert observe() == State() and pauses == []
    stub.add_response("put_rule", {"RuleArn": ARN})
    apply(Step("PutRule", NAMED, ()))
    answer(stub, None)
    answer(stub, {"Arn": ARN})
    assert observe().rule is not None and pauses == [0.5]


def test_other_errors_are_raised(stubbed: t.Any) -> None:
    client, stub = stubbed("events")
    stub.add_client_error("describe_rule", "AccessDeniedException")
    with pytest.raises(AwsError, match="DescribeRule for event rule events failed"):
        read(Api(client), "events")
