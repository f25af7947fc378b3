# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the steps of a proof. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.plan import Change, Plan, Step
from ..duration import seconds
from .manifest import pod
from .model import Candidate, Desired, Proof, State
from .refusals import check

CLEAR, PROVE = "WaitForNoNode", "ProveScaling"
"""Two operations. ``CLEAR`` deletes the Pods of earlier runs, and waits until all nodes of the type are removed. ``PROVE`` creates,
watches and deletes the Pod."""


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: if the proof is not possible."""
    choice = check(desired, state)
    return Plan((*_clearing(desired, state, choice), _proving(desired, state, choice)), notes=state.notes)


def patience(desired: Desired, state: State) -> int:
    """The seconds within which an empty node must be removed, including Karpenter's own delay (``consolidateAfter``)."""
    return desired.down_seconds + (seconds(state.pool(desired).consolidate_after) or 0)


def _clearing(desired: Desired, state: State, choice: Candidate) -> t.Iterator[Step]:
    leftovers = state.leftovers(desired)
    if leftovers or state.claims(desired, choice.instance_type):
        changes = tuple(Change("delete", f"pod {each.full_name}") for each in leftovers)
        arguments = {"pods": leftovers, "choice": choice, "down_seconds": patience(desired, state)}
        yield Step(CLEAR, arguments, changes, lambda before: _without(before, leftovers))


def _without(state: State, leftovers: t.Sequence[t.Any]) -> State:
    left = tuple(each for each in state.inside.pods if each not in leftovers)
    return dataclasses.replace(state, inside=dataclasses.replace(state.inside, pods=left))


def _proving(desired: Desired, state: State, choice: Candidate) -> Step:
    changes = (Change("create", f"pod {desired.pod}"), Change("delete", f"pod {desired.pod}"))
    manifest = pod(desired, state.pool(desired), choice.instance_type)
    arguments = {"manifest": manifest, "choice": choice, "down_seconds": patience(desired, state)}
    return Step(PROVE, arguments, changes, lambda before: dataclasses.replace(before, proof=Proof(choice)))
