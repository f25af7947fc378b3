# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The input of a check. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import functools
import typing as t
from dataclasses import dataclass

from ...._core.expected_devices import Expected
from ..kernel_log import UNINITIALIZED
from ..model import Counts, Gpu, State
from .memory import Memory, Sample, devices, sample
from .problem import UNKNOWN
from .profile import Profile


@dataclass(frozen=True)
class Look:
    state: State
    expected: Expected
    profile: Profile
    memory: Memory
    now: float
    """The time of the check, in seconds of the epoch."""

    @property
    def gpus(self) -> tuple[Gpu, ...]:
        return self.state.smi.gpus if self.state.smi else ()

    @property
    def settling(self) -> bool:
        """Whether the node has just booted, so that missing devices may still appear."""
        return self.state.uptime_seconds < self.profile.settle_seconds

    @property
    def log_missing(self) -> str:
        """Why kernel records since the last check with verdict ``fit`` are missing; empty if none are."""
        return self.state.log.missing(self.memory.after_stamp(self.state.boot_id))

    def once_settled(self, verdict: str) -> str:
        return UNKNOWN if self.settling else verdict

    @functools.cached_property
    def addresses(self) -> tuple[str, ...]:
        """The PCI addresses of all GPUs that the kernel, the driver or an earlier check lists. A GPU that has moved counts once."""
        kernel = {each.address for each in self.state.pci if each.kind == "gpu"}
        there = {gpu.serial for gpu in self.gpus}
        remembered = {pci for pci, serial in self.memory.gpus.items() if serial not in there}
        return tuple(sorted({*kernel, *(gpu.pci for gpu in self.gpus), *self.state.lost, *remembered} - {""}))

    def part(self, pci: str) -> str:
        """The display name of a GPU, with its index on the node."""
        return f"GPU {self.addresses.index(pci)} ({pci})" if pci in self.addresses else f"GPU {pci}"

    def key(self, pci: str) -> str:
        serial = next((gpu.serial for gpu in self.gpus if gpu.pci == pci), "")
        return serial or self.memory.gpus.get(pci) or pci

    def uninitialized(self, pci: str = "") -> str:
        """The last record of a failed initialization that is about the GPU ``pci`` or has no address. If ``pci`` is empty, the
        record may be about any GPU. Empty without a record.
        """
        events = [each for each in self.state.log.events if each.kind == "driver" and each.detail.startswith(UNINITIALIZED)]
        return next((each.detail for each in reversed(events) if not pci or each.pci in (pci, "")), "")

    def before(self) -> tuple[Sample, float] | None:
        """The counters of the last check in this boot, and the seconds since that check."""
        last = self.memory.sample
        if last is None or last.boot_id != self.state.boot_id or last.uptime >= self.state.uptime_seconds:
            return None
        return last, self.state.uptime_seconds - last.uptime

    @functools.cached_property
    def counted(self) -> Sample:
        """The counters of this check."""
        return sample(self.state)

    @functools.cached_property
    def devices(self) -> t.Mapping[str, str]:
        """The kinds of the devices that this instance has or had, like ``Memory.devices``."""
        return {**self.memory.devices, **devices(self.state)}


def grown(before: Counts, now: Counts) -> t.Iterator[tuple[str, int]]:
    """The increases of counters that both checks have. Lower values are ignored, because a reloaded driver starts from zero."""
    return ((name, now[name] - before[name]) for name in sorted(now) if name in before and now[name] > before[name])
