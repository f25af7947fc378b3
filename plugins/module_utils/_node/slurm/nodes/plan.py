# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan to drain or resume Slurm nodes, or to request their repair by HyperPod. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import replace

from ...._core.failure import Refused, refuse_option
from ...._core.plan import Change, Plan, Step
from .model import ASKED, DRAINED, OF_HEALTH, OURS, QUERY, WORDS, Desired, State

UPDATE = "scontrol update"


def plan(desired: Desired, state: State) -> Plan:
    """
    :raises Refused: with ``jobs=refuse`` if there are jobs on the nodes, or if a request would replace a reason that is not ours.
    """
    if desired.state == DRAINED:
        return _drain(desired, state)
    if desired.state == ASKED:
        return _ask(desired, state)
    if desired.state == QUERY:
        return Plan()
    names = [node.name for node in state.nodes if node.ours and node.reason.startswith(OURS + desired.reason)]
    changes = tuple(Change("update", f"Slurm node {name}", "state", "drained", "resumed") for name in names)
    arguments = {"names": names, "values": ["state=resume"]}
    step = Step(UPDATE, arguments, changes, lambda state: state.having(names, state="idle", reason=""))
    return Plan((step,) if names else ())


def _drain(desired: Desired, state: State) -> Plan:
    """The plan to drain nodes, except those that are already drained or for which a repair by HyperPod was requested."""
    if desired.jobs == "refuse" and state.jobs:
        listed = ", ".join(f"{job.id} of {job.user}" for job in state.jobs)
        text = f"There are jobs on the nodes, and jobs=refuse is set: {listed}. Nothing was changed."
        raise Refused(text, option="jobs", code="jobs-running")
    reason = OURS + desired.reason
    names = [node.name for node in state.nodes if not node.drained and not node.asked]
    changes = tuple(Change("update", f"Slurm node {name}", "state", None, f"drained: {desired.reason}") for name in names)
    arguments = {"names": names, "values": ["state=drain", f"reason={reason}"]}
    step = Step(UPDATE, arguments, changes, lambda state: state.having(names, state="draining", reason=reason))
    return Plan((step,) if names else ())


def _ask(desired: Desired, state: State) -> Plan:
    """The plan to request a repair from HyperPod, which acts on the reason of a node.

    :raises Refused: for a node with a reason that this collection did not set, because the request would overwrite the reason.
    """
    words, ours = WORDS[desired.asks_for], OURS + desired.reason
    for node in state.nodes:
        if node.reason not in ("", words) and not node.reason.startswith((ours, OF_HEALTH)):
            why = f"Slurm node {node.name} has the reason {node.reason!r}, which this collection did not set"
            allowed = "nodes without a reason, and nodes drained by this module or by Slurm's check of accelerators"
            refuse_option("addresses", node.address, allowed, why)
    asked = [node for node in state.nodes if node.reason != words]
    names = [node.name for node in asked]
    changes = tuple(Change("update", f"Slurm node {node.name}", "reason", node.reason or None, words) for node in asked)
    arguments = {"names": names, "values": ["state=fail", f"reason={words}"]}
    step = Step(UPDATE, arguments, changes, lambda state: _asked(state, names, words))
    return Plan((step,) if names else ())


def _asked(state: State, names: t.Container[str], words: str) -> State:
    """The predicted state. Slurm reports a drained node as drained, regardless of its other states."""
    nodes = [each if each.name not in names else replace(each, reason=words) for each in state.nodes]
    failing = [replace(each, state="fail") if each.name in names and not each.drained else each for each in nodes]
    return replace(state, nodes=tuple(failing))
