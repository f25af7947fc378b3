# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The verdict on a node. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass, replace

from ..load import QUIET
from ..model import Unseen
from . import devices, driver, fabric, gpus, kernel, links
from .look import Look
from .memory import DAY, Memory, after
from .problem import FIT, GPU_XID, REBOOT, UNKNOWN, VERDICTS, WORKLOAD, Problem, at_least, worst
from .profile import Waiver, waived
from .xid_verdicts import OFF_THE_BUS

COUNTS = "expected devices"
LOG, NVLINK = "kernel log", "NVLink"
_ALL_OF_LOG, _LINK_ERRORS = f"all of the {LOG}", f"{NVLINK} errors"
ESSENTIAL = ("PCI devices", "GPUs", "nvidia-smi", "EFA devices", "neuron-ls", "neuron-monitor", "Neuron devices", LOG, NVLINK)
"""If one of these parts was not checked, the node's verdict is at best ``unknown``."""
_ABSENT = ("gpu-lost", "gpu-missing")
_GONE = (*_ABSENT, "gpu-unreadable", "gpu-recovery-action", "gpu-reset-required", "gpu-fabric", "gpu-nvlink-down")
"""The codes of problems that follow if a GPU has fallen off the bus."""


@dataclass(frozen=True)
class Health:
    verdict: str
    problems: tuple[Problem, ...]
    """The problems, from the worst to the mildest."""
    waived: tuple[tuple[Problem, Waiver], ...]
    looked_at: tuple[str, ...]
    not_looked_at: tuple[Unseen, ...]


def judge(look: Look) -> Health:
    found = [_escalated(look, each) for each in _folded(_all(look))]
    counts, accepted = waived(found, look.profile, look.now)
    unseen = (*look.state.unseen, *_unknown_counts(look), *_of_links(look), *_of_log(look))
    blind = [UNKNOWN] if any(each.what in ESSENTIAL or each.what == COUNTS for each in unseen) else []
    return Health(
        verdict=worst([*(each.verdict for each in counts), *blind]),
        problems=tuple(
            sorted(counts, key=lambda each: (-VERDICTS.index(each.verdict), each.cause == WORKLOAD, each.code, each.part))
        ),
        waived=tuple(accepted),
        looked_at=_looked_at(look, {each.what for each in unseen}),
        not_looked_at=unseen,
    )


def settles_in(look: Look, health: Health) -> int:
    """Seconds until the node has settled, if a settled node would get a different verdict; otherwise 0."""
    if health.verdict != UNKNOWN or not look.settling:
        return 0
    once_settled = _all(replace(look, profile=replace(look.profile, settle_seconds=0)))
    waits = any(each.verdict == UNKNOWN and each not in once_settled for each in health.problems)
    return look.profile.settle_seconds - look.state.uptime_seconds if waits else 0


def remembered(look: Look, health: Health) -> Memory:
    """The memory after the check. With waived problems or an incomplete kernel log, the check does not count as one that found the
    node fit.
    """
    problems = (*health.problems, *(problem for problem, _waiver in health.waived))
    fit = health.verdict == FIT and not health.waived and not look.log_missing
    return after(look.memory, look.state, problems, fit=fit, now=look.now, days=look.profile.repeat_days)


def _all(look: Look) -> list[Problem]:
    parts = (driver.problems, gpus.problems, fabric.problems, devices.problems, kernel.problems)
    return list(dict.fromkeys(problem for part in parts for problem in part(look)))


def _folded(problems: t.Sequence[Problem]) -> list[Problem]:
    """Fold the consequences of a GPU that has fallen off the bus into that problem."""
    ends = f" Xid {OFF_THE_BUS}"
    fallen = [each for each in problems if each.code == GPU_XID and at_least(each.verdict, REBOOT) and each.key.endswith(ends)]
    roots = {each.key[: -len(ends)]: each for each in fallen}
    followed = {key: tuple(each.code for each in problems if each.code in _GONE and each.key == key) for key in roots}
    return [
        replace(each, folded=(*each.folded, *followed[each.key[: -len(ends)]])) if each in roots.values() else each
        for each in problems
        if not (each.code in _GONE and each.key in roots)
    ]


def _escalated(look: Look, problem: Problem) -> Problem:
    """If an earlier boot also had the problem, raise its verdict to ``again``, because the reboot since then did not help."""
    if not problem.again or problem.verdict == UNKNOWN:
        return problem
    records = [each for each in (look.memory.had(one, look.state.boot_id) for one in _alike(problem)) if each]
    record = max(records, key=lambda each: each.at, default=None)
    if record is None or look.now - record.at > look.profile.repeat_days * DAY:
        return problem
    day = datetime.datetime.fromtimestamp(record.at, datetime.timezone.utc).strftime("%Y-%m-%d")
    return replace(
        problem,
        verdict=worst([problem.verdict, problem.again]),
        text=f"{problem.text} An earlier boot also had this problem, on {day}.",
    )


def _alike(problem: Problem) -> list[Problem]:
    """The problems that count as the same problem. A GPU that was lost in one boot may be missing in the next boot."""
    if problem.code not in _ABSENT:
        return [problem]
    fallen = replace(problem, code=GPU_XID, key=kernel.key_of(problem.key, OFF_THE_BUS))
    return [*(replace(problem, code=code) for code in _ABSENT), fallen]


def _unknown_counts(look: Look) -> t.Iterator[Unseen]:
    """A node that has lost all devices looks like one that never had any."""
    counts = (look.expected.gpus, look.expected.efa, look.expected.neuron)
    if counts == (None, None, None) and not look.addresses and not look.state.neuron:
        yield Unseen(COUNTS, "the node's type is unknown, and the node has no visible accelerators")


def _of_links(look: Look) -> t.Iterator[Unseen]:
    """Link errors lead to ``watch`` at most, so a node can be fit even if they could not be read."""
    for what, option, unread in ((NVLINK, "-s", links.unread(look)), (_LINK_ERRORS, "-e", links.uncounted(look))):
        if unread:
            named = ", ".join(look.part(gpu.pci) for gpu in unread)
            yield Unseen(what, f"nvidia-smi nvlink {option} printed no valid values for {named}")


def _of_log(look: Look) -> t.Iterator[Unseen]:
    """Missing lines may have contained a fault. The existing lines still count."""
    if look.log_missing and LOG not in {each.what for each in look.state.unseen}:
        yield Unseen(_ALL_OF_LOG, look.log_missing)


def _looked_at(look: Look, unseen: t.Collection[str]) -> tuple[str, ...]:
    state = look.state
    there = {
        "GPUs": state.smi is not None,
        NVLINK: bool(state.nvlinks),
        "EFA devices": bool(state.efa) or look.expected.efa is not None,
        "Neuron devices": bool(state.neuron),
        LOG: LOG not in unseen,
        "services": bool(state.services),
        "limits of services": bool(state.limits),
        f"DCGM level {state.dcgm_level}": state.dcgm_level > QUIET,
    }
    return tuple(name for name, seen in there.items() if seen and name not in unseen)
