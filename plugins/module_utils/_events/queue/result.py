# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of a queue."""

from __future__ import annotations

import typing as t

from .model import Desired, Queue, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    if state.queue is None:
        return {"event_queue": {"exists": False, "name": desired.name}}
    return {"event_queue": {"exists": True, "name": desired.name, **to_result(state.queue)}}


def to_result(queue: Queue) -> dict[str, t.Any]:
    return {"queue_arn": queue.arn, "queue_url": queue.url, **queue.settings.to_result(), "tags": dict(queue.tags)}
