# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The readiness gate of a login node: State and Desired to Plan.

It is two kinds of ports on which nothing listens unless the node was verified: the one that the balancer's health check asks,
and the one where people come in. Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import json
import os
import re
import typing as t
from dataclasses import dataclass, replace

from ..._core.plan import Change, Plan, Step
from ..files import read_bytes, replace_file, restore_label
from ..system import run
from . import check as gate_check
from . import units as gate_units
from . import watch as gate_watch
from .options import Desired

_KEYS = ("host_keys", "host_certificates")
_GATE = "readiness gate"


@dataclass(frozen=True)
class State:
    """What stands on the node; ``problems`` and ``warnings`` are empty where nothing has to be verified."""

    health: bool
    """Whether the health check's port is open."""
    people: tuple[int, ...]
    """Open ports for people."""
    watched: bool | None
    """None where the timer is only half there: it runs, or the next boot starts it."""
    files: t.Mapping[str, str]
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    kept: t.Mapping[str, t.Any] | None = None
    """What was expected before, with the host keys of now, where the gate is open and right by that: then the problems are only
    with what is expected anew."""
    noted: t.Mapping[str, t.Any] | None = None
    """When the watcher closed the gate last, why, and when it was open again."""

    @property
    def gate(self) -> str:
        if not self.files:
            return "absent"
        if not self.people:
            return "closed"
        return "open" if self.health else "closing"


def observe(desired: Desired, *, foreseen: t.Sequence[str] = ()) -> State:
    """``foreseen``: what is expected, and not judged, since it will only be so (``host_keys``, ``users``…)."""
    found = {name: read_bytes(path) for name, path in gate_units.PATHS.items()}
    timer = {_says(verb, gate_units.TIMER) for verb in ("is-enabled", "is-active")}
    health = _says("is-active", gate_units.SOCKET)
    people = _people_ports()
    seen: t.Mapping[str, t.Sequence[str]] = {"problems": (), "warnings": ()}
    if desired.state == "open":
        judged = {**desired.expected, **{name: [] for name in foreseen}}
        seen = gate_check.look(judged, is_open=health and desired.people_ports[0] in people)
    return State(
        health=health,
        people=people,
        watched=timer.pop() if len(timer) == 1 else None,
        files={name: content.decode("utf-8", "replace") for name, content in found.items() if content is not None},
        problems=tuple(seen["problems"]),
        warnings=tuple(seen["warnings"]),
        kept=_right_before(found["config"], people, desired, foreseen) if seen["problems"] and health else None,
        noted=gate_watch.noted() or None,
    )


def plan(desired: Desired, state: State, *, files: t.Mapping[str, str]) -> Plan:
    """A node with problems gets a closed gate, whatever was asked for. What is only expected anew closes nothing, and is not
    told to the watcher, which would close for it.
    """
    kept = state.kept if desired.state == "open" else None
    shut = (desired.state == "open" and state.problems and not kept) or (desired.state == "closing" and not state.people)
    goal = "closed" if shut else desired.state
    people = {"open": state.people if kept else desired.people_ports, "closing": state.people}.get(goal, ())
    wanted = {**state.files, "config": gate_units.config(kept)} if kept else {} if goal == "absent" else dict(files)
    differing = tuple(sorted(name for name in gate_units.PATHS if state.files.get(name) != wanted.get(name)))
    watched = desired.state == "open"
    steps = []
    if state.watched is not False and not watched:
        steps.append(Step("Unwatch", {}, ()))
    if state.health and goal != "open":
        steps.append(Step("CloseHealth", {}, ()))
    if goal != "open":
        steps += _close_people(state.people, people)
    if differing:
        changes = tuple(_file_change(name, state.files, wanted) for name in differing)
        steps.append(Step("WriteFiles", {"files": {name: wanted.get(name) for name in differing}}, changes))
    if goal == "open":
        steps += _open(people, state, restart="socket" in differing)
    if watched and not state.watched:
        steps.append(Step("Watch", {}, ()))
    if steps:
        steps[-1] = replace(steps[-1], changes=(*steps[-1].changes, *_gate_changes(state, goal, people, watched)))
    predicted = replace(state, health=goal == "open", people=people, watched=watched, files=wanted)
    return Plan(steps=tuple(steps), predicted=predicted)


def apply(step: Step) -> None:
    ports = [gate_units.PEOPLE_SOCKET.format(port) for port in step.arguments.get("ports", ())]
    if step.operation == "Unwatch":
        run(["systemctl", "disable", "--now", gate_units.TIMER])
        run(["systemctl", "stop", gate_units.WATCH_SERVICE], timeout=60)
    elif step.operation == "CloseHealth":
        run(["systemctl", "stop", gate_units.SOCKET])
    elif step.operation == "ClosePeople":
        run(["systemctl", "stop", *ports])
    elif step.operation == "WriteFiles":
        _write(step.arguments["files"])
    elif step.operation == "OpenPeople":
        run(["systemctl", "start", *ports])
    elif step.operation == "OpenHealth":
        run(["systemctl", "restart", gate_units.SOCKET])
        gate_watch.note_opened()
    elif step.operation == "Watch":
        run(["systemctl", "enable", "--now", gate_units.TIMER])


def describe(desired: Desired, state: State) -> dict[str, t.Any]:
    return {
        "state": state.gate,
        "ready": state.gate == "open" and not state.problems,
        "port": desired.ports[0],
        "people_port": desired.people_ports[0],
        "problems": list(state.problems),
        "warnings": list(state.warnings),
    }


def _right_before(
    config: bytes | None, people: t.Sequence[int], desired: Desired, foreseen: t.Sequence[str]
) -> t.Mapping[str, t.Any] | None:
    """The expectations that stand on the node, whose health check's port is open, if it is right by them. Host keys are not
    expected before they are installed, so those of before are no measure.
    """
    try:
        before = json.loads(config or b"{}")
        known = {name: value for name, value in before.items() if name not in _KEYS}
        known.update({name: desired.expected[name] for name in _KEYS if name in desired.expected})
        seen = gate_check.look({**known, **{name: [] for name in foreseen}}, is_open=True)
        return known if before["people_ports"][0] in people and not seen["problems"] else None
    except (ValueError, LookupError, TypeError, AttributeError):
        return None  # no expectations yet, or those of another form, or no such thing


def _open(people: t.Sequence[int], state: State, *, restart: bool) -> t.Iterator[Step]:
    """The health check's port opens last. A socket that is to listen elsewhere is gone for some milliseconds, which no health
    check takes for a failure; people's ports have a socket each, so that theirs never is.
    """
    missing = tuple(port for port in people if port not in state.people)
    if missing:
        yield Step("OpenPeople", {"ports": missing}, ())
    if restart or not state.health:
        yield Step("OpenHealth", {}, ())
    yield from _close_people(state.people, people)


def _close_people(found: t.Sequence[int], wanted: t.Sequence[int]) -> t.Iterator[Step]:
    ports = tuple(port for port in found if port not in wanted)
    if ports:
        yield Step("ClosePeople", {"ports": ports}, ())


def _gate_changes(state: State, goal: str, people: tuple[int, ...], watched: bool) -> t.Iterator[Change]:
    if state.gate != goal:
        yield Change("update", _GATE, "state", state.gate, goal)
    elif state.health != (goal == "open"):
        yield Change("update", _GATE, "health check's port open", state.health, goal == "open")
    if sorted(state.people) != sorted(people):
        yield Change("update", _GATE, "ports for people", sorted(state.people), sorted(people))
    if state.watched != watched:
        yield Change("update", _GATE, "watched", state.watched, watched)


def _file_change(name: str, found: t.Mapping[str, str], wanted: t.Mapping[str, str]) -> Change:
    action = "delete" if name not in wanted else "create" if name not in found else "update"
    if name in gate_units.SCRIPTS:
        return Change(action, f"file {gate_units.PATHS[name]}")
    return Change(action, f"file {gate_units.PATHS[name]}", "content", found.get(name), wanted.get(name))


def _write(files: t.Mapping[str, str | None]) -> None:
    os.makedirs(gate_units.STATE_FOLDER, mode=0o700, exist_ok=True)
    for name, text in files.items():
        path = gate_units.PATHS[name]
        if text is not None:
            replace_file(path, text.encode(), mode=gate_units.MODES.get(name, 0o644))
            restore_label(path)
            continue
        if name == "boot":
            run(["systemctl", "disable", "--now", gate_units.FORMER_BOOT_SERVICE], check=False)
        os.unlink(path)
    if files.get("config", "") is None:
        gate_watch.forget()
    run(["systemctl", "daemon-reload"], timeout=60)


def _says(verb: str, unit: str) -> bool:
    return run(["systemctl", verb, "--quiet", unit], check=False).returncode == 0


def _people_ports() -> tuple[int, ...]:
    """A manager that does not answer is a failure here: a port that is taken for closed is not closed."""
    listed = run(
        ["systemctl", "list-units", "--plain", "--no-legend", "--state=active", gate_units.PEOPLE_SOCKET.format("*")]
    ).stdout
    pattern = re.escape(gate_units.PEOPLE_SOCKET).replace(re.escape("{}"), r"(\d+)")
    return tuple(sorted(int(port) for port in re.findall(pattern, listed)))
