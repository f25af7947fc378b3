# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan from the observed to the desired readiness gate.

The gate has two kinds of ports, which listen only if the node was verified: the port of the load balancer's health check, and
the login ports.
"""

from __future__ import annotations

import typing as t
from dataclasses import replace

from ..._core.plan import Change, Plan, Step
from . import units as gate_units
from .model import Desired, State

_GATE = "readiness gate"


def plan(desired: Desired, state: State, *, files: t.Mapping[str, str]) -> Plan:
    """If the node has problems, the gate is closed regardless of the options. If only new expectations have problems, the gate
    stays open, and the watcher does not get the new expectations, because it would close the gate. Ports are closed before any
    file is written, because the disk may be full or read-only.
    """
    kept = state.kept if desired.state == "open" else None
    shut = (desired.state == "open" and state.problems and not kept) or (desired.state == "closing" and not state.people)
    goal = "closed" if shut else desired.state
    people = {"open": state.people if kept else desired.people_ports, "closing": state.people}.get(goal, ())
    wanted = {**state.files, "config": gate_units.config(kept)} if kept else {} if goal == "absent" else dict(files)
    differing = tuple(sorted(name for name in gate_units.PATHS if state.files.get(name) != wanted.get(name)))
    watched = desired.state == "open"
    steps = []
    if state.health and goal != "open":
        steps.append(Step("CloseHealth", {}, (), effect=lambda state: replace(state, health=False)))
    if goal != "open":
        steps += _close_people(state.people, people)
    if state.watched is not False and not watched:
        steps.append(Step("Unwatch", {}, (), effect=lambda state: replace(state, watched=False)))
    if differing:
        changes = tuple(_file_change(name, state.files, wanted) for name in differing)
        written = {name: wanted.get(name) for name in differing}
        steps.append(Step("WriteFiles", {"files": written}, changes, effect=lambda state: replace(state, files=wanted)))
    if goal == "open":
        lost = any(port in state.without_listener for port in desired.ports)
        steps += _open(people, state, restart="socket" in differing or lost)
    if watched and not state.watched:
        steps.append(Step("Watch", {}, (), effect=lambda state: replace(state, watched=True)))
    if steps:
        steps[-1] = replace(steps[-1], changes=(*steps[-1].changes, *_gate_changes(state, goal, people, watched)))
    return Plan(steps=tuple(steps))


def _open(people: t.Sequence[int], state: State, *, restart: bool) -> t.Iterator[Step]:
    """The health check's port opens last. A socket that moves to a different port is closed for some milliseconds, which is too
    short for a health check to fail. Each login port has its own socket, so a move never closes a login port that stays.
    """
    missing = tuple(port for port in people if port not in state.people or port in state.without_listener)
    if missing:
        yield Step("OpenPeople", {"ports": missing}, (), effect=lambda state: _opened(state, missing))
    if restart or not state.health:
        yield Step("OpenHealth", {}, (), effect=lambda state: replace(state, health=True, without_listener=()))
    yield from _close_people(state.people, people)


def _opened(state: State, ports: tuple[int, ...]) -> State:
    return replace(state, people=(*_without(state.people, ports), *ports), without_listener=_without(state.without_listener, ports))


def _close_people(found: t.Sequence[int], wanted: t.Container[int]) -> t.Iterator[Step]:
    ports = _without(found, wanted)
    if ports:
        yield Step("ClosePeople", {"ports": ports}, (), effect=lambda state: replace(state, people=_without(state.people, ports)))


def _without(ports: t.Sequence[int], others: t.Container[int]) -> tuple[int, ...]:
    return tuple(port for port in ports if port not in others)


def _gate_changes(state: State, goal: str, people: tuple[int, ...], watched: bool) -> t.Iterator[Change]:
    if state.gate != goal:
        yield Change("update", _GATE, "state", state.gate, goal)
    elif state.health != (goal == "open"):
        yield Change("update", _GATE, "health check's port open", state.health, goal == "open")
    if sorted(state.people) != sorted(people):
        yield Change("update", _GATE, "login ports", sorted(state.people), sorted(people))
    if goal == "open" and state.without_listener:
        yield Change("update", _GATE, "ports without a listener", sorted(state.without_listener), [])
    if state.watched != watched:
        yield Change("update", _GATE, "watched", state.watched, watched)


def _file_change(name: str, found: t.Mapping[str, str], wanted: t.Mapping[str, str]) -> Change:
    action = "delete" if name not in wanted else "create" if name not in found else "update"
    if name in gate_units.SCRIPTS:
        return Change(action, f"file {gate_units.PATHS[name]}")
    return Change(action, f"file {gate_units.PATHS[name]}", "content", found.get(name), wanted.get(name))
