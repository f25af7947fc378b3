# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether a device currently shows the signs of a fault. A sign may be unreadable. Standard library only, Python 3.9 syntax.

All signs are read after the kernel's log, so no sign is older than a record. A counter is a sign if it has increased since the
baseline (``memory``). Without a baseline, a counter that starts with the driver is a sign if it is not zero.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..model import Counts, Gpu
from . import links, registration
from .gpus import ACTIONS, PEERS, faults, is_lost
from .look import Look
from .memory import Sample

LOST_STATUS = 15
"""The exit status of nvidia-smi for a lost GPU (NVML_ERROR_GPU_IS_LOST)."""
VOLATILE = ("volatile_dram_uncorrectable", "volatile_sram_uncorrectable")
AGGREGATE = ("aggregate_dram_uncorrectable", "aggregate_sram_uncorrectable")
LINK_ERRORS = ("replay_errors", "recovery_errors", "crc_errors", "link_recovery_failed_events", "effective_errors")
POWER = ("hw_power_brake_slowdown", "hw_slowdown")


@dataclass(frozen=True)
class Signal:
    shown: bool | None
    """Whether the device shows the sign; None if the sign could not be read."""
    words: str
    """The sign that is shown, or the value that could not be read."""


def gpu_at(look: Look, pci: str) -> Gpu | None:
    return next((gpu for gpu in look.gpus if gpu.pci == pci), None)


def missing(look: Look, pci: str) -> Signal:
    """Whether the GPU does not answer the driver or the bus. A serial number from the driver proves that the GPU answers."""
    state, gpu = look.state, gpu_at(look, pci)
    if pci in state.lost or (gpu and is_lost(look, gpu)):
        return Signal(True, f"nvidia-smi: {state.lost.get(pci) or 'the GPU does not answer'}")
    if any(each.address == pci and each.answers is False for each in state.pci):
        return Signal(True, "the GPU's PCI configuration reads as all ones")
    if gpu is not None:
        return Signal(False if gpu.serial else None, "the GPU's serial number")
    if "nvidia-smi" in state.hung:
        return Signal(True, "nvidia-smi hangs in the driver")
    if state.smi is not None or state.smi_status == LOST_STATUS:
        return Signal(True, "nvidia-smi does not list the GPU")
    return Signal(None, "nvidia-smi -q")


def recovery(look: Look, pci: str) -> Signal:
    """The recovery action, which the driver reports since release 570."""
    gpu = gpu_at(look, pci)
    if gpu is None or gpu.recovery_action is None:
        return Signal(None, "gpu_recovery_action")
    action = gpu.recovery_action
    if action.lower() not in ("none", *ACTIONS):
        return Signal(None, f"gpu_recovery_action: {action}")
    return Signal(action.lower() != "none", f"gpu_recovery_action: {action}")


def known_recovery(look: Look, pci: str) -> Signal:
    """Like ``recovery``, but the sign is not shown, instead of unreadable, if the driver does not report recovery actions."""
    gpu, found = gpu_at(look, pci), recovery(look, pci)
    absent = gpu is not None and gpu.recovery_action is None and "gpu_recovery_action" not in gpu.unread
    return Signal(False, found.words) if absent else found


def reset(look: Look, pci: str) -> Signal:
    """Like ``recovery``. If the driver reports no action, ``reset_required`` counts, which drivers from 530 to 565 report."""
    gpu, found = gpu_at(look, pci), recovery(look, pci)
    if found.shown is None and gpu is not None and gpu.reset_required is not None:
        return Signal(gpu.reset_required, "reset_required: Yes")
    return found


def stuck(look: Look, pci: str) -> Signal:
    """Whether the driver does not answer, or does not answer for this GPU."""
    gpu = gpu_at(look, pci)
    if "nvidia-smi" in look.state.hung:
        return Signal(True, "nvidia-smi hangs in the driver")
    if gpu is None:
        return Signal(None, "nvidia-smi -q")
    values = {**gpu.unread, **gpu.broken}
    errors = [f"{name}: {text}" for name, text in faults(gpu).items()]
    if errors:
        return Signal(True, errors[0])
    return Signal(None, next(iter(values))) if values else Signal(False, "")


def uncorrected(look: Look, pci: str) -> Signal:
    """Uncorrected ECC errors. The driver does not count them under MIG or with ECC off."""
    gpu = gpu_at(look, pci)
    now = look.counted.ecc.get(gpu.uuid, {}) if gpu else {}
    base = look.memory.baseline
    before = base.ecc.get(gpu.uuid) if base and gpu else None
    volatile = _grown(before if base and _same_boot(look, base) else None, now, VOLATILE)
    lifetime = _grown(before, now, AGGREGATE) if before else None
    found = volatile or lifetime
    if found:
        return Signal(True, f"{found}: {now[found]}")
    unread = not set(VOLATILE) <= set(now)
    return Signal(None if unread else False, "ECC counters")


def rows(look: Look, pci: str) -> Signal:
    """Memory that waits to be remapped or retired, or whose remapping failed."""
    gpu = gpu_at(look, pci)
    memory = gpu.memory if gpu else None
    if memory is None:
        return Signal(None, "remapped_rows")
    flags = {
        "remapped_row_failure": memory.rows.failed if memory.rows else None,
        "remapped_row_pending": memory.rows.pending if memory.rows else None,
        "pending_retirement": memory.page_pending,
    }
    bad = [name for name, value in flags.items() if value]
    if bad:
        return Signal(True, f"{bad[0]}: Yes")
    read = memory.page_pending is False if memory.rows is None else memory.rows.failed is False and memory.rows.pending is False
    return Signal(False if read else None, "remapped_rows")


def threshold(look: Look, pci: str) -> Signal:
    """The SRAM threshold, which drivers report since release 550. A missing value counts as not exceeded."""
    gpu = gpu_at(look, pci)
    unread = gpu is None or any(path.endswith("sram_threshold_exceeded") for path in gpu.unread)
    exceeded = gpu is not None and gpu.memory.sram_threshold_exceeded is True
    return Signal(None if unread else exceeded, "sram_threshold_exceeded")


def link_down(look: Look, pci: str) -> Signal:
    gpu = gpu_at(look, pci)
    found = links.links(look, gpu) if gpu else None
    if found is None:
        return Signal(None, "nvidia-smi nvlink -s")
    if found.down:
        return Signal(True, f"{found.up} of {found.wanted} NVLinks are up")
    return Signal(None if found.unread else False, "nvidia-smi nvlink -s")


def link_errors(look: Look, pci: str) -> Signal:
    gpu = gpu_at(look, pci)
    now = look.counted.links.get(gpu.uuid, {}) if gpu else {}
    names = [name for name in LINK_ERRORS if name in now]
    base = look.memory.baseline
    before = base.links.get(gpu.uuid) if base and gpu and _same_boot(look, base) else None
    found = _grown(before, now, names)
    if found:
        return Signal(True, f"{found}: {now[found]}")
    return Signal(False if names else None, "nvidia-smi nvlink -e")


def outside_fabric(look: Look, pci: str) -> Signal:
    """Whether the GPU is outside the NVLink fabric, on boards that register their GPUs."""
    gpu = gpu_at(look, pci)
    if not registration.registers(look):
        return Signal(False, "")
    good = registration.is_good(look, gpu) if gpu else None
    return Signal(None if good is None else not good, "the GPU's registration with the NVLink fabric")


def held_by_power(look: Look, pci: str) -> Signal:
    gpu = gpu_at(look, pci)
    active = [name for name in POWER if gpu and name in gpu.held_back]
    if active:
        return Signal(True, f"{active[0]}: Active")
    read = gpu is not None and set(POWER) <= set(gpu.not_held_back)
    return Signal(False if read else None, "clock event reasons")


def slow_pcie(look: Look, pci: str) -> Signal:
    """Whether PCIe is slower than on all other GPUs while the GPU is under load. The GPU's maximum is not used, because some
    instance types give all GPUs fewer lanes.
    """
    gpu = gpu_at(look, pci)
    others = [each.link for each in look.gpus if each.pci != pci]
    if gpu is None or not gpu.utilization or len(others) < PEERS:
        return Signal(False, "")
    for name in ("width", "generation"):
        own, others_have = getattr(gpu.link, name), [getattr(each, name) for each in others]
        if own and None not in others_have and own < min(others_have):
            return Signal(True, f"PCIe {name} {own}, and the other GPUs have at least {min(others_have)}")
    return Signal(False, "")


def _same_boot(look: Look, base: Sample) -> bool:
    return base.boot_id == look.state.boot_id


def _grown(before: Counts | None, now: Counts, names: t.Iterable[str]) -> str:
    """The first counter that has increased; empty if none has. A lower value other than zero also counts: the counter restarted."""
    for name in names:
        last, count = (before or {}).get(name, 0), now.get(name, 0)
        if count > last or 0 < count < last:
            return name
    return ""
