# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of queues. SQS's Developer Guide, sqs-available-cloudwatch-metrics."""

from __future__ import annotations

import time
import typing as t

from .. import cloud

NAMESPACE, DIMENSION = "AWS/SQS", "QueueName"
RECEIPTS = 3
"""A message that was received more often does not count as the oldest one."""


def value(account: str, region: str, metric: t.Mapping[str, t.Any]) -> float | None:
    """The current value of a metric; None if it is not one of a queue or has no data."""
    from moto.sqs.models import sqs_backends

    named = {each["Name"]: each["Value"] for each in metric.get("Dimensions", ())}
    of = METRICS.get(metric.get("MetricName", ""))
    if metric.get("Namespace") != NAMESPACE or of is None or named.keys() != {DIMENSION} or not cloud.current().settings["queue_metrics"]:
        return None
    queue = sqs_backends[account][region].queues.get(named[DIMENSION])
    return of(queue) if queue is not None else None


def _visible(queue: t.Any) -> float:
    return float(len(queue.messages))


def _age(queue: t.Any) -> float | None:
    counted = [each for each in list(queue._messages) if each.approximate_receive_count <= RECEIPTS]
    if not counted:
        return None
    oldest = min(each.sent_timestamp for each in counted) / 1000
    return max(time.time() - oldest, 0) + cloud.current().settings["message_age_seconds"]


METRICS: dict[str, t.Callable[[t.Any], float | None]] = {"ApproximateAgeOfOldestMessage": _age, "ApproximateNumberOfMessagesVisible": _visible}
