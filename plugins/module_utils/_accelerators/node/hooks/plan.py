# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What is written, and what Slurm is told; pure. Standard library only, Python 3.9 syntax."""

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
"""Releases of Slurm: from the first on slurmctld sends prologs to nodes; before the other one the last line of several counts."""


def plan(desired: Desired, state: State) -> Plan:
    """On the way in, nodes have the program before Slurm asks; on the way out, Slurm asks no more before they lose it.

    :raises Refused: where Slurm asks somebody else's program, or its release can't do it.
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
    return (Step(CONFIGURE, arguments, tuple(changes), lambda state: state.having(after, text=text, script=desired.script)),)


def _running(desired: Desired, running: Running) -> Running:
    """What slurmctld goes by once it has read our lines, as far as that is known."""
    theirs = tuple(each for each in running.prologs if each != SCRIPT)
    none = ("", "0") if running.health_check[0] == desired.program else running.health_check
    return dataclasses.replace(
        running,
        health_check=(desired.program, str(desired.interval)) if desired.health_check else none,
        prologs=(*theirs, SCRIPT) if desired.prolog else theirs,
    )


def _refuse(desired: Desired, slurm: Slurm) -> None:
    text, running = slurm.conf.text, slurm.running
    if desired.health_check:
        asked = f"HealthCheckProgram={running.health_check[0]}"
        ours = ("HealthCheckProgram=", f"HealthCheckProgram={desired.program}", *conf.own(text))
        found = [*conf.others(text, HEALTH_KEYS), *([] if asked in ours else [asked])]
        if found:
            raise Refused(f"health_check: Slurm's {found[0]} is somebody else's, and there can be one only.", option="health_check")
    if desired.prolog:
        release = "{}.{:02d}".format(*running.version)
        others = (*conf.others(text, (PROLOG_KEY,)), *(each for each in running.prologs if each != SCRIPT))
        if not running.configless or running.version < _SENDS_PROLOGS:
            raise Refused(
                "prolog: Slurm does not send prologs to nodes here, and one that a node lacks would drain it. That takes Slurm "
                f"23.11 with enable_configless; this one is {release}.",
                option="prolog",
            )
        if others and running.version < _SEVERAL_PROLOGS:
            raise Refused(
                f"prolog: there is {others[0]}, and Slurm {release} can have one only. That takes Slurm 24.05.", option="prolog"
            )
