# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Groups related kernel events into incidents with a root cause. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import itertools
import re
import typing as t
from dataclasses import dataclass

from ..model import KernelEvent
from . import nvlink4, nvlink5, xid_verdicts
from .problem import FABRIC, FIT, HARDWARE, REBOOT, REPLACE, VERDICTS, WATCH, WORKLOAD
from .xid_verdicts import Judged

TOGETHER_SECONDS = 60.0
_ACTION = re.compile(r"\bto 0x([0-9a-fA-F]+)\b")
_NOTE = Judged(FIT, "", "")


@dataclass(frozen=True)
class Incident:
    """Related events of one GPU within a minute."""

    root: KernelEvent
    """The event that caused the others."""
    judged: Judged
    followed: tuple[KernelEvent, ...]

    @property
    def code(self) -> int:
        return code_of(self.root)


def incidents(events: t.Sequence[KernelEvent], judge: t.Callable[[KernelEvent], Judged | None]) -> list[Incident]:
    """:param events: Xids and similar events of one GPU, in order of time.
    :param judge: returns the effect of an event on the node, given the state of the GPU; None for an informational event.
    """
    return [each for each in (_incident(group, judge) for group in _groups(events)) if each]


def code_of(event: KernelEvent) -> int:
    """The Xid of an event. The record of a GPU that has fallen off the bus has no code, and counts as Xid 79."""
    return xid_verdicts.OFF_THE_BUS if event.kind == "gone" else event.code


def action(event: KernelEvent) -> int | None:
    """The recovery action in Xid 154, as NVML's number; 0 means that no action is needed; None without a number."""
    actions = _ACTION.findall(event.detail.rpartition(", ")[2])  # text before it may be the rest of a process name
    return int(actions[-1], 16) if actions else None


def _clears(event: KernelEvent) -> bool:
    return event.code == xid_verdicts.REGISTERED and action(event) == 0


def _groups(events: t.Sequence[KernelEvent]) -> t.Iterator[list[KernelEvent]]:
    """A new group begins after ``TOGETHER_SECONDS``, or after the driver reports that no action is needed any more."""
    group: list[KernelEvent] = []
    for event in events:
        if group and (event.at - group[0].at > TOGETHER_SECONDS or _clears(group[-1])):
            yield group
            group = []
        group.append(event)
    if group:
        yield group


def _incident(group: t.Sequence[KernelEvent], judge: t.Callable[[KernelEvent], Judged | None]) -> Incident | None:
    pairs = [(event, judge(event) or _NOTE) for event in group]
    root, judged = max(pairs, key=lambda pair: (VERDICTS.index(pair[1].verdict), bool(pair[1].cause), -pair[0].at))
    if not judged.cause:
        return None
    others = tuple(event for event, other in pairs if event is not root and (other.cause or event.code == xid_verdicts.REGISTERED))
    return Incident(root, judged, others)


def judged(event: KernelEvent, release: int) -> Judged | None:
    """The assessment of an event from its record only; None if the event is informational.

    :param release: the major version of the driver.
    """
    code = code_of(event)
    if code in xid_verdicts.NVLINK_5:
        return _of_nvlink_5(nvlink5.decode(code, event.detail, release))
    if code == xid_verdicts.REGISTERED:
        return Judged(REBOOT, HARDWARE, "the driver reports that a recovery action is needed", REPLACE) if action(event) else None
    if code == xid_verdicts.NVLINK and nvlink4.is_note(event.detail):
        return None
    return xid_verdicts.judged(code)


def _of_nvlink_5(decoded: str) -> Judged | None:
    return {
        nvlink5.RESET: Judged(REBOOT, FABRIC, "its registers request a reset, which requires a reboot of the node", REPLACE),
        nvlink5.FATAL: Judged(REBOOT, FABRIC, "the driver reports the error as fatal, and its registers are unknown", REPLACE),
        nvlink5.NOT_FATAL: Judged(WATCH, FABRIC, "the driver reports the error as nonfatal, and its registers are unknown"),
        nvlink5.FOLLOW: Judged(FIT, WORKLOAD, "an application that used the link must be restarted"),
    }.get(decoded)


def labels(events: t.Iterable[KernelEvent]) -> tuple[str, ...]:
    """Labels such as ``Xid 43`` and ``Xid 45 (3)``, in order of appearance."""
    codes = [code_of(event) for event in events]
    counted = {code: len(list(each)) for code, each in itertools.groupby(sorted(codes))}
    return tuple(f"Xid {code}" if counted[code] == 1 else f"Xid {code} ({counted[code]})" for code in dict.fromkeys(codes))
