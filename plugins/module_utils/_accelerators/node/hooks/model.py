# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What Slurm asks of a node, and how it stands. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from .program import here, settings

PROGRAM = "slurm-health-check"
SCRIPT = "mlfleet-hyperpod-prolog"
"""Beside slurm.conf: slurmctld sends it to all nodes, so that one with a blank disk has it, too."""
HEALTH_KEYS = ("HealthCheckProgram", "HealthCheckInterval", "HealthCheckNodeState")
PROLOG_KEY = "Prolog"


@dataclass(frozen=True)
class Running:
    """What slurmctld goes by."""

    version: tuple[int, int]
    configless: bool
    health_check: tuple[str, str]
    """Program and seconds between two; empty and 0 where there is none."""
    prologs: tuple[str, ...]


@dataclass(frozen=True)
class Desired:
    folder: str
    health_check: bool
    prolog: bool
    interval: int
    """Seconds between two checks of a node."""
    controller: bool
    """The node's slurm.conf is the one that counts."""
    settings: str
    archive: bytes

    @property
    def program(self) -> str:
        return f"{self.folder}/{PROGRAM}"

    @property
    def files(self) -> dict[str, bytes]:
        """By path, on every node that Slurm may ask."""
        wanted = self.health_check or self.prolog
        return {self.program: self.archive, f"{self.folder}/{settings.NAME}": self.settings.encode()} if wanted else {}

    @property
    def paths(self) -> tuple[str, ...]:
        """Of all that may be in the folder."""
        return tuple(f"{self.folder}/{name}" for name in (PROGRAM, settings.NAME, here.MEMORY))

    @property
    def lines(self) -> tuple[str, ...]:
        """Of slurm.conf. All nodes at once would be a burst for slurmctld, so it goes from one to the next."""
        check = (self.program, str(self.interval), "ANY,CYCLE") if self.health_check else ()
        prolog = (f"{PROLOG_KEY}={SCRIPT}",) if self.prolog else ()
        return (*(f"{key}={value}" for key, value in zip(HEALTH_KEYS, check)), *prolog)

    @property
    def script(self) -> str:
        """A node that does not have the program yet, and one where it can't be started, take their jobs."""
        lines = (
            "#!/bin/sh",
            "# Written by the Ansible collection mlfleet.hyperpod.",
            f"[ -x {self.program} ] || exit 0",
            f"{self.program} prolog",
            "[ $? -ne 3 ]",
        )
        return "\n".join(lines) + "\n" if self.prolog else ""

    def fulfilled(self, running: Running) -> bool:
        """As far as it is about what is ours."""
        program, interval = running.health_check
        right = interval == str(self.interval) if self.health_check else True
        return (program == self.program) is self.health_check and right and (SCRIPT in running.prologs) is self.prolog


@dataclass(frozen=True)
class Conf:
    path: str
    text: str
    mode: int
    uid: int
    gid: int
    script: str
    """The text of ours beside it; empty where there is none."""

    @property
    def script_path(self) -> str:
        return f"{self.path.rpartition('/')[0]}/{SCRIPT}"


@dataclass(frozen=True)
class Slurm:
    """On a controller."""

    running: Running
    conf: Conf


@dataclass(frozen=True)
class State:
    files: t.Mapping[str, bytes]
    """By path; of what programs remember, nothing but that it is there."""
    slurm: Slurm | None = None
    """None on other nodes."""

    def having(self, running: Running, *, text: str, script: str) -> State:
        if self.slurm is None:
            return self
        conf = dataclasses.replace(self.slurm.conf, text=text, script=script)
        return dataclasses.replace(self, slurm=Slurm(running, conf))
