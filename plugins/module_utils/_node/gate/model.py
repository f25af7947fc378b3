# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The readiness gate, desired and observed. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .check import Problem


@dataclass(frozen=True)
class Desired:
    """The module's options, after validation. The first port of each list is the current one; the others are former ports."""

    state: str
    ports: tuple[int, ...]
    people_ports: tuple[int, ...]
    instance: str
    expected: t.Mapping[str, t.Any]


@dataclass(frozen=True)
class State:
    """The state on the node. ``problems`` and ``warnings`` are empty if the node was not checked."""

    health: bool
    """Whether the health check's port is open."""
    people: tuple[int, ...]
    """Open login ports."""
    watched: bool | None
    """None if the timer is running but not enabled for the next boot, or enabled but not running."""
    files: t.Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    kept: t.Mapping[str, t.Any] | None = None
    """The previous expectations with the desired host keys, if the gate is open and the node meets them. The problems then concern
    only new expectations."""
    noted: t.Mapping[str, t.Any] | None = None
    """The watcher's last closing of the gate: time, reasons, and the time at which the gate was open again."""
    without_listener: tuple[int, ...] = ()
    """Ports of active sockets on which nothing listens. systemd loses such a port if it cannot read the socket's unit."""

    @property
    def gate(self) -> str:
        if not self.files:
            return "absent"
        if not self.people:
            return "closed"
        return "open" if self.health else "closing"
