# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds events of accelerators in the kernel records of this boot. Standard library only, Python 3.9 syntax.

A record must match a driver's format completely. Records that only add details to an event (registers, histories) are no events.
``health`` decides whether the device belongs to the node and shows the fault.
"""

from __future__ import annotations

import re
import typing as t

from .kernel_records import OTHER, TEXT, Record
from .model import KernelEvent
from .values import address

_PLACE = r"(?:[0-9a-fA-F]{4}){1,2}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}"
_FUNCTION = r"\.[0-7]"
_OF_XID = rf"NVRM: Xid \((?:PCI:)?({_PLACE}(?:{_FUNCTION})?)(?: GPU-I:\d{{2,3}}(?: GPU-CI:\d{{2,3}})?)?\): (\d{{1,3}})"
"""With MIG, the record also has the numbers of the GPU instance and the compute instance."""
_XID = re.compile(rf"{_OF_XID}(?:, (.*))?")
_TORN_XID = re.compile(rf"{_OF_XID}, .*", re.DOTALL)
_PROCESS = re.compile(r"pid='?(\d+|<unknown>)'?, name=(.*?), ")
_SXID = re.compile(rf"nvidia-nvswitch\d{{1,2}}: SXid \(PCI:({_PLACE}(?:{_FUNCTION})?)\): (\d{{5}}), (.*)")
_MORE_OF_SXID = re.compile(r"(?:Severity \d|Data \{).*")
_GONE = re.compile(rf"NVRM: GPU ({_PLACE}{_FUNCTION}): GPU has fallen off the bus\.?")
_FALLEN = re.compile(
    rf"The NVIDIA GPU ({_PLACE}{_FUNCTION})(?: \(PCI ID: [0-9a-fA-F:]{{9}}\))? installed in this system has fallen off the bus"
    r" and is not responding to commands\."
)
"""Matched completely, because other records have the same beginning, for example for unsupported GPUs."""
_FALLEN_LINES, _FALLEN_SECONDS = 3, 1.0
_ROM = re.compile(rf"(?:NVRM: (?:GPU at PCI:{_PLACE}: )?)?WARNING: infoROM is corrupted at gpu ({_PLACE}(?:{_FUNCTION})?)")
_DRIVER = "NVRM: "
UNINITIALIZED = "RmInitAdapter failed"
"""The text of the driver if it could not initialize the GPU."""
_UNINITIALIZED = re.compile(rf"NVRM: (?:GPU ({_PLACE}{_FUNCTION}): )?({UNINITIALIZED}! \([0-9a-fA-Fx:]+\))")
_NO_GPU = re.compile(r"NVRM: (No NVIDIA GPU found\.)")
_EFA = re.compile(
    rf"(?:infiniband (rdmap\w+)|efa ({_PLACE}{_FUNCTION})): "
    r"(Wait for completion \(polling\) timeout.*|(?:The device )?didn't send any completion for admin cmd.*"
    r"|Admin queue is closed|Reset indication didn't turn o(?:n|ff).*|Device isn't ready.*)"
)
"""The beginning is required, because the ena driver writes the same texts about network interfaces."""
_NEURON = re.compile(r"(?:\d{4}-\d\d-\d\dT\S+ |(?:neuron: )?(?:nd\d+: )?)NEURON_HW_ERR=([A-Z_]{1,40}_ERROR)(?: .*)?")
"""The Neuron driver logs any text from a process that can open a device (``NEURON_IOCTL_PRINTK``), without a prefix.
Therefore, users of a node with Neuron devices can forge these and all other records."""
DETAIL_CHARACTERS = 300


def events(records: t.Sequence[Record]) -> tuple[KernelEvent, ...]:
    counted = [each for each in records if each.source != OTHER]
    return (*(event for each in counted for event in _events(each)), *_fallen(counted))


def _fallen(records: t.Iterable[Record]) -> t.Iterator[KernelEvent]:
    """The three-line message of the driver about a GPU, in one record or in up to three consecutive records."""
    recent: list[Record] = []
    for record in (each for each in records if each.text.startswith(_DRIVER)):
        recent = [each for each in (*recent, record)[-_FALLEN_LINES:] if record.at - each.at <= _FALLEN_SECONDS]
        for begin in range(len(recent)):
            words = " ".join(_words(each) for each in recent[begin:])
            match = _FALLEN.fullmatch(words)
            if match:
                yield _event(record, "gone", words, place=match.group(1))
                recent = []
                break


def _words(record: Record) -> str:
    """The text without the driver's name at the beginning of each line."""
    lines = [line.strip() for line in record.text.split("\n")]
    return " ".join(line[len(_DRIVER) :] if line.startswith(_DRIVER) else line for line in lines).strip()


def _events(record: Record) -> t.Iterator[KernelEvent]:
    text = record.text
    xid, sxid, gone, rom = (each.fullmatch(text) for each in (_XID, _SXID, _GONE, _ROM))
    if xid:
        detail = xid.group(3) or ""
        process = _PROCESS.match(detail)
        words = detail[process.end() :] if process else detail
        pid, name = process.groups() if process else ("", "")
        yield _event(record, "xid", words, code=int(xid.group(2)), place=xid.group(1), process=name, pid=pid)
    elif sxid:
        if not _MORE_OF_SXID.fullmatch(sxid.group(3)):
            yield _event(record, "sxid", sxid.group(3), code=int(sxid.group(2)), place=sxid.group(1))
    elif gone:
        yield _event(record, "gone", text, place=gone.group(1))
    elif rom:
        yield _event(record, "inforom", text, place=rom.group(1))
    else:
        yield from _of_others(record)


def _of_others(record: Record) -> t.Iterator[KernelEvent]:
    text = record.text
    efa, uninitialized, none, neuron, torn = (each.fullmatch(text) for each in (_EFA, _UNINITIALIZED, _NO_GPU, _NEURON, _TORN_XID))
    if efa:
        yield _event(record, "efa", efa.group(3), place=efa.group(2) or "", device=efa.group(1) or "")
    elif uninitialized:
        yield _event(record, "driver", uninitialized.group(2), place=uninitialized.group(1) or "")
    elif none:
        yield _event(record, "driver", none.group(1))
    elif neuron:
        yield _event(record, "neuron", neuron.group(1))
    elif torn:
        yield _event(record, "torn", text, place=torn.group(1))


def _event(record: Record, kind: str, detail: str, *, code: int = 0, place: str = "", **more: str) -> KernelEvent:
    process, device, pid = more.get("process", "").strip("'"), more.get("device", ""), more.get("pid", "")
    words = detail[:DETAIL_CHARACTERS].strip()
    number = pid if pid.isdecimal() else ""
    return KernelEvent(kind, code, address(place), device, record.at, process, words, number, hint=record.source == TEXT)
