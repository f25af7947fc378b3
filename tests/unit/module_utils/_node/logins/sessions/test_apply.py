# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan and the steps that end sessions."""

from __future__ import annotations

import os
import subprocess

import pytest
from alone import alone
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.apply import apply
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.model import Desired, Session
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.plan import plan


def session(user: str = "alice", number: str = "12", pids: tuple[int, ...] = (1,)) -> Session:
    return Session(number, user, 20001, "active", "2026-11-21T00:00:00Z", "", "", (), pids)


@pytest.mark.parametrize("end, sessions, changes", [(False, 2, 0), (True, 2, 2), (True, 0, 0)])
def test_sessions_are_deleted_if_they_must_end(end, sessions, changes):
    seen = tuple(session(number=str(number)) for number in range(sessions))
    made = plan(Desired(end, "", ""), seen)
    assert len(made.changes) == changes
    assert made.after(seen) == (() if end else seen)
    assert {change.action for change in made.changes} <= {"delete"}


@alone
def test_a_login_without_a_login_manager_is_ended():
    sleeper, other = (subprocess.Popen(["sleep", "60"]) for _number in range(2))
    (step,) = plan(Desired(True, "", ""), (session(number=f"pid-{sleeper.pid}", pids=(sleeper.pid,)),)).steps
    # An ended child stays in /proc until its parent waits for it, so another process applies the step.
    waiter = os.fork()
    if waiter == 0:
        apply(step)
        os._exit(0)
    assert sleeper.wait(timeout=20) == -15
    assert os.waitpid(waiter, 0)[1] == 0
    assert other.poll() is None
