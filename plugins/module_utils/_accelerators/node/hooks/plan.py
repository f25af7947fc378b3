# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the files to write and the settings of Slurm. No I/O. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import dataclasses
import typing as t

from ...._core.failure import Refused
from ...._core.plan import Change, Plan, Step
from . import conf
from .model import HEALTH_KEYS, PROLOG_KEY, SCRIPT, Desired, Running, Slurm, State
from .program import settings

WRITE, CONFIGURE = "write files", "scontrol reconfigure"
_SENDS_PROLOGS, _SEVERAL_PROLOGS = (23, 11), (24, 5)
"""Releases of Slurm: the first one in which slurmctld sends prologs to nodes, and the first one that supports several prologs."""


def plan(desired: Desired, state: State) -> Plan:
    """Programs are installed before Slurm is configured, and removed after Slurm's settings are removed.

    :raises Refused: if Slurm uses a different program, or if the release of Slurm lacks a required feature.
    """
    configure = _configure(desired, state.slurm) if state.slurm else ()
    write = _write(desired, state)
    return Plan((*write, *configure) if desired.files else (*configure, *write))


def _write(desired: Desired, state: State) -> tuple[Step, ...]:
    kept = {path: content for path, content in state.files.items() if desired.files and path not in desired.files}
    wanted = {**kept, **desired.files}
    differing = [path for path in desired.paths if state.files.get(path) != wanted.get(path)]
    if not differing:
        return ()
    changes = tuple(_file_change(path, state.files, wanted) for path in differing)
    arguments = {"files": {path: wanted.get(path) for path in differing}}
    return (Step(WRITE, arguments, changes, lambda before: dataclasses.replace(before, files=wanted)),)


def _file_change(path: str, found: t.Mapping[str, bytes], wanted: t.Mapping[str, bytes]) -> Change:
    action = "delete" if path not in wanted else "update" if path in found else "create"
    if not path.endswith(settings.NAME):
        return Change(action, f"file {path}")
    before, after = (each[path].decode("utf-8", "replace") if path in each else None for each in (found, wanted))
    return Change(action, f"file {path}", "content", before, after)


def _configure(desired: Desired, slurm: Slurm) -> tuple[Step, ...]:
    _refuse(desired, slurm)
    found, lines = slurm.conf, conf.own(slurm.conf.text)
    text = conf.edited(found.text, desired.lines)
    changes = []
    if lines != desired.lines:
        changes.append(Change("update", f"file {found.path}", "lines of this collection", list(lines), list(desired.lines)))
    if found.script != desired.script:
        action = "delete" if not desired.script else "update" if found.script else "create"
        changes.append(Change(action, f"file {found.script_path}", "content", found.script or None, desired.script or None))
    if not changes and not desired.fulfilled(slurm.running):
        changes.append(Change("update", "slurmctld", "reads its configuration", False, True))
    if not changes:
        return ()
    arguments = {"desired": desired, "conf": found, "text": text}
    after = _running(desired, slurm.running)
    return (Step(CONFIGURE, arguments, tuple(changes), lambda state: state.with_slurm(after, text=text, script=desired.script)),)


def _running(desired: Desired, running: Running) -> Running:
    """The predicted settings of slurmctld after it has read the new lines."""
    others = tuple(each for each in running.prologs if each != SCRIPT)
    none = ("", "0") if running.health_check[0] == desired.program else running.health_check
    return dataclasses.replace(
        running,
        health_check=(desired.program, str(desired.interval)) if desired.health_check else none,
        prologs=(*others, SCRIPT) if desired.prolog else others,
    )


def _refuse(desired: Desired, slurm: Slurm) -> None:
    text, running = slurm.conf.text, slurm.running
    if desired.health_check:
        current = f"HealthCheckProgram={running.health_check[0]}"
        managed = ("HealthCheckProgram=", f"HealthCheckProgram={desired.program}", *conf.own(text))
        found = [*conf.others(text, HEALTH_KEYS), *([] if current in managed else [current])]
        if found:
            text = f"health_check: Slurm already has {found[0]}, and supports only one program. Remove that setting first."
            raise Refused(text, option="health_check")
    if desired.prolog:
        release = "{}.{:02d}".format(*running.version)
        others = (*conf.others(text, (PROLOG_KEY,)), *(each for each in running.prologs if each != SCRIPT))
        if not running.configless or running.version < _SENDS_PROLOGS:
            raise Refused(
                "prolog: slurmctld does not send prologs to nodes, and a missing prolog would drain a node. Slurm 23.11 or newer "
                f"with enable_configless is required. This is Slurm {release}.",
                option="prolog",
            )
        if others and running.version < _SEVERAL_PROLOGS:
            raise Refused(
                f"prolog: Slurm already has {others[0]}, and Slurm {release} supports only one. Slurm 24.05 or newer is required.",
                option="prolog",
            )
