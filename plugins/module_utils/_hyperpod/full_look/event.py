# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether an event of a cluster is handled, and the wait for the lock of the cluster if it is not."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from ..._core.wait import WaitTimeout
from ..._core.waits import Waits
from ..._lock.model import Locks
from .model import State, handles


@dataclass(frozen=True)
class Seen:
    handled: bool
    full_look: str
    """When the last complete full look began; empty if none is recorded."""
    holder: str = ""
    """The holder of the lock; empty if the lock is free or was not read."""


class EventLook:
    """Reads the record of the last full look, and the lock only if the event is not handled.

    :param token: identifies this run. A lock that this run holds counts as free.
    """

    def __init__(
        self, record: t.Callable[[], State], locks: t.Callable[[], Locks], event: datetime.datetime, token: str | None
    ) -> None:
        self._record, self._locks, self._event, self._token = record, locks, event, token

    def __call__(self) -> Seen:
        look = self._record().look
        since = look.complete if look is not None else ""
        return Seen(True, since) if handles(look, self._event) else Seen(False, since, self._holder())

    def _holder(self) -> str:
        locks = self._locks()
        if locks.holder is None:
            return ""
        number, claim = locks.holder
        return "" if number in locks.gone or claim.token == self._token else claim.owner


def awaited(look: t.Callable[[], Seen], waits: Waits, *, subject: str) -> Seen:
    """The state as soon as the event is handled or the lock is free, or at the end of the timeout."""
    last: list[Seen] = []

    def seen() -> Seen:
        last[:] = [look()]
        return last[0]

    try:
        return waits.until(seen, done=lambda each: not each.holder, subject=subject, state=lambda each: f"held by {each.holder}")
    except WaitTimeout:
        return last[0]
