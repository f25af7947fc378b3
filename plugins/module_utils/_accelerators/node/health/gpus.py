# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""GPUs as the driver tells of them at this moment. Standard library only, Python 3.9 syntax.

Counters of a lifetime, and what was corrected, are no problem: all GPUs have them.
"""

from __future__ import annotations

import collections
import typing as t

from ..model import Gpu, Rows
from .look import Look, grown
from .problem import CONFIG, HARDWARE, REBOOT, REPLACE, UNKNOWN, WATCH, Problem
from .xid_verdicts import REGISTERED

HELD_BACK = ("hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown")
"""Reasons that no healthy GPU has under load; idle ones, caps and clocks that somebody set are ordinary."""
SLOWED_FOR_HEAT = "sw_thermal_slowdown"
"""The driver slows it down before the hardware has to. A moment of it is ordinary, so only time that is counted counts."""
PEERS = 3
"""So many GPUs agree on a width before another one is narrow."""
_LOST_FIELDS = 3
_FEW = ("partial", "low", "none")
_NOTHING, _ISOLATE, _CONFIG, _RESET = 0, 2, 5, 6
"""Severities of DCGM."""
_OF_THE_SETUP = ("persistence", "environment", "graphics", "permissions", "denylist", "blacklist")
"""Tests of DCGM 2 and 3, which have no severity."""
_BUSY = ("in use", "paused")
"""Another one has DCGM's profiling, so the test could not be made."""
_DENIED = "insufficient permissions"
"""Of whoever asks, as in a container: no fault of the GPU."""
_SECTIONS = ("gpu_recovery_action", "gpu_reset_status", "remapped_rows", "retired_pages")
_VALUES = ("sram_threshold_exceeded", "channel_repair_pending", "tpc_repair_pending", "unrepairable_memory", "ecc_errors")
"""Values that would make a GPU unfit: while one of them could not be read, nobody can say that the GPU is fit."""
ACTIONS = ("reset", "gpu reset", "bus reset", "reboot", "node reboot", "system reboot", "drain p2p", "drain and reset")
"""Recovery actions besides ``None``, in the words of nvidia-smi and of NVML's nvmlDeviceGpuRecoveryAction_t."""


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
    """A problem of one GPU; the text goes on after its name."""
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
        text = "is not known to the driver, but to the kernel." if pci in kernel else "has gone from the PCIe bus."
        yield of_gpu(look, pci, "gpu-missing", look.once_settled(REBOOT), text, evidence=look.uninitialized(pci), again=REPLACE)
    count, wanted = len(reached) + len(missing) + len(set(state.lost) - reached), look.expected.gpus
    if wanted is not None and count < wanted:
        text = f"{count} of {wanted} GPUs are there (expected by {look.expected.source})."
        yield Problem("gpu-missing", look.once_settled(REBOOT), HARDWARE, text, again=REPLACE)


def _reachable(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    broken = faults(gpu)
    if any(text.lower().startswith("gpu requires reset") for text in broken.values()):
        yield of_gpu(look, gpu.pci, "gpu-reset-required", REBOOT, "needs a reset.", evidence="GPU requires reset", again=REPLACE)
    elif is_lost(look, gpu):
        yield of_gpu(look, gpu.pci, "gpu-lost", REBOOT, "does not answer the driver.", evidence=_some(broken), again=REPLACE)
    elif any(map(_decides, gpu.unread)):
        unread = {path.rpartition("/")[2]: text for path, text in gpu.unread.items() if _decides(path)}
        text = "has values that could not be read and that would make it unfit."
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
    """Fields in whose place the driver has an error of the GPU."""
    return {name: text for name, text in gpu.broken.items() if _DENIED not in text.lower()}


def is_lost(look: Look, gpu: Gpu) -> bool:
    """Nearly all values of a lost GPU are errors, so errors in sections alone that the collection does not read do not show it."""
    broken = faults(gpu)
    apart = look.state.smi.apart.get(gpu.pci, frozenset()) if look.state.smi else frozenset()
    many = len(broken) >= _LOST_FIELDS and not set(broken) <= apart
    return many or any(text.lower().startswith("gpu is lost") for text in broken.values())


def _decides(path: str) -> bool:
    return path.partition("/")[0] in _SECTIONS or path.rpartition("/")[2] in _VALUES


def _some(values: t.Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {text}" for name, text in list(values.items())[:_LOST_FIELDS])


def _recovery(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    """The driver's own word of what the GPU needs."""
    action = (gpu.recovery_action or "none").lower()
    if action not in ("none", *ACTIONS):
        text = "may need a recovery action: what its driver reports is not known."
        yield of_gpu(look, gpu.pci, "gpu-recovery-action", UNKNOWN, text, evidence=gpu.recovery_action, again=REPLACE)
    elif action != "none":
        text = "needs what its driver calls a recovery action."
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
    """The record in the kernel's log that says the same, and counts for nothing by itself."""
    records = [each for each in look.state.log.events if (each.kind, each.code, each.pci) == ("xid", REGISTERED, pci)]
    return (f"Xid {REGISTERED}",) if records else ()


def _memory(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    memory, rows = gpu.memory, gpu.memory.rows
    if rows and rows.failed:
        text, evidence = "could not remap a row of its memory.", f"remapped_row_failure: Yes{_spare(rows)}"
        yield of_gpu(look, gpu.pci, "gpu-rows-failed", REPLACE, text, evidence=evidence)
    elif rows and rows.pending:
        text = "waits for a reset to remap a row of its memory: reboot the node once it is idle. Work on it may go on."
        evidence = f"remapped_row_pending: Yes{_spare(rows)}"
        yield of_gpu(look, gpu.pci, "gpu-rows-pending", WATCH, text, evidence=evidence, again=REPLACE, live=True)
    if memory.unrepairable:
        yield of_gpu(
            look, gpu.pci, "gpu-memory-unrepairable", REPLACE, "has memory beyond repair.", evidence="unrepairable_memory: Yes"
        )
    elif memory.repair_pending:
        text = "waits for a reset to repair its memory."
        yield of_gpu(look, gpu.pci, "gpu-repair-pending", REBOOT, text, evidence="repair_pending: Yes", again=REPLACE, live=True)
    if memory.sram_threshold_exceeded:
        text = "has more errors in its SRAM than NVIDIA takes for sound."
        yield of_gpu(look, gpu.pci, "gpu-sram", REPLACE, text, evidence="sram_threshold_exceeded: Yes")
    if memory.pages_retired is not None and memory.pages_retired > look.profile.pages_retired:
        evidence = f"double_bit_retirement: {memory.pages_retired}"
        yield of_gpu(look, gpu.pci, "gpu-pages-retired", REPLACE, "has retired too many pages of its memory.", evidence=evidence)
    elif memory.page_pending:
        text = "waits for a reset to retire a page of its memory: reboot the node once it is idle. Work on it may go on."
        yield of_gpu(look, gpu.pci, "gpu-rows-pending", WATCH, text, evidence="pending_retirement: Yes", again=REPLACE, live=True)


def _spare(rows: Rows) -> str:
    """Banks of memory that have few spare rows left, or none: no fault by themselves."""
    return "".join(f", {name}: {rows.spare[name]} bank(s)" for name in _FEW if rows.spare.get(name))


def _heat(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    """By the distance to the limit: limits differ by model and board."""
    if gpu.margin is not None and gpu.margin <= 0:
        evidence = f"gpu_temp_tlimit: {gpu.margin} C"
        yield of_gpu(look, gpu.pci, "gpu-hot", WATCH, "is at the limit of its temperature.", evidence=evidence)


def _held_back(look: Look, gpu: Gpu) -> t.Iterator[Problem]:
    """By the time that the driver counts; one that does not count shows the reason in two looks, one after the other."""
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
        why = "slowed down by its driver for its heat" if by_driver else "held back by the hardware"
        text = f"is {why} while it works."
        yield of_gpu(look, gpu.pci, "gpu-held-back", WATCH, text, evidence=", ".join(reasons))


def _narrow(look: Look) -> t.Iterator[Problem]:
    """Compared with the other GPUs of the node, never with what the model could do: some types have half the lanes."""
    widths = collections.Counter(gpu.link.width for gpu in look.gpus if gpu.link.width)
    if not widths:
        return
    usual, count = widths.most_common(1)[0]
    for gpu in look.gpus:
        if count >= PEERS and gpu.link.width and usual and gpu.link.width < usual:
            text = f"has {gpu.link.width} PCIe lanes where the others have {usual}."
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
    """A warning is no problem, and what the setup is at fault for makes no GPU unfit."""
    for each in look.state.dcgm:
        if each.status == "warn" or each.severity == _NOTHING or any(words in each.text.lower() for words in _BUSY):
            continue
        if each.status != "fail":
            text = f"DCGM's test {each.test} ended with a status that is not known."
            yield Problem("gpu-dcgm", UNKNOWN, HARDWARE, text, key=each.test, evidence=each.status or "no status")
            continue
        of_setup = each.severity == _CONFIG or (each.severity is None and each.test.lower().startswith(_OF_THE_SETUP))
        verdict, again = (REBOOT, REPLACE) if each.severity in (_ISOLATE, _RESET) else (WATCH, "")
        more: dict[str, t.Any] = {"cause": CONFIG if of_setup else HARDWARE, "evidence": each.text, "again": again}
        if each.gpu is not None and each.gpu < len(look.gpus):
            yield of_gpu(look, look.gpus[each.gpu].pci, "gpu-dcgm", verdict, f"fails DCGM's test {each.test}.", **more)
        else:
            yield Problem("gpu-dcgm", verdict, text=f"The node fails DCGM's test {each.test}.", key=each.test, **more)
