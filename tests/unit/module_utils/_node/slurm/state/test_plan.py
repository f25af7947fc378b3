# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether Slurm's state is saved or restored, or Slurm is only started."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.model import (
    RESTORED,
    SAVED,
    Desired,
    Saved,
    Slurm,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.result import result

FOLDER = "/fsx/.hyperpod_slurm_state/ml"
BOTH = Slurm("/var/spool/slurmctld", "slurm", "slurm_acct_db")
WAITS = Saved("a1", "2026-11-24T01:02:03Z", BOTH, {"state.tar": "0", "accounting.sql": "1"})
TO_SAVE, TO_RESTORE = Desired(SAVED, FOLDER, 60), Desired(RESTORED, FOLDER, 60)


def operations(desired: Desired, state: State) -> list[str]:
    return [step.operation for step in plan(desired, state).steps]


def test_state_on_the_disk_of_the_controller_is_saved_once() -> None:
    made = plan(TO_SAVE, State(BOTH, None))
    (change,) = made.changes
    assert change.after == f"stopped, and jobs and nodes and accounting saved in {FOLDER}"
    assert [step.arguments for step in made.steps] == [{"slurm": BOTH}]
    assert operations(TO_SAVE, State(BOTH, WAITS, here="a1", running=False)) == []


def test_a_slurm_that_ran_since_then_is_saved_again() -> None:
    assert operations(TO_SAVE, State(BOTH, WAITS, here="a1", running=True)) == ["save"]


def test_an_obstacle_is_a_failure_before_slurm_is_stopped() -> None:
    with pytest.raises(Failure, match=r"Slurm's state \(jobs and nodes and accounting\) cannot be saved\. /fsx: closed\."):
        plan(TO_SAVE, State(BOTH, None, obstacle="/fsx: closed."))
    assert operations(TO_SAVE, State(BOTH, WAITS, here="a1", running=False, obstacle="/fsx: closed.")) == []


def test_state_on_other_hosts_is_not_saved() -> None:
    assert operations(TO_SAVE, State(Slurm(), None, obstacle="/fsx: closed.")) == []
    (change,) = plan(TO_SAVE, State(Slurm(database="slurm_acct_db"), None)).changes
    assert change.after == f"stopped, and accounting saved in {FOLDER}"


def test_a_state_that_waits_is_not_overwritten() -> None:
    with pytest.raises(Refused, match="has Slurm's state of 2026-11-24T01:02:03Z, which was not restored"):
        plan(TO_SAVE, State(BOTH, WAITS))


def test_a_slurm_that_does_not_answer_cannot_be_saved() -> None:
    with pytest.raises(Failure, match="slurmctld does not respond"):
        plan(TO_SAVE, State(None, None))


def test_a_new_disk_gets_the_saved_state_and_then_nothing_waits() -> None:
    made = plan(TO_RESTORE, State(BOTH, WAITS))
    (step,) = made.steps
    assert step.operation == "restore" and step.arguments == {"slurm": BOTH, "saved": WAITS}
    assert result(State(BOTH, WAITS)) == {"slurm_state": {"waiting": "2026-11-24T01:02:03Z", "unseen": ""}}
    assert result(made.after(State(BOTH, WAITS)))["slurm_state"]["waiting"] == ""


def test_the_current_settings_count_and_the_saved_ones_only_without_an_answer() -> None:
    other = Slurm("/var/lib/slurm", "slurm", "slurm_acct_db")
    assert plan(TO_RESTORE, State(other, WAITS)).steps[0].arguments["slurm"] == other
    assert plan(TO_RESTORE, State(None, WAITS)).steps[0].arguments["slurm"] == BOTH


@pytest.mark.parametrize("now", [Slurm("/var/spool/slurmctld"), Slurm(database="slurm_acct_db"), Slurm()])
def test_a_saved_state_without_a_place_is_a_failure(now: Slurm) -> None:
    with pytest.raises(Failure, match=f"The saved state in {FOLDER} has jobs and nodes and accounting, but"):
        plan(TO_RESTORE, State(now, WAITS))


CHANGES: list[tuple[Desired, State, dict[str, t.Any]]] = [
    (TO_SAVE, State(BOTH, None), {"before": "running", "after": f"stopped, and jobs and nodes and accounting saved in {FOLDER}"}),
    (
        TO_RESTORE,
        State(BOTH, WAITS),
        {"before": "blank", "after": f"jobs and nodes and accounting of 2026-11-24T01:02:03Z from {FOLDER}"},
    ),
    (TO_RESTORE, State(BOTH, None, here="a1", running=False), {"before": "stopped", "after": "running"}),
    (TO_RESTORE, State(BOTH, None, here="a1", running=True), {"before": "running", "after": "running"}),
]


@pytest.mark.parametrize(("wanted", "state", "expected"), CHANGES)
def test_each_operation_is_one_change(wanted: Desired, state: State, expected: dict[str, t.Any]) -> None:
    (change,) = plan(wanted, state).changes
    assert change.to_result() == {"action": "update", "resource": "slurmctld", "field": "state", **expected}


def test_the_state_after_each_operation() -> None:
    unsaved, marked = State(BOTH, None), State(None, WAITS, here="a1", running=False)
    assert plan(TO_SAVE, unsaved).after(unsaved) == unsaved
    started = plan(TO_RESTORE, marked)
    assert started.steps[0].arguments == {"slurm": Slurm()} and started.after(marked) == State(None, None, running=False)
    waits = State(BOTH, WAITS)
    assert plan(TO_RESTORE, waits).after(waits) == State(BOTH, None)


@pytest.mark.parametrize("saved", [None, WAITS])
def test_on_the_saved_disk_slurm_is_only_started(saved: Saved | None) -> None:
    assert operations(TO_RESTORE, State(None, saved, here="a1", running=False)) == ["start"]


def test_without_a_waiting_state_there_is_no_step_and_a_remark_is_a_note() -> None:
    assert operations(TO_RESTORE, State(None, None)) == []
    made = plan(TO_RESTORE, State(None, None, remark="it belongs to alice"))
    assert not made.steps and made.notes == ("it belongs to alice",)


def test_nothing_is_done_while_the_file_system_hangs() -> None:
    hung = State(None, None, here="a1", running=False, unseen="it hangs")
    assert operations(TO_RESTORE, hung) == [] and result(hung)["slurm_state"]["unseen"] == "it hangs"


@pytest.mark.parametrize(
    "values", [{"folder": "/fsx"}, {"folder": "fsx/a"}, {"folder": "/fsx/../etc"}, {"folder": "/fsx/a b"}, {"timeout": 0}, {"timeout": 86401}]
)
def test_invalid_options_are_refused(values: dict[str, t.Any]) -> None:
    with pytest.raises(Refused, match=next(iter(values))):
        desired({"state": SAVED, "folder": FOLDER, "timeout": 60, **values})


@pytest.mark.parametrize("values", [{"folder": "/fsx/a"}, {"folder": "/fsx/A_1.b-c/d"}, {"timeout": 1}, {"timeout": 86400}, {"state": RESTORED}])
def test_valid_options_are_accepted(values: dict[str, t.Any]) -> None:
    given = {"state": SAVED, "folder": FOLDER, "timeout": 60, **values}
    assert desired(given) == Desired(**given)
