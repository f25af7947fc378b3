# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Ends sessions through the login manager. After a grace period, kills their remaining processes. Standard library only."""

from __future__ import annotations

import os
import signal
import time

from ...._core.plan import Step
from ...system import run
from .model import State
from .observe import processes

GRACE, LIMIT, _PAUSE = 5.0, 15.0, 0.2


def apply(step: Step) -> None:
    wanted: State = step.arguments["sessions"]
    known = [each.id for each in wanted if not each.id.startswith("pid-")]
    for session_id in known:
        run(["loginctl", "terminate-session", session_id], check=False)
    alone = {pid for each in wanted if each.id.startswith("pid-") for pid in each.pids}
    for pid in alone:
        _send(pid, signal.SIGTERM)
    started = time.monotonic()
    while time.monotonic() - started < LIMIT:
        left = [each.pid for each in processes() if each.session in known or each.pid in alone]
        if not left:
            return
        if time.monotonic() - started > GRACE:
            for pid in left:
                _send(pid, signal.SIGKILL)
        time.sleep(_PAUSE)


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
