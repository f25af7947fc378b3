# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of queues by boto3 against the simulator."""

from __future__ import annotations

import datetime
import itertools
import typing as t

NUMBERS = itertools.count()
AGE, VISIBLE = "ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesVisible"


class Place:
    """A queue and its metrics."""

    def __init__(self, account: t.Any) -> None:
        self.account, self.sqs, self.name = account, account.client("sqs"), f"measured-{next(NUMBERS)}"
        self.cloudwatch = account.client("cloudwatch")
        self.url = self.sqs.create_queue(QueueName=self.name, Attributes={"VisibilityTimeout": "0"})["QueueUrl"]

    def send(self) -> None:
        self.sqs.send_message(QueueUrl=self.url, MessageBody="x")

    def read(self, *metrics: str, minutes: int = 10, **more: t.Any) -> dict[str, list[float]]:
        until = datetime.datetime.now(datetime.timezone.utc)
        queries = [{"Id": f"m{number}", "MetricStat": self.statistic(name, **more)} for number, name in enumerate(metrics)]
        since = until - datetime.timedelta(minutes=minutes)
        answer = self.cloudwatch.get_metric_data(StartTime=since, EndTime=until, MetricDataQueries=queries)
        assert all(since <= moment < until for each in answer["MetricDataResults"] for moment in each["Timestamps"])
        return {metrics[int(each["Id"][1:])]: each["Values"] for each in answer["MetricDataResults"]}

    def statistic(self, name: str, namespace: str = "AWS/SQS", **dimensions: str) -> dict[str, t.Any]:
        named = [{"Name": key, "Value": value} for key, value in (dimensions or {"QueueName": self.name}).items()]
        return {"Metric": {"Namespace": namespace, "MetricName": name, "Dimensions": named}, "Period": 60, "Stat": "Maximum"}


def test_an_empty_queue_has_no_oldest_message(account):
    assert Place(account).read(AGE, VISIBLE) == {AGE: [], VISIBLE: [0, 0]}


def test_the_age_and_the_number_of_messages(account):
    place = Place(account)
    account.control.settings(message_age_seconds=7200)
    place.send()
    place.send()
    (age, _before), counts = place.read(AGE, VISIBLE).values()
    assert 7200 <= age < 7260 and counts == [2, 2]


def test_a_message_that_was_received_often_does_not_count_as_the_oldest_one(account):
    place = Place(account)
    place.send()
    for _receipt in range(3):
        assert place.sqs.receive_message(QueueUrl=place.url)["Messages"]
    assert place.read(AGE)[AGE]
    assert place.sqs.receive_message(QueueUrl=place.url)["Messages"]
    assert place.read(AGE, VISIBLE) == {AGE: [], VISIBLE: [1, 1]}


def test_metrics_without_data(account):
    place = Place(account)
    place.send()
    for more in ({"QueueName": "missing"}, {"namespace": "AWS/SNS"}, {"QueueName": place.name, "Other": "x"}):
        assert place.read(AGE, VISIBLE, **more) == {AGE: [], VISIBLE: []}
    assert place.read("NumberOfMessagesSent") == {"NumberOfMessagesSent": []}
    account.control.settings(queue_metrics=False)
    assert place.read(AGE, VISIBLE) == {AGE: [], VISIBLE: []}


def test_the_call_log_has_the_read(account):
    place = Place(account)
    account.control.reset_calls()
    place.read(AGE)
    (call,) = account.control.calls(service="cloudwatch")
    assert (call["operation"], call["kind"], call["problems"]) == ("GetMetricData", "read", [])
