# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the readiness gate of a node, and the problems that keep it closed. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import json
import re
import typing as t

from ..files import read_bytes
from ..system import run
from . import check as gate_check, units as gate_units, watch as gate_watch
from .model import Desired, State

_KEYS = ("host_keys", "host_certificates")
_ANSWERING = ("people socket", "people service")


def observe(desired: Desired, *, files: t.Mapping[str, str], foreseen: t.Sequence[str] = ()) -> State:
    """
    :param files: the gate's desired files. If the files behind the login port differ from them, the login port is not checked,
        because the same run rewrites the files and observes again.
    :param foreseen: expectations (``host_keys``, ``users``…) that are not checked, because earlier tasks would meet them outside
        check mode.
    """
    found = {name: read_bytes(path) for name, path in gate_units.PATHS.items()}
    answers = all(found[name] == files[name].encode() for name in _ANSWERING)
    timer = {_says(verb, gate_units.TIMER) for verb in ("is-enabled", "is-active")}
    health = _says("is-active", gate_units.SOCKET)
    people, port = _people_ports(), desired.people_ports[0]
    configured = desired.ports if health and found["socket"] == files["socket"].encode() else ()
    without_listener = tuple(each for each in (*configured, *people) if not any(gate_check.listeners(each)))
    seen: t.Mapping[str, t.Sequence[gate_check.Problem]] = {"problems": (), "warnings": ()}
    if desired.state == "open":
        judged = {**desired.expected, **{name: [] for name in foreseen}}
        seen = gate_check.look(judged, is_open=answers and health and port in people and port not in without_listener)
    return State(
        health=health,
        people=people,
        watched=timer.pop() if len(timer) == 1 else None,
        files={name: content.decode("utf-8", "replace") for name, content in found.items() if content is not None},
        problems=tuple(seen["problems"]),
        warnings=tuple(seen["warnings"]),
        kept=_right_before(found["config"], people, desired, foreseen) if seen["problems"] and health else None,
        noted=gate_watch.noted() or None,
        without_listener=without_listener,
    )


def _right_before(
    config: bytes | None, people: t.Sequence[int], desired: Desired, foreseen: t.Sequence[str]
) -> t.Mapping[str, t.Any] | None:
    """The previous expectations on the node, if the health check's port is open and the node meets them; otherwise None. Their
    host keys are replaced by the desired ones, because an earlier task installs new keys before the gate expects them."""
    try:
        before = json.loads(config or b"{}")
        known = {name: value for name, value in before.items() if name not in _KEYS}
        known.update({name: desired.expected[name] for name in _KEYS if name in desired.expected})
        seen = gate_check.look({**known, **{name: [] for name in foreseen}}, is_open=True)
        return known if before["people_ports"][0] in people and not seen["problems"] else None
    except (ValueError, LookupError, TypeError, AttributeError):
        return None  # no expectations, or expectations in a different form


def _says(verb: str, unit: str) -> bool:
    return run(["systemctl", verb, "--quiet", unit], check=False).returncode == 0


def _people_ports() -> tuple[int, ...]:
    """The open login ports. A failed query is an error, because a port that is wrongly assumed to be closed would stay open."""
    listed = run(
        ["systemctl", "list-units", "--plain", "--no-legend", "--state=active", gate_units.PEOPLE_SOCKET.format("*")]
    ).stdout
    pattern = re.escape(gate_units.PEOPLE_SOCKET).replace(re.escape("{}"), r"(\d+)")
    # If systemd cannot read a unit's file, the unit's description is its name. So the name can appear twice in a line.
    return tuple(sorted({int(port) for port in re.findall(pattern, listed)}))
