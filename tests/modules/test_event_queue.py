# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""event_queue against the simulated API."""

from __future__ import annotations

import itertools

import pytest
from simulated.shape import changes_once, one_shape, reads

NAMES = (f"mlfleet-hyperpod-events-{number}" for number in itertools.count())
PLACE = "arn:aws:sqs:us-west-2:111111111111"


@pytest.fixture
def name():
    return next(NAMES)


def policy(name, *, actions="sqs:SendMessage"):
    statement = {
        "Sid": "Events",
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": actions,
        "Resource": f"{PLACE}:{name}",
        "Condition": {"ArnEquals": {"aws:SourceArn": f"arn:aws:events:us-west-2:111111111111:rule/{name}"}},
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def dead_letters(simulator, name):
    made = simulator.run("event_queue", name=f"{name}-dead", message_retention_period=1209600)
    assert made["changed"], made
    return {"dead_letter_queue_arn": made["event_queue"]["queue_arn"]}


def test_made_and_removed(simulator, name):
    present = {
        "name": name,
        "policy": policy(name),
        **dead_letters(simulator, name),
        "message_retention_period": 86400,
        "receive_wait_time": 20,
        "tags": {"team": "research"},
    }
    made, removed = one_shape(simulator, "event_queue", present=present, absent={"name": name, "state": "absent"})
    queue = made["event_queue"]
    assert queue["queue_arn"] == f"{PLACE}:{name}" and queue["queue_url"].endswith(f"/111111111111/{name}")
    assert (queue["policy"], queue["encryption"], queue["max_receive_count"]) == (policy(name), "sqs", 3)
    assert (queue["message_retention_period"], queue["receive_wait_time"]) == (86400, 20)
    assert queue["tags"] == {"team": "research", "mlfleet.hyperpod/component": "events"}
    assert removed["event_queue"] == {"exists": False, "name": name}


def test_changes_are_shown_and_undone_by_the_next_run(simulator, name):
    wanted = {"name": name, "policy": policy(name), "receive_wait_time": 20, **dead_letters(simulator, name)}
    url = simulator.run("event_queue", **wanted)["event_queue"]["queue_url"]
    reads(simulator, "event_queue", **{**wanted, "policy": policy(name, actions=["SQS:SendMessage"])})
    reads(simulator, "event_queue", name=name)
    sqs = simulator.client("sqs")
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"SqsManagedSseEnabled": "false", "ReceiveMessageWaitTimeSeconds": "0"})
    done = changes_once(simulator, "event_queue", **wanted)
    assert [(each["field"], each["before"], each["after"]) for each in done["changes"]] == [
        ("receive_wait_time", 0, 20),
        ("encryption", "none", "sqs"),
    ]
    assert f"queue {name}: encryption = none" in done["diff"]["before"]
    assert [each["field"] for each in changes_once(simulator, "event_queue", **wanted, max_receive_count=5)["changes"]] == ["max_receive_count"]
    changes_once(simulator, "event_queue", **{**wanted, "policy": policy(name, actions=["sqs:SendMessage", "sqs:GetQueueUrl"])}, max_receive_count=5)
    changes_once(simulator, "event_queue", name=name, tags={"team": "research"})


def test_a_queue_of_another_owner_is_refused(simulator, name):
    sqs = simulator.client("sqs")
    sqs.create_queue(QueueName=name, tags={"team": "research"})
    refused = simulator.run("event_queue", name=name, policy=policy(name))
    assert "exists without the tag mlfleet.hyperpod/component=events" in refused["msg"] and not refused["mutating"]
    reads(simulator, "event_queue", name=name, state="absent")
    assert sqs.get_queue_url(QueueName=name)
    adopted = changes_once(simulator, "event_queue", name=name, adopt=True)
    assert adopted["event_queue"]["tags"] == {"team": "research", "mlfleet.hyperpod/component": "events"}


def test_lost_replies_cause_no_error_and_no_second_change(simulator, name, faults):
    for operation in ("CreateQueue", "SetQueueAttributes", "DeleteQueue"):
        faults(kind="cut_after", operation=operation, times=1)
    for options in ({}, {"policy": policy(name)}, {"state": "absent"}):
        done = simulator.run("event_queue", name=name, **options)
        assert not done.get("failed") and done["changed"], done
        assert not simulator.run("event_queue", name=name, **options)["changed"]
    assert [rule["fired"] for rule in simulator.control("faults")] == [1, 1, 1]


def test_a_missing_dead_letter_queue_is_an_error(simulator, name):
    refused = simulator.run("event_queue", name=name, dead_letter_queue_arn=f"{PLACE}:{name}-dead")
    assert refused["failed"] and f"CreateQueue for queue {name} failed" in refused["msg"], refused


def test_the_policy_allows_only_our_queues(simulator):
    refused = simulator.run("event_queue", name="another")
    assert "not authorized to perform: sqs:GetQueueUrl" in refused["msg"], refused


def test_bad_input_is_refused_before_any_call(simulator, name):
    for wrong, named in (
        ({"name": "a.fifo"}, "name: 'a.fifo'"),
        ({"policy": {"Statement": []}}, "policy: {'Statement': []}"),
        ({"dead_letter_queue_arn": "dead"}, "dead_letter_queue_arn: 'dead'"),
        ({"message_retention_period": 1}, "message_retention_period: 1"),
        ({"receive_wait_time": 21}, "receive_wait_time: 21"),
    ):
        refused = simulator.run("event_queue", **{"name": name, **wrong})
        assert refused["failed"] and named in refused["msg"] and simulator.calls() == [], refused
