# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The return values of a queue."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.model import Desired, Queue, Redrive, Settings, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.result import result


def test_a_missing_queue_and_a_queue() -> None:
    assert result(Desired("events"), State()) == {"event_queue": {"exists": False, "name": "events"}}
    queue = Queue("url", "arn", Settings({"a": "b"}, Redrive("dead", 3), 60, 20), {"t": "u"})
    assert result(Desired("events"), State(queue))["event_queue"] == {
        "exists": True,
        "name": "events",
        "queue_arn": "arn",
        "queue_url": "url",
        "policy": {"a": "b"},
        "dead_letter_queue_arn": "dead",
        "max_receive_count": 3,
        "message_retention_period": 60,
        "receive_wait_time": 20,
        "encryption": "sqs",
        "tags": {"t": "u"},
    }
    without = result(Desired("events"), State(Queue("url")))["event_queue"]
    assert (without["policy"], without["dead_letter_queue_arn"], without["max_receive_count"]) == ({}, "", None)
