# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Which Slurm nodes are drained or resumed; pure. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from ...._core.failure import Refused
from ...._core.plan import Change, Plan, Step
from .model import DRAINED, OURS, QUERY, Desired, State

UPDATE = "scontrol update"


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: with ``jobs: refuse``, while there are some."""
    if desired.state == DRAINED:
        return _drain(desired, state)
    if desired.state == QUERY:
        return Plan()
    names = [node.name for node in state.nodes if node.ours and node.reason.startswith(OURS + desired.reason)]
    changes = tuple(Change("update", f"Slurm node {name}", "state", "drained", "resumed") for name in names)
    arguments = {"names": names, "values": ["state=resume"]}
    step = Step(UPDATE, arguments, changes, lambda state: state.having(names, state="idle", reason=""))
    return Plan((step,) if names else ())


def _drain(desired: Desired, state: State) -> Plan:
    """A node that somebody else has drained stays theirs."""
    if desired.jobs == "refuse" and state.jobs:
        listed = ", ".join(f"{job.id} of {job.user}" for job in state.jobs)
        told = f"jobs: refuse, and there are jobs on the nodes: {listed}. Nothing was changed."
        raise Refused(told, option="jobs", code="jobs-running")
    reason = OURS + desired.reason
    names = [node.name for node in state.nodes if not node.drained]
    changes = tuple(Change("update", f"Slurm node {name}", "state", None, f"drained: {desired.reason}") for name in names)
    arguments = {"names": names, "values": ["state=drain", f"reason={reason}"]}
    step = Step(UPDATE, arguments, changes, lambda state: state.having(names, state="draining", reason=reason))
    return Plan((step,) if names else ())
