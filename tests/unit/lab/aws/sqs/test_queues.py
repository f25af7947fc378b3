# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues by boto3 against the simulator."""

from __future__ import annotations

import itertools
import json

import pytest
from refusals import code

NAMES = (f"queue-{number}" for number in itertools.count())
OWNER = "111111111111"
POLICY = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage", "Resource": "*"}]})


class Place:
    """A queue and its client."""

    def __init__(self, account, **attributes) -> None:
        self.sqs, self.name = account.client("sqs"), next(NAMES)
        self.url = self.sqs.create_queue(QueueName=self.name, Attributes=attributes)["QueueUrl"]

    @property
    def attributes(self) -> dict[str, str]:
        return self.sqs.get_queue_attributes(QueueUrl=self.url, AttributeNames=["All"])["Attributes"]

    def received(self, **more) -> list[str]:
        return [each["Body"] for each in self.sqs.receive_message(QueueUrl=self.url, **more).get("Messages", [])]


def test_a_change_of_one_attribute_keeps_the_policy(account):
    place = Place(account, Policy=POLICY)
    place.sqs.set_queue_attributes(QueueUrl=place.url, Attributes={"VisibilityTimeout": "45"})
    assert place.attributes["VisibilityTimeout"] == "45" and json.loads(place.attributes["Policy"]) == json.loads(POLICY)
    place.sqs.set_queue_attributes(QueueUrl=place.url, Attributes={"Policy": ""})
    assert "Policy" not in place.attributes


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"VisibilityTimeout": "43201"}, "InvalidAttributeValue"),
        ({"MessageRetentionPeriod": "59"}, "InvalidAttributeValue"),
        ({"DelaySeconds": "soon"}, "InvalidAttributeValue"),
        ({"Policy": "{"}, "InvalidAttributeValue"),
        ({"RedrivePolicy": "[]"}, "InvalidAttributeValue"),
        ({"QueueArn": "arn:aws:sqs:us-west-2:111111111111:other"}, "InvalidAttributeName"),
    ],
)
def test_refused_attributes(account, attributes, expected):
    """https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html"""
    place = Place(account)
    assert code(place.sqs.create_queue, QueueName=next(NAMES), Attributes=attributes) == expected
    before = place.attributes
    assert code(place.sqs.set_queue_attributes, QueueUrl=place.url, Attributes=attributes) == expected
    assert place.attributes == before


def test_a_missing_queue(account):
    missing = Place(account).url + "-missing"
    sqs = account.client("sqs")
    for call, arguments in (
        (sqs.get_queue_url, {"QueueName": "missing"}),
        (sqs.get_queue_attributes, {"QueueUrl": missing}),
        (sqs.receive_message, {"QueueUrl": missing}),
        (sqs.delete_queue, {"QueueUrl": missing}),
    ):
        assert code(call, **arguments) == "AWS.SimpleQueueService.NonExistentQueue"


def test_the_name_of_a_deleted_queue_rests(account):
    """https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteQueue.html"""
    place = Place(account)
    with account.held("queue_rest_seconds"):
        place.sqs.delete_queue(QueueUrl=place.url)
        assert code(place.sqs.create_queue, QueueName=place.name) == "AWS.SimpleQueueService.QueueDeletedRecently"
    account.control.settings(queue_rest_seconds=0)
    assert place.sqs.create_queue(QueueName=place.name)["QueueUrl"] == place.url


def test_attributes_change_late(account):
    place = Place(account)
    with account.held("queue_lag_seconds"):
        place.sqs.set_queue_attributes(QueueUrl=place.url, Attributes={"VisibilityTimeout": "45"})
        assert place.attributes["VisibilityTimeout"] == "30"
    assert place.attributes["VisibilityTimeout"] == "45"


def test_a_request_that_breaks_the_model_is_refused(account):
    sqs = account.client("sqs", parameter_validation=False)
    assert code(sqs.create_queue) == "ValidationException"


def test_the_call_log_has_the_requests(account):
    place = Place(account)
    account.control.reset_calls()
    place.attributes  # noqa: B018 - a request
    place.sqs.send_message(QueueUrl=place.url, MessageBody="x")
    calls = [(call["operation"], call["kind"]) for call in account.control.calls(service="sqs")]
    assert calls == [("GetQueueAttributes", "read"), ("SendMessage", "write")] and account.control.problems() == []


def test_answers_to_batches_lack_empty_lists(account):
    """https://github.com/aws/aws-sdk/issues/657"""
    place = Place(account)
    account.control.reset_calls()
    sent = place.sqs.send_message_batch(QueueUrl=place.url, Entries=[{"Id": "a", "MessageBody": "x"}])
    (message,) = place.sqs.receive_message(QueueUrl=place.url)["Messages"]
    entries = [{"Id": "a", "ReceiptHandle": message["ReceiptHandle"]}]
    deleted = place.sqs.delete_message_batch(QueueUrl=place.url, Entries=entries)
    refused = place.sqs.delete_message_batch(QueueUrl=place.url, Entries=[{"Id": "a", "ReceiptHandle": "other"}])
    answers = [{"Failed", "Successful"} & answer.keys() for answer in (sent, deleted, refused)]
    assert answers == [{"Successful"}, {"Successful"}, {"Failed"}] and account.control.problems() == []


def test_injected_faults(account):
    place = Place(account)
    for kind, expected in (("throttle", "RequestThrottled"), ("deny", "AccessDenied"), ("error500", "InternalServerError")):
        account.control.faults({"kind": kind, "service": "sqs", "operation": "ReceiveMessage", "times": 1})
        assert code(place.sqs.receive_message, QueueUrl=place.url) == expected
    assert place.received() == []
