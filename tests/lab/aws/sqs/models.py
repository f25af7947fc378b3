# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The queues of an account.

Settings: ``queue_rest_seconds`` (0.3), how long the name of a deleted queue cannot be used again, 60 on AWS; ``queue_lag_seconds`` (0),
how long GetQueueAttributes returns the attributes before a change.
"""

from __future__ import annotations

import threading
import time
import typing as t

from moto.sqs.models import Message, Queue, SQSBackend

from ..action import Refusal
from ..delays import Delay
from .attributes import check


class Queues(SQSBackend):
    """moto's backend with checks of attributes, and with one operation on messages at a time: moto loses messages that arrive during a
    deletion.
    """

    def __init__(self, region_name: str, account_id: str) -> None:
        super().__init__(region_name, account_id)
        self.one = threading.RLock()
        self.deleted: dict[str, Delay] = {}
        self.before: dict[str, tuple[Delay, dict[str, t.Any]]] = {}

    def create_queue(self, name: str, tags: dict[str, str] | None = None, **attributes: t.Any) -> Queue:
        check(attributes, self.account_id)
        if name in self.deleted and not self.deleted[name].is_over:
            text = "You must wait 60 seconds after deleting a queue before you can create another with the same name."
            raise Refusal("AWS.SimpleQueueService.QueueDeletedRecently", text)
        return super().create_queue(name, tags, **attributes)

    def delete_queue(self, queue_name: str) -> None:
        super().delete_queue(queue_name)
        self.before.pop(queue_name, None)
        self.deleted[queue_name] = Delay("queue_rest_seconds")

    def set_queue_attributes(self, queue_name: str, attributes: dict[str, t.Any]) -> Queue:
        """An omitted policy is unchanged; moto removes it."""
        check(attributes, self.account_id)
        queue = self.get_queue(queue_name)
        self.before[queue_name] = (Delay("queue_lag_seconds"), queue.attributes)
        return super().set_queue_attributes(queue_name, {"Policy": queue.policy, **attributes})

    def get_queue_attributes(self, queue_name: str, attribute_names: list[str]) -> dict[str, t.Any]:
        found, (delay, before) = super().get_queue_attributes(queue_name, attribute_names), self.before.get(queue_name, (None, {}))
        if delay is None or delay.is_over:
            return found
        names = before if "All" in attribute_names else attribute_names
        return {name: before[name] for name in names if name in before}

    def send_message(self, *arguments: t.Any, **named: t.Any) -> Message:
        with self.one:
            return super().send_message(*arguments, **named)

    def delete_message(self, queue_name: str, receipt_handle: str) -> None:
        with self.one:
            super().delete_message(queue_name, receipt_handle)

    def receive_message(self, queue_name: str, count: int, wait_seconds_timeout: int, *others: t.Any) -> list[Message]:
        until = time.monotonic() + wait_seconds_timeout
        while True:
            with self.one:
                found = super().receive_message(queue_name, count, 0, *others)
            left = until - time.monotonic()
            if found or left <= 0:
                return found
            self.get_queue(queue_name).wait_for_messages(min(left, 1))  # type: ignore[arg-type]
