# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps for a queue, and queues that are not ours."""

from __future__ import annotations

import dataclasses
import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.identity import OWN_TAGS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.model import Desired, Queue, Redrive, Settings, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.plan import is_as_wanted, plan

POLICY = {"Statement": [{"Effect": "Allow", "Action": "sqs:SendMessage"}]}
SETTINGS = Settings(POLICY, Redrive("dead", 3), 86400, 20)
WANTED = Desired("events", settings=SETTINGS, tags=OWN_TAGS)
THERE = Queue("url", "arn", SETTINGS, OWN_TAGS)


def having(**settings: t.Any) -> State:
    return State(dataclasses.replace(THERE, settings=dataclasses.replace(SETTINGS, **settings)))


def operations(desired: Desired, state: State) -> list[str]:
    return [step.operation for step in plan(desired, state).steps]


def test_a_new_queue_gets_all_settings_in_one_call() -> None:
    found = plan(WANTED, State())
    (step,) = found.steps
    assert step.operation == "CreateQueue"
    assert step.arguments == {"QueueName": "events", "Attributes": SETTINGS.attributes(), "tags": OWN_TAGS}
    after = found.after(State()).queue
    assert after.settings == SETTINGS and after.tags == OWN_TAGS
    assert operations(WANTED, State(after)) == []


def test_a_new_queue_has_the_defaults_of_sqs() -> None:
    found = plan(Desired("events"), State())
    assert found.steps[0].arguments["Attributes"] == {"SqsManagedSseEnabled": "true"}
    assert found.after(State()).queue.settings == Settings({}, None, 345600, 0)


def test_a_queue_as_declared_needs_no_change() -> None:
    assert operations(WANTED, State(THERE)) == [] and is_as_wanted(WANTED, THERE)
    assert operations(Desired("events", tags=OWN_TAGS), State(THERE)) == []
    assert operations(dataclasses.replace(WANTED, present=False), State()) == []
    assert not is_as_wanted(WANTED, None)


@pytest.mark.parametrize(
    ("settings", "attributes", "fields"),
    [
        ({"policy": {}}, {"Policy": json.dumps(POLICY, sort_keys=True)}, ["policy"]),
        (
            {"redrive": None},
            {"RedrivePolicy": json.dumps({"deadLetterTargetArn": "dead", "maxReceiveCount": 3})},
            ["dead_letter_queue_arn", "max_receive_count"],
        ),
        (
            {"retention": 60, "receive_wait": 0},
            {"MessageRetentionPeriod": "86400", "ReceiveMessageWaitTimeSeconds": "20"},
            ["message_retention_period", "receive_wait_time"],
        ),
        ({"encryption": "none"}, {"SqsManagedSseEnabled": "true"}, ["encryption"]),
    ],
)
def test_only_differences_are_sent(settings: dict[str, t.Any], attributes: dict[str, str], fields: list[str]) -> None:
    state = having(**settings)
    assert state.queue is not None and not is_as_wanted(WANTED, state.queue)
    found = plan(WANTED, state)
    (step,) = found.steps
    assert (step.operation, step.arguments) == ("SetQueueAttributes", {"QueueUrl": "url", "Attributes": attributes})
    assert [each.field for each in step.changes] == fields
    assert found.after(state) == State(THERE)


def test_a_kms_key_stays_and_is_reported() -> None:
    found = plan(WANTED, having(encryption="kms"))
    assert not found and "allows events.amazonaws.com to use it" in str(found.notes[0])
    (step,) = plan(WANTED, having(encryption="kms", retention=60)).steps
    assert step.arguments["Attributes"] == {"MessageRetentionPeriod": "86400"}


def test_tags_are_added_and_removed() -> None:
    state = State(dataclasses.replace(THERE, tags={"a": "b", **OWN_TAGS}))
    (step,) = plan(WANTED, state).steps
    assert (step.operation, step.arguments) == ("UntagQueue", {"QueueUrl": "url", "TagKeys": ["a"]})
    assert operations(dataclasses.replace(WANTED, purge_tags=False), state) == []
    (step,) = plan(dataclasses.replace(WANTED, tags={"c": "d", **OWN_TAGS}), State(THERE)).steps
    assert (step.operation, step.arguments) == ("TagQueue", {"QueueUrl": "url", "Tags": {"c": "d"}})


def test_a_queue_of_another_owner_is_refused_and_not_removed() -> None:
    other = State(dataclasses.replace(THERE, tags={"a": "b"}))
    with pytest.raises(Refused, match="queue events exists without the tag"):
        plan(WANTED, other)
    assert operations(dataclasses.replace(WANTED, adopt=True, purge_tags=False), other) == ["TagQueue"]
    found = plan(dataclasses.replace(WANTED, present=False), other)
    assert not found and found.notes


def test_our_queue_is_removed() -> None:
    found = plan(dataclasses.replace(WANTED, present=False), State(THERE))
    (step,) = found.steps
    assert (step.operation, step.arguments) == ("DeleteQueue", {"QueueUrl": "url"})
    assert found.after(State(THERE)) == State()
