# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The changes to our DaemonSets. Another provider of the same devices is never changed. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import Refused
from ..._core.plan import Plan, Step
from ..objects.model import MANAGED_BY, US, Desired as Objects, Found, State as ObjectState
from ..objects.plan import plan as object_plan
from . import known
from .manifest import bare, daemon_set
from .model import IMAGE, Desired, State, Wanted
from .options import TYPES


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: if our plugin and another provider would share nodes, or if our DaemonSet's name is taken."""
    return Plan(tuple(step for each in desired.wanted for step in _steps(each, desired, state)))


def uncovered(wanted: Wanted, state: State) -> list[str]:
    """The instance types for which nothing else offers the devices."""
    others = {kind for each in state.providers.get(wanted.plugin.key, ()) for kind in each.covered(wanted.instance_types)}
    return [each for each in wanted.instance_types if each not in others]


def _steps(wanted: Wanted, desired: Desired, state: State) -> t.Iterator[Step]:
    found = state.ours[wanted.plugin.key]
    _check_conflicts(wanted, found, state)
    _check_systems(wanted, state)
    types = uncovered(wanted, state)
    if found.live is not None and not found.ours and not found.leaving:
        if types:
            raise Refused(
                f"{found.declared.described} exists without the label {MANAGED_BY}={US}. Delete it, or restore its label, "
                "then run again."
            )
        return
    declared = daemon_set(wanted.plugin, wanted.image, types, desired.tolerations) if types else bare(wanted.plugin)
    found = dataclasses.replace(found, declared=declared)
    made = object_plan(Objects((declared,), present=bool(types), adopt=True), ObjectState((found,)))
    for step in made.steps:
        yield dataclasses.replace(step, effect=_effect(wanted.plugin.key, found, step))


def _effect(key: str, found: Found, step: Step) -> t.Callable[[State], State]:
    def effect(state: State) -> State:
        (after,) = step.effect(ObjectState((found,))).found
        return dataclasses.replace(state, ours={**state.ours, key: after})

    return effect


def _check_conflicts(wanted: Wanted, found: Found, state: State) -> None:
    """Refuse two providers on the same nodes: the kubelet drops the first when the second registers. A user must choose."""
    if not found.ours or found.leaving:
        return
    installed = known.instance_types(found.live or {}) or frozenset()
    for each in state.providers.get(wanted.plugin.key, ()):
        both = each.covered(kind for kind in wanted.instance_types if kind in installed)
        if both:
            raise Refused(
                f"Both {found.declared.described} and {each.described} offer {wanted.plugin.resource} on nodes of "
                f"{', '.join(both)}. Remove these types from {TYPES[wanted.plugin.key]}, or uninstall the other provider."
            )


def _check_systems(wanted: Wanted, state: State) -> None:
    """Refuse a type whose nodes run both Bottlerocket and another system: no label distinguishes them."""
    providers = state.providers.get(wanted.plugin.key, ())
    others = {kind for each in providers if each.kind != IMAGE for kind in each.covered(wanted.instance_types)}
    built_in = {kind for each in providers if each.kind == IMAGE for kind in each.covered(wanted.instance_types)}
    for each in state.machines:
        if each.instance_type in built_in - others and not each.bottlerocket:
            raise Refused(
                f"{TYPES[wanted.plugin.key]}: nodes of {each.instance_type} run both Bottlerocket, which contains "
                f"{wanted.plugin.described}, and another system (node {each.name}). Use one system for each instance type.",
                option=TYPES[wanted.plugin.key],
            )
