# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of events: values that are zero, unknown, or about a queue that does not exist."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.status import Queue, Reader, Rule, Status

NOW = datetime.datetime(2026, 6, 1, 12, 0, tzinfo=datetime.timezone.utc)
URL = "https://sqs.us-west-2.amazonaws.com/111111111111/events"
ARN = "arn:aws:sqs:us-west-2:111111111111:events"
NO_QUEUE = "AWS.SimpleQueueService.NonExistentQueue"
RULE = {"Arn": "arn:aws:events:us-west-2:111111111111:rule/events", "State": "ENABLED"}


class World:
    """Stubbed services that answer in order."""

    def __init__(self, stubbed: t.Any) -> None:
        (events, self.events), (sqs, self.sqs), (cloudwatch, self.cloudwatch) = (stubbed(each) for each in ("events", "sqs", "cloudwatch"))
        self.reader = Reader(Api(events), Api(sqs), Api(cloudwatch), now=NOW)

    def has_rule(self, *targets: dict[str, str], state: str = "ENABLED") -> None:
        self.events.add_response("describe_rule", {**RULE, "State": state}, {"Name": "events"})
        self.events.add_response("list_targets_by_rule", {"Targets": [*targets]} if targets else {}, {"Rule": "events"})

    def has_queue(self, name: str = "events", *, messages: int = 0, received: int = 0) -> None:
        counts = {"ApproximateNumberOfMessages": str(messages), "ApproximateNumberOfMessagesNotVisible": str(received)}
        self.sqs.add_response("get_queue_url", {"QueueUrl": URL}, {"QueueName": name})
        self.sqs.add_response("get_queue_attributes", {"Attributes": {"QueueArn": ARN, **counts}}, {"QueueUrl": URL, "AttributeNames": ["All"]})

    def has_age(self, *values: float) -> None:
        metric = {"Namespace": "AWS/SQS", "MetricName": "ApproximateAgeOfOldestMessage", "Dimensions": [{"Name": "QueueName", "Value": "events"}]}
        request = {
            "MetricDataQueries": [{"Id": "age", "MetricStat": {"Metric": metric, "Period": 60, "Stat": "Maximum"}}],
            "StartTime": NOW - datetime.timedelta(minutes=15),
            "EndTime": NOW,
            "ScanBy": "TimestampDescending",
        }
        self.cloudwatch.add_response("get_metric_data", {"MetricDataResults": [{"Id": "age", "Values": [*values]}]}, request)

    def status(self) -> Status:
        return self.reader.status("events", "events-dead")


@pytest.fixture
def world(stubbed: t.Any) -> World:
    return World(stubbed)


def test_the_newest_age_and_all_messages_count(world: World) -> None:
    world.has_rule({"Id": "other", "Arn": "x"}, {"Id": "queue", "Arn": ARN})
    world.has_queue(messages=2, received=1)
    world.has_queue("events-dead", messages=4)
    world.has_age(61.0, 500.0)
    assert world.status() == Status(Rule(True, True, ARN), Queue("events", True, ARN, 3), Queue("events-dead", True, ARN, 4), 61)


def test_zero_is_not_unknown(world: World) -> None:
    world.has_rule({"Id": "queue", "Arn": ARN})
    world.has_queue()
    world.has_queue("events-dead")
    world.has_age()
    found = world.status().to_result()
    assert found["queue"] == {"exists": True, "messages": 0, "oldest_message_age": None} and found["problems"] == []
    assert found["dead_letter_queue"] == {"name": "events-dead", "exists": True, "messages": 0} and found["active"] is True


def test_nothing_exists(world: World) -> None:
    world.events.add_client_error("describe_rule", "ResourceNotFoundException")
    world.sqs.add_client_error("get_queue_url", NO_QUEUE)
    world.sqs.add_client_error("get_queue_url", NO_QUEUE)
    found = world.status().to_result()
    assert found["rule"] == {"exists": False, "enabled": None, "queue_arn": None} and found["active"] is False
    assert found["queue"] == {"exists": False, "messages": None, "oldest_message_age": None}
    assert found["dead_letter_queue"]["exists"] is False and found["problems"] == []


def test_nothing_can_be_read(world: World) -> None:
    world.events.add_client_error("describe_rule", "AccessDeniedException")
    world.sqs.add_client_error("get_queue_url", "AccessDenied")
    world.sqs.add_client_error("get_queue_url", "AccessDenied")
    found = world.status().to_result()
    assert [each["part"] for each in found["problems"]] == ["rule", "queue", "dead-letter queue"]
    assert "DescribeRule for event rule events failed" in found["problems"][0]["reason"]
    assert (found["active"], found["rule"]["exists"], found["queue"]["exists"], found["dead_letter_queue"]["messages"]) == (None,) * 4


def test_an_unknown_age_does_not_hide_the_messages(world: World) -> None:
    world.has_rule({"Id": "queue", "Arn": ARN})
    world.has_queue(messages=7)
    world.has_queue("events-dead")
    world.cloudwatch.add_client_error("get_metric_data", "AccessDenied")
    found = world.status().to_result()
    assert found["queue"] == {"exists": True, "messages": 7, "oldest_message_age": None}
    assert [each["part"] for each in found["problems"]] == ["age of the oldest message"]


@pytest.mark.parametrize(
    ("rule", "queue", "active"),
    [
        (Rule(True, True, ARN), Queue("a", True, ARN), True),
        (Rule(True, False, ARN), Queue("a", True, ARN), False),
        (Rule(True, True, ""), Queue("a", True, ARN), False),
        (Rule(True, True, "other"), Queue("a", True, ARN), False),
        (Rule(True, True, ARN), Queue("a", False), False),
        (Rule(False), Queue("a", True, ARN), False),
        (Rule(False), Queue("a", False), False),
        (Rule(), Queue("a", True, ARN), None),
        (Rule(True, True, ARN), Queue("a"), None),
    ],
)
def test_events_are_active_only_if_they_reach_the_queue(rule: Rule, queue: Queue, active: bool | None) -> None:
    assert Status(rule, queue, Queue("dead")).active is active
