# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The readiness gate: desired and observed. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .check import Problem


@dataclass(frozen=True)
class Desired:
    """The module's options, checked. Of ports, the first is the one that stays."""

    state: str
    ports: tuple[int, ...]
    people_ports: tuple[int, ...]
    instance: str
    expected: t.Mapping[str, t.Any]


@dataclass(frozen=True)
class State:
    """State on the node; ``problems`` and ``warnings`` are empty if there is no verification."""

    health: bool
    """Whether the health check's port is open."""
    people: tuple[int, ...]
    """Open ports for people."""
    watched: bool | None
    """None if the timer is only running or only enabled for the next boot."""
    files: t.Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    kept: t.Mapping[str, t.Any] | None = None
    """The previous expectation with the current host keys, if the open gate meets it: then only new expectations have
    problems."""
    noted: t.Mapping[str, t.Any] | None = None
    """When the watcher closed the gate last, why, and when it was open again."""
    without_listener: tuple[int, ...] = ()
    """Ports of active sockets on which nothing listens: systemd has lost them because of an unreadable unit."""

    @property
    def gate(self) -> str:
        if not self.files:
            return "absent"
        if not self.people:
            return "closed"
        return "open" if self.health else "closing"
