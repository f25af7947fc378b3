# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads whether events arrive and are received: the rule, the queue, its dead-letter queue and the age of the oldest message.

Unread values are None. A rule or a queue that does not exist is reported as such.
"""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass, field

from .._aws.client import Api, AwsError
from .queue.observe import NOT_FOUND as NO_QUEUE, attributes
from .rule.apply import NOT_FOUND as NO_RULE
from .rule.model import ENABLED, TARGET_ID

T = t.TypeVar("T")
AGE_METRIC = "ApproximateAgeOfOldestMessage"
PERIOD = 60
"""Seconds between two values of SQS."""
LOOK_BACK = datetime.timedelta(minutes=15)
"""SQS returns values late, and for a queue without activity after up to 15 minutes."""


@dataclass(frozen=True)
class Rule:
    exists: bool | None = None
    enabled: bool | None = None
    queue_arn: str | None = None
    """The target's ARN. Empty if the rule does not have our target."""


@dataclass(frozen=True)
class Queue:
    name: str
    exists: bool | None = None
    arn: str | None = None
    messages: int | None = None
    """About, as SQS counts them. Messages that a program has received but not deleted are included."""


@dataclass(frozen=True)
class Status:
    rule: Rule
    queue: Queue
    dead: Queue
    age: int | None = None
    """Seconds; None also if CloudWatch has no value."""
    problems: t.Mapping[str, str] = field(default_factory=dict)
    """Parts that could not be read, with the reason."""

    def to_result(self) -> dict[str, t.Any]:
        rule = {"exists": self.rule.exists, "enabled": self.rule.enabled, "queue_arn": self.rule.queue_arn}
        return {
            "name": self.queue.name,
            "active": self.active,
            "rule": rule,
            "queue": {"exists": self.queue.exists, "messages": self.queue.messages, "oldest_message_age": self.age},
            "dead_letter_queue": {"name": self.dead.name, "exists": self.dead.exists, "messages": self.dead.messages},
            "problems": [{"part": part, "reason": reason} for part, reason in self.problems.items()],
        }

    @property
    def active(self) -> bool | None:
        """Whether events reach the queue: the rule is enabled, and its target is the queue, which exists."""
        if self.rule.exists is None or self.queue.exists is None:
            return None
        return bool(self.queue.exists and self.rule.enabled and self.rule.queue_arn == self.queue.arn)


class Reader:
    """Reads each part. A part that cannot be read does not prevent the others from being read."""

    def __init__(self, events: Api, sqs: Api, cloudwatch: Api, *, now: datetime.datetime) -> None:
        self._events = events
        self._sqs = sqs
        self._cloudwatch = cloudwatch
        self._now = now
        self.problems: dict[str, str] = {}

    def status(self, name: str, dead: str) -> Status:
        rule = self._tried("rule", lambda: self._rule(name), Rule())
        queue = self._tried("queue", lambda: self._queue(name), Queue(name))
        letters = self._tried("dead-letter queue", lambda: self._queue(dead), Queue(dead))
        age = self._tried("age of the oldest message", lambda: self._age(name), None) if queue.exists else None
        return Status(rule, queue, letters, age, self.problems)

    def _tried(self, part: str, read: t.Callable[[], T], otherwise: T) -> T:
        try:
            return read()
        except AwsError as error:
            self.problems[part] = str(error)
            return otherwise

    def _rule(self, name: str) -> Rule:
        about = f"event rule {name}"
        try:
            found = self._events.call("DescribeRule", about=about, Name=name)
            targets = self._events.pages("ListTargetsByRule", "Targets", about=about, Rule=name)
        except AwsError as error:
            if error.code == NO_RULE:
                return Rule(exists=False)
            raise
        target = next((each["Arn"] for each in targets if each["Id"] == TARGET_ID), "")
        return Rule(True, found.get("State") == ENABLED, target)

    def _queue(self, name: str) -> Queue:
        about = f"queue {name}"
        try:
            url = self._sqs.call("GetQueueUrl", about=about, QueueName=name)["QueueUrl"]
            found = attributes(self._sqs, url, about=about)
        except AwsError as error:
            if error.code in NO_QUEUE:
                return Queue(name, exists=False)
            raise
        counted = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
        return Queue(name, True, found["QueueArn"], sum(int(found.get(each, 0)) for each in counted))

    def _age(self, name: str) -> int | None:
        metric = {"Namespace": "AWS/SQS", "MetricName": AGE_METRIC, "Dimensions": [{"Name": "QueueName", "Value": name}]}
        answer = self._cloudwatch.call(
            "GetMetricData",
            about=f"queue {name}",
            MetricDataQueries=[{"Id": "age", "MetricStat": {"Metric": metric, "Period": PERIOD, "Stat": "Maximum"}}],
            StartTime=self._now - LOOK_BACK,
            EndTime=self._now,
            ScanBy="TimestampDescending",
        )
        values = [value for each in answer.get("MetricDataResults", ()) for value in each.get("Values", ())]
        return int(values[0]) if values else None
