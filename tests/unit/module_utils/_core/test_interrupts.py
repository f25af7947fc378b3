# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals that end a process become a failure, once."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.interrupts import ENDING, Interrupted, Interrupts


@pytest.mark.parametrize("number", ENDING)
def test_the_first_signal_is_a_failure_and_later_ones_are_not(number: signal.Signals) -> None:
    before, interrupts = signal.getsignal(number), Interrupts()
    with interrupts.caught():
        with pytest.raises(Interrupted, match=f"interrupted by {number.name}"), interrupts.awaited():
            os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_only_waiting_is_interrupted() -> None:
    interrupts, done = Interrupts(), []
    with interrupts.caught():
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGHUP)
        done.append("removed")
        with pytest.raises(Interrupted, match="SIGTERM"), interrupts.awaited():
            done.append("waited")
    assert done == ["removed"]


def test_other_threads_leave_signals_alone() -> None:
    before, seen = signal.getsignal(signal.SIGTERM), []

    def body() -> None:
        with Interrupts().caught():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert seen == [before]
