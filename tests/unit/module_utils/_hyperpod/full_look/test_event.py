# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wait for the lock of a cluster, before an event is handled."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.event import EventLook, Seen, awaited
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.model import FullLook, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.model import Claim, Locks

NOON = datetime.datetime(2026, 11, 22, 12, 0, tzinfo=datetime.timezone.utc)
BEFORE, AFTER = "2026-11-22T11:59:59Z", "2026-11-22T12:00:05Z"
FREE, HELD = Locks("/lock", NOON), "held"
SUBJECT = "the lock of cluster abc123def456"


def held(token: str = "a", gone: t.Collection[int] = ()) -> Locks:
    run = {"owner": "ops", "token": token, "host": "bastion", "place": "", "pid": 0, "started": ""}
    claim = Claim(**run, acquired="2026-11-22T11:50:00Z", expires="2026-11-22T12:50:00Z")
    return Locks("/lock", NOON, ((3, claim),), frozenset(gone))


class Story:
    """Successive replies: the time of the last complete look, and the lock, each for a poll. The last one stays."""

    def __init__(self, *polls: tuple[str, Locks]) -> None:
        self.polls, self.reads, self.slept = list(polls), [], 0.0

    def record(self) -> State:
        self.reads.append("record")
        return State(FullLook(BEFORE, False, complete=self.polls[0][0]), True)

    def locks(self) -> Locks:
        self.reads.append("lock")
        return self.polls[0][1]

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self.polls = self.polls[1:] or self.polls

    def awaited(self) -> Seen:
        waits = Waits(timeout=60, interval=5, clock=Clock(lambda: self.slept, self.sleep, lambda: 0.0))
        return awaited(EventLook(self.record, self.locks, NOON, "ours"), waits, subject=SUBJECT)


def test_a_handled_event_costs_one_read():
    story = Story((AFTER, held()))
    assert story.awaited() == Seen(True, AFTER)
    assert story.reads == ["record"]


@pytest.mark.parametrize("locks", [FREE, held("ours"), held(gone=(3,))], ids=["free", "ours", "of a run that has ended"])
def test_a_free_lock_needs_no_wait(locks):
    story = Story((BEFORE, locks))
    assert story.awaited() == Seen(False, BEFORE) and not story.slept


def test_the_run_that_holds_the_lock_may_have_read_the_nodes_before_the_event():
    assert Story((BEFORE, held()), (BEFORE, held()), (BEFORE, FREE)).awaited() == Seen(False, BEFORE)


def test_the_run_that_holds_the_lock_may_handle_the_event():
    assert Story((BEFORE, held()), (AFTER, FREE)).awaited() == Seen(True, AFTER)


def test_the_wait_ends_with_the_holder():
    story = Story(("", held()))
    assert story.awaited() == Seen(False, "", "ops")
    assert story.slept == 60
