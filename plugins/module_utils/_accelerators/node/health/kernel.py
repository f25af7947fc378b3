# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds problems in kernel records since the last check that found the node fit. Standard library only, Python 3.9 syntax.

Repeats of some Xids are counted since the boot. Only records about devices that this instance has or had count. A record that would
make the node unfit needs a second witness (``witness``).
"""

from __future__ import annotations

import functools
import typing as t
from dataclasses import replace

from ..model import KernelEvent
from ..xids import xid
from . import incidents, kernel_devices, nvlink4, strangers, witness, xid_verdicts
from .gpus import of_gpu
from .incidents import TOGETHER_SECONDS, Incident
from .look import Look
from .problem import GPU_XID, JOB_XID, UNCONFIRMED_XID, VERDICTS, WATCH, WORKLOAD, Problem
from .witness import Witness
from .xid_verdicts import Judged

_OF_A_GPU = ("xid", "gone")
_JOBS_APART, _LONE, _RUNS = 600.0, 3, 2
"""An application's Xid indicates a faulty GPU if only this GPU reported the Xid, at least ``_LONE`` times in ``_RUNS`` runs.
Records at least ``_JOBS_APART`` seconds apart are from different runs.
"""


def problems(look: Look) -> t.Iterator[Problem]:
    since = look.memory.after_stamp(look.state.boot_id)
    events = [event for event in look.state.log.events if event.at > since]
    own = [event for event in events if strangers.is_own(look, event)]
    for pci, of_one in _by_place(event for event in own if event.kind in _OF_A_GPU).items():
        yield from _of_gpu(look, pci, of_one)
    yield from _worn(look)
    yield from _cleaned_up(look)
    yield from kernel_devices.problems(look, own)
    yield from strangers.problems(look, events)


def _own_events(look: Look) -> list[KernelEvent]:
    return [event for event in look.state.log.events if strangers.is_own(look, event)]


def _by_place(events: t.Iterable[KernelEvent]) -> dict[str, list[KernelEvent]]:
    found: dict[str, list[KernelEvent]] = {}
    for event in sorted(events, key=lambda each: each.at):
        found.setdefault(event.pci, []).append(event)
    return found


def _of_gpu(look: Look, pci: str, events: t.Sequence[KernelEvent]) -> t.Iterator[Problem]:
    """One problem for each code that is the root of an incident."""
    release = _release(look)
    witnessed = functools.lru_cache(maxsize=None)(functools.partial(witness.of_xid, look, pci))
    by_code: dict[int, list[Incident]] = {}
    for incident in incidents.incidents(events, lambda event: _judged(look, event, release, witnessed)):
        by_code.setdefault(incident.code, []).append(incident)
    for code, found in by_code.items():
        judged = max((each.judged for each in found), key=lambda each: VERDICTS.index(each.verdict))
        if code == xid_verdicts.NVLINK and len(found) > 1:
            judged = witness.for_xid(look, found[-1].root, xid_verdicts.recurring_link(judged), functools.partial(witnessed, code))
        if code != xid_verdicts.REGISTERED or not judged.confirmed_by:  # a confirmed action is already a problem of the GPU
            yield _xid(look, pci, code, judged, found)


def _judged(look: Look, event: KernelEvent, release: int, witnessed: t.Callable[[int], Witness]) -> Judged | None:
    judged, found = incidents.judged(event, release), functools.partial(witnessed, incidents.code_of(event))
    return witness.for_xid(look, event, judged, found) if judged else None


def _xid(look: Look, pci: str, code: int, judged: Judged, found: t.Sequence[Incident]) -> Problem:
    kind = JOB_XID if judged.cause == WORKLOAD else UNCONFIRMED_XID if judged.unconfirmed else GPU_XID
    times = f" {len(found)} times" if len(found) > 1 else ""
    text = f"reported Xid {code} ({xid(code).name}){times}{witness.explained(judged)}{_registers(code, found[-1].root)}"
    problem = of_gpu(
        look,
        pci,
        kind,
        judged.verdict,
        text,
        cause=judged.cause,
        evidence=_line(found[-1].root),
        again=judged.again,
        folded=incidents.labels(event for each in found for event in each.followed),
    )
    return _keyed(problem, code)


def _registers(code: int, event: KernelEvent) -> str:
    words = nvlink4.meaning(event.detail) if code == xid_verdicts.NVLINK else ""
    return f" Meaning of the Xid's first register: {words}." if words else ""


def _keyed(problem: Problem, code: int) -> Problem:
    """The problem with the Xid in its key, because repeats are counted for each Xid."""
    return replace(problem, key=key_of(problem.key, code))


def key_of(gpu: str, code: int) -> str:
    return f"{gpu} Xid {code}"


def _worn(look: Look) -> t.Iterator[Problem]:
    """All GPUs of a job report the job's error. A GPU that alone reports such errors in several runs is faulty."""
    if len(look.addresses) < _RUNS:
        return
    for code in xid_verdicts.ON_REPEAT:
        reported = [event for event in _own_events(look) if event.kind == "xid" and event.code == code]
        for pci, own in _by_place(reported).items():
            others = [event.at for event in reported if event.pci != pci]
            alone = [event for event in own if not any(abs(event.at - at) <= TOGETHER_SECONDS for at in others)]
            if len(alone) >= _LONE and _runs(alone) >= _RUNS:
                text = f"alone reported Xid {code} ({xid(code).name}) {len(alone)} times, in several jobs. Test it when it is idle."
                yield _keyed(of_gpu(look, pci, GPU_XID, WATCH, text, evidence=_line(alone[-1])), code)


def _cleaned_up(look: Look) -> t.Iterator[Problem]:
    """A job that ends causes Xid 45. A process that causes it repeatedly has not ended, so there must be a different cause.

    If any GPU reported a different error within a minute, that error is the cause, and nothing is reported here.
    """
    reported = [event for event in _own_events(look) if event.kind in (*_OF_A_GPU, "sxid")]
    own = [event for event in reported if event.kind == "xid" and event.code == xid_verdicts.CLEANUP and event.pid]
    for pci, events in _by_place(own).items():
        others = [event.at for event in reported if event.pci != pci or event.kind != "xid" or event.code != xid_verdicts.CLEANUP]
        alone = [event for event in events if not any(abs(event.at - at) <= TOGETHER_SECONDS for at in others)]
        for pid in dict.fromkeys(event.pid for event in alone):
            of_one = [event for event in alone if event.pid == pid]
            if _runs(of_one) >= _LONE:
                text = f"reported only Xid {xid_verdicts.CLEANUP}, {len(of_one)} times for one process that still runs."
                yield _keyed(of_gpu(look, pci, GPU_XID, WATCH, text, evidence=_line(of_one[-1])), xid_verdicts.CLEANUP)
                break


def _runs(events: t.Sequence[KernelEvent]) -> int:
    return 1 + sum(1 for one, other in zip(events, events[1:]) if other.at - one.at >= _JOBS_APART)


def _line(event: KernelEvent) -> str:
    return f"{event.detail} ({event.process})" if event.process else event.detail


def _release(look: Look) -> int:
    version = look.state.software.get("driver") or (look.state.smi.driver if look.state.smi else "")
    major = version.split(".", 1)[0]
    return int(major) if major.isdecimal() else 0
