# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the installed files and the settings of Slurm. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os
import typing as t

from ...._core.failure import Failure
from ...._core.text import printable
from ...._node import files
from ...._node.slurm.state.observe import parse_settings
from ...._node.system import run
from .model import SCRIPT, Conf, Desired, Running, Slurm, State
from .program.here import MEMORY

_NOTHING = ("", "(null)")


def observe(desired: Desired) -> State:
    """:raises Failure: on a controller node, if slurmctld does not reply."""
    found = {path: _content(path) for path in desired.paths}
    there = {path: content for path, content in found.items() if content is not None}
    return State(there, slurm() if desired.controller else None)


def slurm() -> Slurm:
    settings = config()
    path = os.path.realpath(settings.get("SLURM_CONF", ""))
    conf = files.read(path) if path.endswith("/slurm.conf") else None
    if conf is None:
        raise Failure(f"slurmctld reports the configuration file {path}, but this node has no such file.")
    script = files.read_bytes(f"{os.path.dirname(path)}/{SCRIPT}") or b""
    return Slurm(running(settings), Conf(path, conf.text, conf.mode, conf.uid, conf.gid, script.decode("utf-8", "replace")))


def config() -> dict[str, str]:
    """The configuration of slurmctld."""
    found = parse_settings(run(["scontrol", "show", "config"], timeout=60).stdout)
    return {name: printable(value) for name, value in found.items() if value not in _NOTHING}


def running(settings: t.Mapping[str, str]) -> Running:
    """The settings of slurmctld. Slurm 24.05 and newer number the prologs."""
    return Running(
        version=_version(settings.get("SLURM_VERSION", "")),
        configless="enable_configless" in settings.get("SlurmctldParameters", "").lower().split(","),
        health_check=(settings.get("HealthCheckProgram", ""), settings.get("HealthCheckInterval", "").partition(" ")[0]),
        prologs=tuple(value for name, value in settings.items() if name.partition("[")[0] == "Prolog"),
    )


def _version(text: str) -> tuple[int, int]:
    words = [word for word in text.split(".")[:2] if word.isdecimal()]
    return (int(words[0]), int(words[1])) if len(words) == 2 else (0, 0)


def _content(path: str) -> bytes | None:
    """The content of a file; empty for the programs' memory, which is not compared."""
    found = files.read_bytes(path)
    return b"" if found is not None and path.endswith(MEMORY) else found
