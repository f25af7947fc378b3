# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Kernel records about NVSwitches, infoROMs, EFA and Neuron devices. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import replace

from ..model import KernelEvent
from ..values import DAMAGED_ROM_STATUS
from . import sxid_verdicts, witness
from .gpus import of_gpu
from .look import Look
from .problem import EFA_ERROR, FABRIC, GPU_INFOROM, HARDWARE, NVSWITCH_SXID, REBOOT, REPLACE, WATCH, Problem, at_least
from .witness import CONFIRMED, Witness
from .xid_verdicts import Judged

_EFA = Judged(REBOOT, HARDWARE, "the device has failed", REPLACE)
_ROM = Judged(REBOOT, HARDWARE, "the driver could not read it", REPLACE)


def problems(look: Look, events: t.Sequence[KernelEvent]) -> t.Iterator[Problem]:
    """:param events: the records about devices of the node."""
    yield from _sxids(look, [event for event in events if event.kind == "sxid"])
    yield from _inforom(look, [event for event in events if event.kind == "inforom"])
    yield from _efa(look, [event for event in events if event.kind == "efa"])
    yield from _neuron([event for event in events if event.kind == "neuron"])


def _sxids(look: Look, events: t.Sequence[KernelEvent]) -> t.Iterator[Problem]:
    found = witness.of_switch(look) if events else Witness(CONFIRMED)
    seen: set[tuple[str, int]] = set()
    for event in events:
        judged = sxid_verdicts.judged(event.code, event.detail)
        if judged and (event.pci, event.code) not in seen:
            seen.add((event.pci, event.code))
            judged = _settled(look, event, judged, found)
            part = f"NVSwitch {event.pci}"
            text = f"{part} reported SXid {event.code}{witness.explained(judged)}"
            key = f"{event.pci} SXid {event.code}"
            yield Problem(NVSWITCH_SXID, judged.verdict, FABRIC, text, part, key, event.detail, judged.again)


def _inforom(look: Look, events: t.Sequence[KernelEvent]) -> t.Iterator[Problem]:
    """A damaged infoROM: nvidia-smi prints a warning or exits with a special status, or the kernel reports the damage."""
    tool = look.state.smi.inforom if look.state.smi else ()
    for pci in sorted(set(tool)):
        text = "has a damaged infoROM."
        yield of_gpu(look, pci, GPU_INFOROM, REBOOT, text, evidence="nvidia-smi: infoROM is corrupted", again=REPLACE)
    for pci, event in sorted({event.pci: event for event in events if event.pci not in tool}.items()):
        judged = _settled(look, event, _ROM, witness.of_inforom(look, pci))
        text = f"reported a damaged infoROM{witness.explained(judged)}"
        yield of_gpu(look, pci, GPU_INFOROM, judged.verdict, text, evidence=event.detail, again=judged.again)
    if look.state.smi_status == DAMAGED_ROM_STATUS and not tool and not events:
        text = "The infoROM of a GPU is damaged. nvidia-smi does not name the GPU."
        evidence = f"nvidia-smi -q -x: exit status {DAMAGED_ROM_STATUS}"
        yield Problem(GPU_INFOROM, REBOOT, HARDWARE, text, evidence=evidence, again=REPLACE)


def _efa(look: Look, events: t.Sequence[KernelEvent]) -> t.Iterator[Problem]:
    names = {each.pci: each.name for each in look.state.efa if each.pci}
    by_name: dict[str, KernelEvent] = {}
    for event in events:
        by_name.setdefault(event.device or names.get(event.pci, event.pci), event)
    for name, event in by_name.items():
        judged = _settled(look, event, _EFA, witness.of_efa(look, name))
        text = f"EFA device {name} does not answer its driver, according to the kernel{witness.explained(judged)}"
        yield Problem(EFA_ERROR, judged.verdict, HARDWARE, text, name, name, event.detail, judged.again)


def _neuron(events: t.Sequence[KernelEvent]) -> t.Iterator[Problem]:
    """The records are only hints, because any process that can open a device can cause them. The device's counters decide."""
    text = "The Neuron runtime reported a hardware error. The node is unfit only if counters also show uncorrected errors."
    for word in dict.fromkeys(event.detail for event in events):
        yield Problem("neuron-error", WATCH, HARDWARE, text, key=word, evidence=word)


def _settled(look: Look, event: KernelEvent, judged: Judged, found: Witness) -> Judged:
    if not at_least(judged.verdict, REBOOT):
        return judged
    hint = witness.hint(look, event)
    return replace(judged, verdict=WATCH, again="", unconfirmed=hint) if hint else witness.settled(judged, found)
