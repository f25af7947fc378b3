# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deliveries of events to queues and to their dead-letter queues."""

from __future__ import annotations

import itertools
import json
import time
import typing as t

import pytest

NUMBERS = itertools.count()
RULE, QUEUE = "arn:aws:events:us-west-2:111111111111:rule/{}", "arn:aws:sqs:us-west-2:111111111111:{}"
NO_ATTRIBUTES: dict[str, str] = {}


def policy(name: str, source: str, **statement: t.Any) -> str:
    allow = {
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": QUEUE.format(name),
        "Condition": {"ArnEquals": {"aws:SourceArn": source}},
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [{**allow, **statement}]})


class Place:
    """A rule for events of a source, and the two queues of its target."""

    def __init__(self, account: t.Any, **statement: t.Any) -> None:
        self.account, self.name = account, f"delivery-{next(NUMBERS)}"
        self.sqs, self.events, self.rule = account.client("sqs"), account.client("events"), RULE.format(self.name)
        self.events.put_rule(Name=self.name, EventPattern=json.dumps({"source": [f"aws.{self.name}"]}))
        self.url, self.dead = (self.queue(name, **statement) for name in (self.name, f"{self.name}-dead"))
        target = {"Id": "queue", "Arn": QUEUE.format(self.name), "DeadLetterConfig": {"Arn": QUEUE.format(f"{self.name}-dead")}}
        self.events.put_targets(Rule=self.name, Targets=[target])

    def queue(self, name: str, **statement: t.Any) -> str:
        return self.sqs.create_queue(QueueName=name, Attributes={"Policy": policy(name, self.rule, **statement)})["QueueUrl"]

    def put(self, **more: t.Any) -> dict[str, t.Any]:
        event = {"version": "0", "id": self.name, "detail-type": "Test", "source": f"aws.{self.name}", "account": "111111111111"}
        event |= {"time": "2026-01-01T00:00:00Z", "region": "us-west-2", "resources": [], "detail": {"a": ["b", None]}, **more}
        self.account.control.put_event(event)
        return event

    def received(self, url: str) -> list[tuple[t.Any, dict[str, str]]]:
        """The messages of a queue, with their attributes; they stay in the queue."""
        found = self.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=0, MessageAttributeNames=["All"])
        return [
            (json.loads(each["Body"]), {name: value["StringValue"] for name, value in each.get("MessageAttributes", {}).items()})
            for each in found.get("Messages", [])
        ]


def test_the_whole_event_is_the_body_of_a_message(account):
    place = Place(account)
    event = place.put()
    place.put(source="aws.other")
    assert place.received(place.url) == [(event, NO_ATTRIBUTES)] and place.received(place.dead) == []
    assert event in account.control.events()


@pytest.mark.parametrize(
    "statement",
    [
        {"Effect": "Deny"},
        {"Principal": {"Service": "sns.amazonaws.com"}},
        {"Principal": {"AWS": "111111111111"}},
        {"Action": "sqs:ReceiveMessage"},
        {"Resource": QUEUE.format("other")},
        {"Condition": {"ArnEquals": {"aws:SourceArn": RULE.format("other")}}},
    ],
)
def test_without_permission_an_event_goes_to_the_dead_letter_queue(account, statement):
    place = Place(account)
    document = policy(place.name, place.rule, **statement)
    place.sqs.set_queue_attributes(QueueUrl=place.url, Attributes={"Policy": document})
    event = place.put()
    about = {"RULE_ARN": place.rule, "TARGET_ARN": QUEUE.format(place.name), "RETRY_ATTEMPTS": "0", "ERROR_CODE": "NO_PERMISSIONS"}
    ((body, attributes),) = place.received(place.dead)
    assert body == event and attributes.pop("ERROR_MESSAGE") and attributes == about
    assert place.received(place.url) == []


@pytest.mark.parametrize("statement", [{"Principal": "*"}, {"Action": "SQS:*", "Resource": "*"}, {"Condition": {}}])
def test_other_statements_that_allow_the_delivery(account, statement):
    place = Place(account, **statement)
    place.put()
    assert len(place.received(place.url)) == 1


def test_without_the_queue_an_event_goes_to_the_dead_letter_queue(account):
    place = Place(account)
    place.sqs.delete_queue(QueueUrl=place.url)
    place.put()
    ((_body, attributes),) = place.received(place.dead)
    assert attributes["ERROR_CODE"] == "NO_RESOURCE"


def test_eventbridge_cannot_use_a_key_without_a_policy_for_it(account):
    place = Place(account)
    place.sqs.set_queue_attributes(QueueUrl=place.url, Attributes={"KmsMasterKeyId": "alias/aws/sqs"})
    place.put()
    ((_body, attributes),) = place.received(place.dead)
    assert attributes["ERROR_CODE"] == "NO_PERMISSIONS"


def test_an_event_that_no_queue_accepts_is_lost(account):
    place = Place(account, Effect="Deny")
    place.put()
    assert place.received(place.url) == [] and place.received(place.dead) == []


def test_a_disabled_rule_delivers_nothing(account):
    place = Place(account)
    place.events.disable_rule(Name=place.name)
    place.put()
    assert place.received(place.url) == []


def test_a_delivery_can_be_repeated_and_late(account):
    place = Place(account)
    account.control.settings(event_copies=2)
    with account.held("event_delay_seconds"):
        event = place.put()
        assert place.received(place.url) == []
    until = time.monotonic() + 60
    while len(found := place.received(place.url)) < 2:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert found == [(event, NO_ATTRIBUTES)] * 2


def test_put_events_delivers_once_and_not_as_a_service(account):
    place = Place(account)
    place.events.put_rule(Name=place.name, EventPattern=json.dumps({"source": ["mine"]}))
    entry = {"Source": "mine", "DetailType": "Test", "Detail": '{"a": 1}'}
    answer = place.events.put_events(Entries=[entry, {**entry, "Source": "aws.sagemaker"}, {**entry, "Detail": "{"}])
    codes = [each.get("ErrorCode") for each in answer["Entries"]]
    assert (answer["FailedEntryCount"], codes) == (2, [None, "NotAuthorizedForSourceException", "MalformedDetail"])
    ((body, _attributes),) = place.received(place.url)
    assert (body["id"], body["source"], body["detail"]) == (answer["Entries"][0]["EventId"], "mine", {"a": 1})


def test_a_message_that_is_received_too_often_goes_to_the_dead_letter_queue(account):
    place = Place(account)
    redrive = json.dumps({"deadLetterTargetArn": QUEUE.format(f"{place.name}-dead"), "maxReceiveCount": 3})
    place.sqs.set_queue_attributes(QueueUrl=place.url, Attributes={"RedrivePolicy": redrive})
    event = place.put()
    for _receipt in range(3):
        assert place.received(place.url) == [(event, NO_ATTRIBUTES)] and place.received(place.dead) == []
    assert place.received(place.url) == [] and place.received(place.dead) == [(event, NO_ATTRIBUTES)]
