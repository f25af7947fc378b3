# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps and findings for the jobs and accounting entries of a removed user."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.model import Desired, Job, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.result import going_on, waiting

RUNNING = Job("12", "RUNNING", "dev", "ip-10-1-1-21", "train|all")
WAITING = Job("13_[1-4]", "PENDING", "dev", "", "sweep")
ENDING = Job("11", "COMPLETING", "dev", "ip-10-1-1-21", "old")


def desired(*, cancel: bool = False) -> Desired:
    return Desired("mallory", 20003, cancel, 60)


@pytest.mark.parametrize(
    "state, cancel, steps, pending, notes",
    [
        (State(), True, [], 0, 0),
        (State((RUNNING, WAITING)), False, [], 0, 1),
        (State((RUNNING, WAITING)), True, [("cancel_jobs", 2)], 0, 0),
        (State((ENDING,)), True, [], 0, 0),
        (State((), "present", ("research",)), False, [("forget_user", 1)], 0, 0),
        (State((), "absent"), True, [], 0, 0),
        (State((RUNNING,), "present", ("research",)), False, [], 1, 1),
        (State((ENDING,), "present", ("research",)), False, [], 1, 0),
        (State((RUNNING,), "present", ("research",)), True, [("cancel_jobs", 1), ("forget_user", 1)], 0, 0),
        (State((), "unknown", (), ("It is silent.",)), True, [], 1, 0),
    ],
)
def test_steps_and_findings_depend_on_the_state(state: State, cancel: bool, steps: list, pending: int, notes: int) -> None:
    wanted = desired(cancel=cancel)
    made = plan(wanted, state)
    after = made.after(state)
    assert [(step.operation, len(step.changes)) for step in made.steps] == steps
    assert len(waiting(wanted, after)) == pending
    assert len(going_on(wanted, after)) == notes
    assert not plan(wanted, after)
