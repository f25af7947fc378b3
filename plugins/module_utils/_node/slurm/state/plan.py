# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan to save or restore Slurm's state. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import dataclasses

from ...._core.failure import Failure, Refused
from ...._core.plan import Change, Plan, Step
from .model import SAVED, Desired, Saved, Slurm, State

SAVE, START, RESTORE = "save", "start", "restore"


def plan(desired: Desired, state: State) -> Plan:
    """:raises Failure: if the state cannot be saved or restored, or a saved state would be lost."""
    if desired.state == SAVED:
        return _save(desired, state)
    if state.unseen:
        return Plan()
    if state.saved is not None and state.saved.id != state.here:
        return _restore(desired, state.saved, state.slurm or state.saved.slurm)
    if state.here:
        started = Change("update", "slurmctld", "state", "running" if state.running else "stopped", "running")
        return _one(START, {"slurm": state.slurm or Slurm()}, started)
    return Plan(notes=(state.remark,) if state.remark else ())


def _save(desired: Desired, state: State) -> Plan:
    saved = state.saved
    if saved is not None and saved.id == state.here and not state.running:
        return Plan()
    if saved is not None and saved.id != state.here:
        raise Refused(
            f"folder: {desired.folder} has Slurm's state of {saved.time}, which was not restored. Restore the state with "
            "state=restored or the playbook reconcile, or remove the folder if the state is not needed.",
            option="folder",
        )
    if state.slurm is None:
        raise Failure(
            "slurmctld does not respond, so the state to save is unknown. See slurmctld's log on the controller node, then run "
            "again."
        )
    if not state.slurm.local:
        return Plan()
    if state.obstacle:
        raise Failure(f"Slurm's state ({kept(state.slurm)}) cannot be saved. {state.obstacle}")
    change = Change("update", "slurmctld", "state", "running", f"stopped, and {kept(state.slurm)} saved in {desired.folder}")
    return _one(SAVE, {"slurm": state.slurm}, change)


def _restore(desired: Desired, saved: Saved, slurm: Slurm) -> Plan:
    had = saved.slurm
    if bool(had.database) > bool(slurm.database) or bool(had.location) > bool(slurm.location):
        here = kept(slurm) or "nothing"
        raise Failure(
            f"The saved state in {desired.folder} has {kept(had)}, but the current configuration of Slurm keeps {here} on the disk "
            "of this controller node, so not all of it can be restored. Correct the configuration, then run again."
        )
    change = Change("update", "slurmctld", "state", "blank", f"{kept(had)} of {saved.time} from {desired.folder}")
    return _one(RESTORE, {"slurm": slurm, "saved": saved}, change)


def kept(slurm: Slurm) -> str:
    what = [("jobs and nodes", slurm.location), ("accounting", slurm.database)]
    return " and ".join(name for name, there in what if there)


def _one(operation: str, arguments: dict[str, object], change: Change) -> Plan:
    """A plan with one step. The time of saving cannot be predicted. After a restore, no saved state remains."""

    def effect(state: State) -> State:
        return state if operation == SAVE else dataclasses.replace(state, saved=None, here="")

    return Plan((Step(operation, arguments, (change,), effect),))
