# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages that are sent, received and deleted at the same time."""

from __future__ import annotations

import threading
import typing as t

from lab.aws.sqs.models import Queues

WAIT = 0.3


class Watched(list[t.Any]):
    """Messages; ``meanwhile`` runs in another thread once the list has been read, and ``WAIT`` seconds are enough for it."""

    def __init__(self, messages: t.Iterable[t.Any], meanwhile: t.Callable[[], t.Any]) -> None:
        super().__init__(messages)
        self.thread = threading.Thread(target=meanwhile)

    def __iter__(self) -> t.Iterator[t.Any]:
        yield from super().__iter__()
        if not self.thread.ident:
            self.thread.start()
            self.thread.join(WAIT)


def test_a_message_that_arrives_during_a_deletion_is_kept() -> None:
    queues = Queues("us-west-2", "111111111111")
    queue = queues.create_queue("busy")
    queues.send_message("busy", "first")
    (first,) = queues.receive_message("busy", 1, 0, 30)
    queue._messages = messages = Watched(queue._messages, lambda: queues.send_message("busy", "second"))
    queues.delete_message("busy", str(first.receipt_handle))
    messages.thread.join()
    assert [each.body for each in queues.receive_message("busy", 10, 0, 30)] == ["second"]


def test_a_receiver_waits_for_a_message() -> None:
    queues = Queues("us-west-2", "111111111111")
    queues.create_queue("idle")
    received: list[t.Any] = []
    receiver = threading.Thread(target=lambda: received.extend(queues.receive_message("idle", 1, 20, 30)))
    receiver.start()
    queues.send_message("idle", "late")
    receiver.join()
    assert [each.body for each in received] == ["late"]
