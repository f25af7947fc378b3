# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the current checks by Slurm. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from .program import here, settings

PROGRAM = "slurm-health-check"
SCRIPT = "mlfleet-hyperpod-prolog"
"""The prolog script, in the folder of slurm.conf. slurmctld sends it to all nodes, including those with a blank disk."""
HEALTH_KEYS = ("HealthCheckProgram", "HealthCheckInterval", "HealthCheckNodeState")
PROLOG_KEY = "Prolog"


@dataclass(frozen=True)
class Running:
    """The current settings of slurmctld."""

    version: tuple[int, int]
    configless: bool
    health_check: tuple[str, str]
    """The program, and the seconds between two runs; empty and 0 without a check."""
    prologs: tuple[str, ...]


@dataclass(frozen=True)
class Desired:
    folder: str
    health_check: bool
    prolog: bool
    interval: int
    """Seconds between two checks of a node."""
    controller: bool
    """Whether the node is a controller node, which has the slurm.conf of slurmctld."""
    settings: str
    archive: bytes

    @property
    def program(self) -> str:
        return f"{self.folder}/{PROGRAM}"

    @property
    def files(self) -> dict[str, bytes]:
        """The contents of files, keyed by path, for every node that Slurm checks."""
        wanted = self.health_check or self.prolog
        return {self.program: self.archive, f"{self.folder}/{settings.NAME}": self.settings.encode()} if wanted else {}

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files that may be in the folder."""
        return tuple(f"{self.folder}/{name}" for name in (PROGRAM, settings.NAME, here.MEMORY))

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines for slurm.conf. With ``CYCLE``, Slurm spreads the checks of all nodes over the interval."""
        check = (self.program, str(self.interval), "ANY,CYCLE") if self.health_check else ()
        prolog = (f"{PROLOG_KEY}={SCRIPT}",) if self.prolog else ()
        return (*(f"{key}={value}" for key, value in zip(HEALTH_KEYS, check)), *prolog)

    @property
    def script(self) -> str:
        """The prolog script. A node that lacks the program or can't start it still accepts jobs."""
        lines = (
            "#!/bin/sh",
            "# Written by the Ansible collection mlfleet.hyperpod.",
            f"[ -x {self.program} ] || exit 0",
            f"{self.program} prolog",
            "[ $? -ne 3 ]",
        )
        return "\n".join(lines) + "\n" if self.prolog else ""

    def fulfilled(self, running: Running) -> bool:
        """Whether slurmctld uses the desired settings."""
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
    """The text of the prolog script next to slurm.conf; empty if the script does not exist."""

    @property
    def script_path(self) -> str:
        return f"{self.path.rpartition('/')[0]}/{SCRIPT}"


@dataclass(frozen=True)
class Slurm:
    """The state on a controller node."""

    running: Running
    conf: Conf


@dataclass(frozen=True)
class State:
    files: t.Mapping[str, bytes]
    """The contents of files, keyed by path. The content of the programs' memory is empty, because only its existence matters."""
    slurm: Slurm | None = None
    """None on nodes other than controller nodes."""

    def with_slurm(self, running: Running, *, text: str, script: str) -> State:
        if self.slurm is None:
            return self
        conf = dataclasses.replace(self.slurm.conf, text=text, script=script)
        return dataclasses.replace(self, slurm=Slurm(running, conf))
