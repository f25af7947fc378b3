# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The history that a node stores between two checks. Standard library only, Python 3.9 syntax.

The history is on the node's own disk, which is blank on a replaced node, so problems of the previous instance do not count. A file
that is damaged or belongs to a different instance (a copied disk) is ignored.
"""

from __future__ import annotations

import dataclasses
import json
import os
import typing as t
from dataclasses import dataclass, field

from ...._node.files import replace_text
from ..model import Counts, Gpu, State
from .problem import WATCH, Problem, at_least

PATH = "/var/lib/mlfleet-hyperpod/accelerators.json"
DAY = 86400.0
MOST = 500


@dataclass(frozen=True)
class Record:
    """A problem that a check found."""

    code: str
    key: str
    verdict: str
    boot_id: str
    at: float
    """The time of the last check that found the problem, in seconds of the epoch."""
    live: bool


@dataclass(frozen=True)
class Stamp:
    """The last check that found the node fit. Earlier kernel records no longer count."""

    boot_id: str
    uptime: float


@dataclass(frozen=True)
class Sample:
    """The counters of a check, from which the next check computes rates."""

    boot_id: str
    uptime: float
    efa: t.Mapping[str, Counts]
    links: t.Mapping[str, Counts]
    """Sums over all links of a GPU, keyed by its UUID."""
    held_back_us: t.Mapping[str, Counts]
    held_back: t.Mapping[str, t.Sequence[str]]
    """The reasons for reduced clocks of GPUs under load, keyed by UUID."""
    ecc: t.Mapping[str, Counts] = field(default_factory=dict)
    """The counters ``volatile_...`` and ``aggregate_...`` of GPUs, keyed by UUID."""


@dataclass(frozen=True)
class Memory:
    instance_id: str = ""
    gpus: t.Mapping[str, str] = field(default_factory=dict)
    """The serial numbers of GPUs, keyed by PCI address."""
    records: tuple[Record, ...] = ()
    stamp: Stamp | None = None
    sample: Sample | None = None
    baseline: Sample | None = None
    """The counters from before the stamp. A counter that has increased since then confirms a newer record."""
    devices: t.Mapping[str, str] = field(default_factory=dict)
    """The kinds of the devices that this instance had, keyed by PCI address, or by name for RDMA devices."""

    def had(self, problem: Problem, boot_id: str) -> Record | None:
        """The newest record of the problem in an earlier boot. Records that were neither ``live`` nor as bad as ``problem`` are
        ignored. None if there is no such record.
        """
        found = [
            each
            for each in self.records
            if (each.code, each.key) == (problem.code, problem.key)
            and each.boot_id != boot_id
            and (each.live or at_least(each.verdict, problem.verdict))
        ]
        return max(found, key=lambda each: each.at, default=None)

    def after_stamp(self, boot_id: str) -> float:
        """The time from which kernel records count, in seconds after the boot."""
        return self.stamp.uptime if self.stamp and self.stamp.boot_id == boot_id else 0.0


def load(path: str, instance_id: str) -> Memory:
    try:
        with open(path, encoding="utf-8") as stream:
            found = _memory(json.load(stream))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Memory(instance_id)
    if instance_id and found.instance_id not in ("", instance_id):
        return Memory(instance_id)
    return dataclasses.replace(found, instance_id=instance_id or found.instance_id)


def save(path: str, memory: Memory) -> None:
    os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
    replace_text(path, json.dumps(dataclasses.asdict(memory), sort_keys=True), mode=0o600)


def after(memory: Memory, state: State, problems: t.Iterable[Problem], *, fit: bool, now: float, days: int) -> Memory:
    """The memory after a check.

    The counters of a check are read after its stamp, so they may already include the fault of a record that only the next check
    reads. Therefore, if this check and the previous check found the node fit, the sample of the previous check becomes the
    baseline; otherwise, the baseline stays. In a boot without a baseline, counters count from the start of the driver.
    """
    fresh = [
        Record(each.code, each.key, each.verdict, state.boot_id, now, each.live)
        for each in problems
        if at_least(each.verdict, WATCH) and each.again
    ]
    seen = {(each.code, each.key) for each in fresh}
    kept = [
        each
        for each in memory.records
        if now - each.at < days * DAY
        and not (each.live and state.smi and (each.code, each.key) not in seen)
        and not _same(each, fresh, state.boot_id)
    ]
    gpus = {gpu.pci: gpu.serial for gpu in (state.smi.gpus if state.smi else ()) if gpu.pci and gpu.serial}
    return Memory(
        instance_id=memory.instance_id,
        gpus={**{pci: serial for pci, serial in memory.gpus.items() if serial not in gpus.values()}, **gpus},
        records=tuple((kept + fresh)[-MOST:]),
        stamp=Stamp(state.boot_id, float(state.uptime_seconds)) if fit else memory.stamp,
        sample=sample(state),
        baseline=memory.sample if fit and _was_fit(memory) else memory.baseline,
        devices=dict(list({**memory.devices, **devices(state)}.items())[-MOST:]),
    )


def _was_fit(memory: Memory) -> bool:
    """Whether the last check found the node fit."""
    last = memory.sample
    return last is not None and memory.stamp == Stamp(last.boot_id, last.uptime)


def devices(state: State) -> dict[str, str]:
    """The kinds of devices, keyed by PCI address, or by name for RDMA devices."""
    return {**{each.address: each.kind for each in state.pci}, **{each.name: "efa" for each in state.efa}}


def sample(state: State) -> Sample:
    gpus = state.smi.gpus if state.smi else ()
    return Sample(
        boot_id=state.boot_id,
        uptime=float(state.uptime_seconds),
        efa={each.name: {**each.port_counters, **each.counters} for each in state.efa},
        links={uuid: _sums(links.errors.values()) for uuid, links in state.nvlinks.items()},
        held_back_us={gpu.uuid: gpu.held_back_us for gpu in gpus},
        held_back={gpu.uuid: gpu.held_back for gpu in gpus if gpu.utilization},
        ecc={gpu.uuid: _ecc(gpu) for gpu in gpus},
    )


def _ecc(gpu: Gpu) -> Counts:
    kinds = {"volatile": gpu.memory.volatile, "aggregate": gpu.memory.aggregate}
    return {f"{kind}_{name}": count for kind, counts in kinds.items() for name, count in counts.items()}


def _sums(counted: t.Iterable[Counts]) -> Counts:
    found: dict[str, int] = {}
    for counts in counted:
        for name, count in counts.items():
            found[name] = found.get(name, 0) + count
    return found


def _same(record: Record, fresh: t.Iterable[Record], boot_id: str) -> bool:
    return record.boot_id == boot_id and any((record.code, record.key) == (each.code, each.key) for each in fresh)


def _memory(saved: t.Any) -> Memory:
    stamp, last, baseline = saved["stamp"], saved["sample"], saved.get("baseline")
    return Memory(
        instance_id=str(saved["instance_id"]),
        gpus={str(pci): str(serial) for pci, serial in saved["gpus"].items()},
        records=tuple(Record(**each) for each in saved["records"]),
        stamp=Stamp(**stamp) if stamp else None,
        sample=Sample(**last) if last else None,
        baseline=Sample(**baseline) if baseline else None,
        devices={str(place): str(kind) for place, kind in saved.get("devices", {}).items()},
    )
