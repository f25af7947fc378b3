# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What the kernel said of accelerators in this boot. Standard library only, Python 3.9 syntax.

Lines are matched as drivers write them; what follows an event on lines of its own (registers, histories) is no event. Times are
seconds since the boot: the clock may have been set meanwhile.
"""

from __future__ import annotations

import json
import math
import re
import typing as t

from ..._core.text import lines_of
from .model import Hole, KernelEvent
from .values import DAMAGED_ROM, address

NEWEST = 20_000
"""Lines of the journal: in all their fields they are about 15 MB, of which ``tools.LARGEST`` is twice as much."""
JOURNAL = ("journalctl", "-k", "-b", "-o", "json", "--no-pager", "--quiet", f"--lines={NEWEST}")
MESSAGE_ALONE = "--output-fields=MESSAGE"
"""Beside the fields that are always there, the boot and the times among them. systemd has this option since 236."""
RING = ("dmesg",)

_XID = re.compile(r"NVRM: Xid \((?:PCI:)?([0-9a-fA-F:.]+)[^)]*\): (\d+)(?:, (.*))?$")
_SXID = re.compile(r"nvidia-nvswitch\d+: SXid \(PCI:([0-9a-fA-F:.]+)\): (\d+), (.*)$")
_GONE = re.compile(r"NVRM: GPU ([0-9a-fA-F:.]+): GPU has fallen off the bus\.?$")
_PROCESS = re.compile(r"pid='?(\d+|<unknown>)'?, name=(.*?), ")
_OF_SEVERAL_LINES = re.compile(r"NVRM: The NVIDIA GPU ([0-9a-fA-F:.]+)")
_MORE_LINES = 2
_FALLEN = "installed in this system has fallen off the bus"
"""Lines that begin alike may go on otherwise, as for a GPU that the driver does not support."""
_DRIVER = "NVRM: "
UNINITIALIZED = "RmInitAdapter failed"
"""The driver could not initialize the GPU."""
_UNINITIALIZED = re.compile(rf"NVRM: (?:GPU ([0-9a-fA-F:.]+): )?{UNINITIALIZED}")
_NEURON = re.compile(r"NEURON_HW_ERR=(\w+)")
_EFA = re.compile(r"(?:infiniband (rdmap\w+)|efa ([0-9a-fA-F:]+\.[0-7])): (.*)$")
_EFA_FATAL = (
    "Wait for completion (polling) timeout",
    "didn't send any completion for admin cmd",
    "Admin queue is closed",
    "Reset indication didn't turn",
    "Device isn't ready",
)
"""The ena driver writes the same, without the name of an RDMA device before it."""
_LOST = ("Rate limiting", "callbacks suppressed", "Missed ")
_RING_LINE = re.compile(r"\[\s*(\d+\.\d+)\] (.*)$")
DETAIL_CHARACTERS = 300
_BEGINS_WITHIN = 300
"""Seconds after the boot: journald starts late on a slow node. The files that it deletes for want of space are of hours."""


class Unreadable(Exception):
    """It is no log of this boot; the message says why."""


def of_journal(text: str, boot_id: str) -> list[tuple[float, str]]:
    """Seconds since the boot and lines, of ``journalctl -o json``. A line that is no text comes as a list of bytes.

    What is cut off is left out: see ``is_cut``.
    """
    found = []
    for line in lines_of(text)[: -1 if is_cut(text) else None]:
        try:
            entry = json.loads(line)
            if entry.get("_BOOT_ID", boot_id.replace("-", "")) != boot_id.replace("-", ""):
                continue
            found.append((int(entry["__MONOTONIC_TIMESTAMP"]) / 1_000_000, _message(entry["MESSAGE"])))
        except (AttributeError, KeyError, TypeError, ValueError):
            raise Unreadable("a line of it is no entry of the journal") from None
    return found


def is_cut(text: str) -> bool:
    return bool(text) and not text.endswith("\n")


def of_ring(text: str) -> list[tuple[float, str]]:
    """The same of ``dmesg``, whose oldest lines may be gone. Further lines of a message stand below its first, without a time."""
    found: list[tuple[float, str]] = []
    for line in lines_of(text):
        match = _RING_LINE.match(line)
        if match:
            found.append((float(match.group(1)), match.group(2)))
        elif found and line.startswith(" "):
            found.append((found[-1][0], line.strip()))
    return found


def events(lines: t.Iterable[tuple[float, str]]) -> tuple[KernelEvent, ...]:
    told = [(at, line) for at, message in lines for line in lines_of(message)]
    return (*(event for at, line in told for event in _events(at, line)), *_fallen(told))


def holes_of_journal(lines: t.Sequence[tuple[float, str]], *, cut: bool) -> tuple[Hole, ...]:
    """
    :param cut: Whether the answer was, which lacks the newest lines then.
    """
    found = [Hole(math.inf, "it is too long to be read to its end")] if cut else []
    begin = min((at for at, _line in lines), default=math.inf)
    if len(lines) >= NEWEST:
        found.append(Hole(begin, f"only its newest {NEWEST} lines were read, which begin {begin:.0f} s after the boot"))
    elif begin > _BEGINS_WITHIN:
        found.append(Hole(begin, f"the journal has lost its oldest lines, and begins {begin:.0f} s after the boot"))
    return (*found, *_left_out(lines))


def holes_of_ring(lines: t.Sequence[tuple[float, str]]) -> tuple[Hole, ...]:
    """The kernel's first line is at the boot itself. A buffer that begins later has forgotten what was before."""
    if not lines:
        return (Hole(math.inf, "its lines have no times"),)
    begin = lines[0][0]
    forgotten = (Hole(begin, f"the kernel's buffer begins {begin:.0f} s after the boot"),) if begin else ()
    return (*forgotten, *_left_out(lines))


def _left_out(lines: t.Iterable[tuple[float, str]]) -> tuple[Hole, ...]:
    """What the kernel itself says that it left out of the driver's lines."""
    times = [at for at, line in lines if "NVRM" in line and any(words in line for words in _LOST)]
    return (Hole(max(times), f"the driver left lines out, last {max(times):.0f} s after the boot"),) if times else ()


def _fallen(lines: t.Iterable[tuple[float, str]]) -> t.Iterator[KernelEvent]:
    """What the driver says of a GPU over three lines, as one message or as three, with others' lines between them."""
    place, said, left = "", "", 0
    for at, line in lines:
        begin, words = _OF_SEVERAL_LINES.search(line), line.strip()
        if begin:
            place, said, left = begin.group(1), line[begin.end() :].strip(), _MORE_LINES
        elif left and words.startswith(_DRIVER):
            said, left = f"{said} {words[len(_DRIVER) :]}", left - 1
        else:
            continue
        if _FALLEN in said:
            yield _event("gone", at, said, place=place)
            said, left = "", 0


def _message(message: t.Any) -> str:
    if isinstance(message, list):
        return bytes(message).decode(errors="replace")
    return str(message)


def _events(at: float, line: str) -> t.Iterator[KernelEvent]:
    xid, sxid, gone, rom = _XID.search(line), _SXID.search(line), _GONE.search(line), DAMAGED_ROM.search(line)
    if xid:
        detail = xid.group(3) or ""
        process = _PROCESS.match(detail)
        words = detail[process.end() :] if process else detail
        pid, name = process.groups() if process else ("", "")
        yield _event("xid", at, words, code=int(xid.group(2)), place=xid.group(1), process=name, pid=pid)
    elif sxid:
        yield _event("sxid", at, sxid.group(3), code=int(sxid.group(2)), place=sxid.group(1))
    elif gone:
        yield _event("gone", at, line, place=gone.group(1))
    elif rom:
        yield _event("inforom", at, line, place=rom.group(1))
    else:
        yield from _of_others(at, line)


def _of_others(at: float, line: str) -> t.Iterator[KernelEvent]:
    neuron, efa, uninitialized = _NEURON.search(line), _EFA.search(line), _UNINITIALIZED.search(line)
    if neuron:
        yield _event("neuron", at, neuron.group(1))
    elif efa and any(words in efa.group(3) for words in _EFA_FATAL):
        yield _event("efa", at, efa.group(3), place=efa.group(2) or "", device=efa.group(1) or "")
    elif uninitialized:
        yield _event("driver", at, line[line.index(UNINITIALIZED) :], place=uninitialized.group(1) or "")
    elif "NVRM: No NVIDIA GPU found" in line:
        yield _event("driver", at, line[line.index(_DRIVER) + len(_DRIVER) :])


def _event(kind: str, at: float, detail: str, *, code: int = 0, place: str = "", **more: str) -> KernelEvent:
    process, device, pid = more.get("process", "").strip("'"), more.get("device", ""), more.get("pid", "")
    words = detail[:DETAIL_CHARACTERS].strip()
    return KernelEvent(kind, code, address(place), device, at, process, words, pid if pid.isdecimal() else "")
