# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of queues, and the comparison of policies."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.model import Redrive, Settings, State, same_policy

POLICY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": ["sqs:SendMessage"], "Resource": "arn"}]}


def test_attributes_are_texts_in_both_directions() -> None:
    settings = Settings(POLICY, Redrive("dead", 3), 60, 20)
    found = settings.attributes()
    assert found["SqsManagedSseEnabled"] == "true" and found["MessageRetentionPeriod"] == "60"
    assert Settings.from_api(found) == settings
    assert Settings().attributes() == {"SqsManagedSseEnabled": "true"}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({}, Settings({}, None, 345600, 0, "none")),
        ({"SqsManagedSseEnabled": "false", "KmsMasterKeyId": "alias/a"}, Settings({}, None, 345600, 0, "kms")),
        ({"Policy": "[]", "RedrivePolicy": "{"}, Settings({}, None, 345600, 0, "none")),
        (
            {"RedrivePolicy": json.dumps({"deadLetterTargetArn": "dead", "maxReceiveCount": "5"})},
            Settings({}, Redrive("dead", 5), 345600, 0, "none"),
        ),
    ],
)
def test_attributes_may_be_missing_or_have_another_form(answer: dict[str, str], expected: Settings) -> None:
    assert Settings.from_api(answer) == expected


@pytest.mark.parametrize(
    "other",
    [
        {**POLICY, "Id": "x"},
        {**POLICY, "Statement": POLICY["Statement"][0]},
        {**POLICY, "Statement": [{"Resource": ["arn"], "Action": "SQS:SendMessage", "Effect": "Allow"}]},
    ],
)
def test_a_policy_in_another_form_is_the_same(other: dict[str, t.Any]) -> None:
    assert same_policy(POLICY, other)


@pytest.mark.parametrize(
    "other",
    [
        None,
        {},
        {**POLICY, "Version": "2008-10-17"},
        {**POLICY, "Statement": [{**POLICY["Statement"][0], "Resource": "other"}]},
        {**POLICY, "Statement": [{**POLICY["Statement"][0], "Resource": "ARN"}]},
        {**POLICY, "Statement": [*POLICY["Statement"], {"Effect": "Deny", "Action": "sqs:*", "Resource": "arn"}]},
        {**POLICY, "Statement": [{**POLICY["Statement"][0], "Condition": {"ArnEquals": {"aws:SourceArn": "x"}}}]},
    ],
)
def test_another_policy_is_not_the_same(other: dict[str, t.Any] | None) -> None:
    assert not same_policy(POLICY, other) and not same_policy(other, POLICY)


def test_the_order_of_statements_and_actions_does_not_matter() -> None:
    one = {"Statement": [{"Action": ["sqs:A", "sqs:B"]}, {"Action": "sqs:C"}]}
    assert same_policy(one, {"Statement": [{"Action": "sqs:c"}, {"Action": ["sqs:b", "sqs:a"]}]})


def test_a_queue_that_does_not_exist_has_no_values() -> None:
    assert State().having(tags={}) == State()
