# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds problems in the current state of GPUs, as the driver reports it. Standard library only, Python 3.9 syntax.

Lifetime counters and corrected errors are ignored, because all GPUs have them.
"""

from __future__ import annotations

import collections
import typing as t

from ..model import Gpu, Rows
from .look import Look, grown
from .problem import CONFIG, HARDWARE, REBOOT, REPLACE, UNKNOWN, WATCH, Problem
from .xid_verdicts import REGISTERED

HELD_BACK = ("hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown")
"""Reasons for reduced clocks that no healthy GPU has under load. Idleness, power caps and configured clocks are normal."""
SLOWED_FOR_HEAT = "sw_thermal_slowdown"
"""The driver reduces clocks because of heat before the hardware must. Short periods are normal, so only their total time counts."""
PEERS = 3
"""A GPU with fewer PCIe lanes is reported only if at least this number of GPUs have the usual width."""
_LOST_FIELDS = 3
_FEW = ("partial", "low", "none")
_NOTHING, _ISOLATE, _CONFIG, _RESET = 0, 2, 5, 6
"""The severities of DCGM."""
_OF_THE_SETUP = ("persistence", "environment", "graphics", "permissions", "denylist", "blacklist")
"""The tests of DCGM 2 and 3 about the setup. These releases have no severity."""
_BUSY = ("in use", "paused")
"""Words in DCGM's warning if the test could not run because another process uses DCGM's profiling."""
_DENIED = "insufficient permissions"
"""The text instead of a value if the caller of nvidia-smi lacks permissions, for example in a container. The GPU has no fault."""
_SECTIONS = ("gpu_recovery_action", "gpu_reset_status", "remapped_rows", "retired_pages")
_VALUES = ("sram_threshold_exceeded", "channel_repair_pending", "tpc_repair_pending", "unrepairable_memory", "ecc_errors")
"""Values that decide whether a GPU is fit. While one of them is unreadable, the GPU's verdict is ``unknown``."""
ACTIONS = ("reset", "gpu reset", "bus reset", "reboot", "node reboot", "system reboot", "drain p2p", "drain and reset")
"""Recovery actions other than ``None``, as in nvidia-smi and in NVML's nvmlDeviceGpuRecoveryAction_t."""


def problems(look: Look) -> t.Iterator[Problem]:
    yield from _missing(look)
    for gpu in look.gpus:
        yield from _reachable(look, gpu)
        yield from _recovery(look, gpu)
        yield from _memory(look, gpu)
        yield from _heat(look, gpu)
        yield from _held_back(look, gpu)
    yield from _narrow(look)
    yield from _dcgm(look)


def of_gpu(look: Look, pci: str, code: str, verdict: str, text: str, **more: t.Any) -> Problem:
    """A problem of one GPU. The text is preceded by the GPU's name."""
    part = look.part(pci)
    return Problem(code, verdict, more.pop("cause", HARDWARE), f"{part} {text}", part, look.key(pci), **more)


def _missing(look: Look) -> t.Iterator[Problem]:
    state = look.state
    for pci, words in sorted(state.lost.items()):
        yield of_gpu(look, pci, "gpu-lost", REBOOT, "does not answer the driver.", evidence=words, again=REPLACE)
    kernel = {each.address for each in state.pci if each.kind == "gpu"}
    listed = {gpu.pci for gpu in look.gpus}
    reached = listed if state.smi else kernel
    missing = [pci for pci in look.addresses if pci not in reached and pci not in state.lost]
    for pci in missing:
        text = "is listed by the kernel, but not by the driver." if pci in kernel else "is missing from the PCIe bus."
        yield of_gpu(look, pci, "gpu-missing", look.once_settled(REBOOT), text, evidence=look.uninitialized(pci), again=REPLACE)
    count, wanted = len(reached) + len(missing) + len(set(state.lost) - reached), look.expected.gpus
    if wanted is not None and count < wanted:
        text = f"{count} of {wanted} GPUs are present (expected by {look.expected.source})."
        yield Problem("gpu-missing", look.once_settled(REBOOT), HARDWARE, text, again=REPLACE)


def _reachable(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    broken = faults(gpu)
    if any(text.lower().startswith("gpu requires reset") for text in broken.values()):
        yield of_gpu(look, gpu.pci, "gpu-reset-required", REBOOT, "needs a reset.", evidence="GPU requires reset", again=REPLACE)
    elif is_lost(look, gpu):
        yield of_gpu(look, gpu.pci, "gpu-lost", REBOOT, "does not answer the driver.", evidence=_some(broken), again=REPLACE)
    elif any(map(_decides, gpu.unread)):
        unread = {path.rpartition("/")[2]: text for path, text in gpu.unread.items() if _decides(path)}
        text = "has unreadable values that decide whether the GPU is fit."
        yield of_gpu(look, gpu.pci, "gpu-unreadable", UNKNOWN, text, evidence=_some(unread))
    elif broken or gpu.broken or gpu.unread:
        denied = all(_DENIED in text.lower() for text in (*gpu.broken.values(), *gpu.unread.values()))
        unread = {path.rpartition("/")[2]: text for path, text in gpu.unread.items()}
        text = "has values that the driver could not read."
        yield of_gpu(
            look,
            gpu.pci,
            "gpu-unreadable",
            UNKNOWN if denied else WATCH,
            text,
            evidence=_some(broken or {**gpu.broken, **unread}),
        )


def faults(gpu: Gpu) -> dict[str, str]:
    """The fields with an error of the GPU instead of a value. Missing permissions are no error of the GPU."""
    return {name: text for name, text in gpu.broken.items() if _DENIED not in text.lower()}


def is_lost(look: Look, gpu: Gpu) -> bool:
    """Whether the GPU is lost. Nearly all values of a lost GPU are errors, so errors only in unread sections prove nothing."""
    broken = faults(gpu)
    apart = look.state.smi.apart.get(gpu.pci, frozenset()) if look.state.smi else frozenset()
    many = len(broken) >= _LOST_FIELDS and not set(broken) <= apart
    return many or any(text.lower().startswith("gpu is lost") for text in broken.values())


def _decides(path: str) -> bool:
    return path.partition("/")[0] in _SECTIONS or path.rpartition("/")[2] in _VALUES


def _some(values: t.Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {text}" for name, text in list(values.items())[:_LOST_FIELDS])


def _recovery(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    """The recovery action that the driver reports as necessary."""
    action = (gpu.recovery_action or "none").lower()
    if action not in ("none", *ACTIONS):
        text = "may need a recovery action: the driver reports an unknown action."
        yield of_gpu(look, gpu.pci, "gpu-recovery-action", UNKNOWN, text, evidence=gpu.recovery_action, again=REPLACE)
    elif action != "none":
        text = "needs a recovery action, according to the driver."
        yield of_gpu(
            look,
            gpu.pci,
            "gpu-recovery-action",
            REBOOT,
            text,
            evidence=gpu.recovery_action,
            again=REPLACE,
            folded=_announced(look, gpu.pci),
        )
    elif gpu.reset_required:
        yield of_gpu(look, gpu.pci, "gpu-reset-required", REBOOT, "needs a reset.", evidence="reset_required: Yes", again=REPLACE)


def _announced(look: Look, pci: str) -> tuple[str, ...]:
    """The label of the kernel record about the same recovery action; empty without one. The record is not a problem of its own."""
    records = [each for each in look.state.log.events if (each.kind, each.code, each.pci) == ("xid", REGISTERED, pci)]
    return (f"Xid {REGISTERED}",) if records else ()


def _memory(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    memory, rows = gpu.memory, gpu.memory.rows
    if rows and rows.failed:
        text, evidence = "could not remap a row of its memory.", f"remapped_row_failure: Yes{_spare(rows)}"
        yield of_gpu(look, gpu.pci, "gpu-rows-failed", REPLACE, text, evidence=evidence)
    elif rows and rows.pending:
        text = "waits for a reset to remap a row of its memory. Reboot the node when it is idle; jobs may continue until then."
        evidence = f"remapped_row_pending: Yes{_spare(rows)}"
        yield of_gpu(look, gpu.pci, "gpu-rows-pending", WATCH, text, evidence=evidence, again=REPLACE, live=True)
    if memory.unrepairable:
        yield of_gpu(
            look, gpu.pci, "gpu-memory-unrepairable", REPLACE, "has irreparable memory.", evidence="unrepairable_memory: Yes"
        )
    elif memory.repair_pending:
        text = "waits for a reset to repair its memory."
        yield of_gpu(look, gpu.pci, "gpu-repair-pending", REBOOT, text, evidence="repair_pending: Yes", again=REPLACE, live=True)
    if memory.sram_threshold_exceeded:
        text = "has more SRAM errors than NVIDIA's threshold allows."
        yield of_gpu(look, gpu.pci, "gpu-sram", REPLACE, text, evidence="sram_threshold_exceeded: Yes")
    if memory.pages_retired is not None and memory.pages_retired > look.profile.pages_retired:
        evidence = f"double_bit_retirement: {memory.pages_retired}"
        yield of_gpu(look, gpu.pci, "gpu-pages-retired", REPLACE, "has retired too many pages of its memory.", evidence=evidence)
    elif memory.page_pending:
        text = "waits for a reset to retire a page of its memory. Reboot the node when it is idle; jobs may continue until then."
        yield of_gpu(look, gpu.pci, "gpu-rows-pending", WATCH, text, evidence="pending_retirement: Yes", again=REPLACE, live=True)


def _spare(rows: Rows) -> str:
    """A text about memory banks with few or no spare rows left. Such banks are no fault by themselves."""
    return "".join(f", {name}: {rows.spare[name]} bank(s)" for name in _FEW if rows.spare.get(name))


def _heat(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    """Check the distance to the temperature limit, because limits differ by model and board."""
    if gpu.margin is not None and gpu.margin <= 0:
        evidence = f"gpu_temp_tlimit: {gpu.margin} C"
        yield of_gpu(look, gpu.pci, "gpu-hot", WATCH, "has reached its temperature limit.", evidence=evidence)


def _held_back(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    """Check the time that the driver counts. Without counters, the reason must be active in two consecutive checks."""
    before = look.before()
    if not gpu.utilization or before is None:
        return
    last, seconds = before
    if gpu.held_back_us:
        counted = dict(grown(last.held_back_us.get(gpu.uuid, {}), gpu.held_back_us))
        shares = {name: counted[name] / 10_000 / seconds for name in (*HELD_BACK, SLOWED_FOR_HEAT) if name in counted}
        reasons = [name for name, share in shares.items() if share >= look.profile.held_back_percent]
    else:
        reasons = [name for name in HELD_BACK if name in gpu.held_back and name in last.held_back.get(gpu.uuid, ())]
    if reasons:
        by_driver = reasons == [SLOWED_FOR_HEAT]
        why = "slowed down by its driver because of heat" if by_driver else "slowed down by the hardware"
        text = f"is {why} under load."
        yield of_gpu(look, gpu.pci, "gpu-held-back", WATCH, text, evidence=", ".join(reasons))


def _narrow(look: Look) -> t.Iterator[Problem]:
    """Compare widths with the node's other GPUs, not with the model's maximum: some instance types have half the lanes."""
    widths = collections.Counter(gpu.link.width for gpu in look.gpus if gpu.link.width)
    if not widths:
        return
    usual, count = widths.most_common(1)[0]
    for gpu in look.gpus:
        if count >= PEERS and gpu.link.width and usual and gpu.link.width < usual:
            text = f"has {gpu.link.width} PCIe lanes, but {count} other GPUs of the node have {usual}."
            yield of_gpu(
                look,
                gpu.pci,
                "gpu-pcie-width",
                WATCH,
                text,
                evidence=f"current_link_width: {gpu.link.width}x",
                again=REBOOT,
                live=True,
            )


def _dcgm(look: Look) -> t.Iterator[Problem]:
    """Warnings are no problem, and failures caused by the setup make no GPU unfit."""
    for each in look.state.dcgm:
        if each.status == "warn" or each.severity == _NOTHING or any(words in each.text.lower() for words in _BUSY):
            continue
        if each.status != "fail":
            text = f"DCGM test {each.test} ended with an unknown status."
            yield Problem("gpu-dcgm", UNKNOWN, HARDWARE, text, key=each.test, evidence=each.status or "no status")
            continue
        of_setup = each.severity == _CONFIG or (each.severity is None and each.test.lower().startswith(_OF_THE_SETUP))
        verdict, again = (REBOOT, REPLACE) if each.severity in (_ISOLATE, _RESET) else (WATCH, "")
        more: dict[str, t.Any] = {"cause": CONFIG if of_setup else HARDWARE, "evidence": each.text, "again": again}
        if each.gpu is not None and each.gpu < len(look.gpus):
            yield of_gpu(look, look.gpus[each.gpu].pci, "gpu-dcgm", verdict, f"fails DCGM test {each.test}.", **more)
        else:
            yield Problem("gpu-dcgm", verdict, text=f"The node fails DCGM test {each.test}.", key=each.test, **more)
