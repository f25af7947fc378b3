# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads kernel records from the journal or /dev/kmsg, and lines of dmesg. Standard library only, Python 3.9 syntax.

Users choose parts of many records, such as names of processes and files, and mount options. Therefore, a record is unescaped once
and never split, and only records of the kernel itself (facility 0) count. The text of dmesg does not show where a record begins, so
its lines are only hints. Times are in seconds since the boot, because the clock may have been changed.
"""

from __future__ import annotations

import json
import math
import os
import re
import typing as t
from dataclasses import dataclass

from ..._core.text import lines_of
from .model import Hole

NEWEST = 20_000
"""The number of journal lines to read, about 15 MB with all fields. ``tools.LARGEST`` is twice that size."""
JOURNAL = ("journalctl", "-k", "-b", "-o", "json", "--no-pager", "--quiet", f"--lines={NEWEST}")
NEEDED_FIELDS = "--output-fields=MESSAGE,_TRANSPORT,SYSLOG_FACILITY"
"""The fields in addition to the default ones, which include boot and times. Requires systemd 236."""
RING = ("dmesg",)
KMSG = "dev/kmsg"
"""The path of the kernel's buffer below the root folder of the node."""

KERNEL, OTHER, TEXT = "kernel", "other", "text"
_KERN = 0
"""The kernel's own facility. Messages written to /dev/kmsg have a different one."""
_RECORD = re.compile(rb"(\d+),\d+,(\d+),([^,;]*)[^;]*;(.*)")
"""Priority and facility, number, microseconds, flags; then the text (kernel, Documentation/ABI/testing/dev-kmsg)."""
_WHOLE = b"-"
_ESCAPED = re.compile(rb"\\x([0-9a-f]{2})")
_ONE_READ = 16384
_LARGEST = 64 * 1024 * 1024
_RING_LINE = re.compile(r"\[\s*(\d+\.\d+)\] (.*)$")
_LOST = re.compile(r"NVRM: (?!.{0,9}\[\d+\]).*(?:Rate limiting|callbacks suppressed|Missed (?:\w{3}|\d+ \w)).*")
"""Records that begin with a process name, which has at most 15 characters, are not from the driver."""
_BEGINS_WITHIN = 300
"""A complete journal begins within this number of seconds after the boot, because journald may start late on a slow node. A journal
whose oldest files were deleted begins hours later.
"""


class Unreadable(Exception):
    """The output is not a log of this boot; the message gives the reason."""


@dataclass(frozen=True)
class Record:
    at: float
    text: str
    source: str = KERNEL
    """``kernel`` for a complete record of the kernel, ``text`` for a line of dmesg, ``other`` for everything else."""


def of_journal(text: str, boot_id: str) -> list[Record]:
    """The records of ``journalctl -o json``, without an incomplete last line (``is_cut``)."""
    boot = boot_id.replace("-", "")
    found = []
    for line in lines_of(text)[: -1 if is_cut(text) else None]:
        try:
            entry = json.loads(line, strict=False)
            if entry.get("_BOOT_ID", boot) == boot:
                own = entry.get("_TRANSPORT") == "kernel" and entry.get("SYSLOG_FACILITY") == str(_KERN) and "_BOOT_ID" in entry
                at = int(entry["__MONOTONIC_TIMESTAMP"]) / 1_000_000
                found.append(Record(at, _message(entry["MESSAGE"]), KERNEL if own else OTHER))
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            raise Unreadable("a line is not a journal entry") from None
    return found


def is_cut(text: str) -> bool:
    return bool(text) and not text.endswith("\n")


def of_kmsg(content: bytes) -> list[Record]:
    """The kernel escapes line feeds, so each line is one record. Lines that begin with a space only add fields to a record."""
    matches = [match for match in map(_RECORD.fullmatch, content.split(b"\n")) if match]
    return [_record(*match.groups()) for match in matches]


def read_kmsg(path: str) -> tuple[bytes, bool]:
    """The current content of the buffer, and whether records were overwritten during the read. One read returns one record."""
    parts: list[bytes] = []
    overwritten, size = False, 0
    device = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while size < _LARGEST:
            try:
                part = os.read(device, _ONE_READ)
            except BlockingIOError:
                break
            except BrokenPipeError:  # the next read continues with the oldest remaining record
                overwritten = True
                continue
            if not part:
                break
            parts.append(part)
            size += len(part)
    finally:
        os.close(device)
    return b"".join(parts), overwritten


def of_ring(text: str) -> list[Record]:
    """The lines of ``dmesg``; the oldest may be missing. A record's later lines follow the first, usually without a time."""
    found: list[Record] = []
    for line in lines_of(text):
        match = _RING_LINE.match(line)
        if match:
            found.append(Record(float(match.group(1)), match.group(2), TEXT))
        elif found and line.startswith(" "):
            found.append(Record(found[-1].at, line.strip(), TEXT))
    return found


def holes_of_journal(records: t.Sequence[Record], *, cut: bool) -> tuple[Hole, ...]:
    """
    :param cut: whether the output was cut off, and lacks the newest lines.
    """
    found = [Hole(math.inf, "it is too long to be read completely")] if cut else []
    begin = min((each.at for each in records), default=math.inf)
    if len(records) >= NEWEST:
        found.append(Hole(begin, f"only its newest {NEWEST} lines were read, which begin {begin:.0f} s after the boot"))
    elif begin > _BEGINS_WITHIN:
        found.append(Hole(begin, f"the journal lacks its oldest lines, and begins {begin:.0f} s after the boot"))
    return (*found, *_left_out(records))


def holes_of_buffer(records: t.Sequence[Record], *, overwritten: bool = False) -> tuple[Hole, ...]:
    """The missing lines of the buffer. A complete buffer begins at time 0; a buffer that begins later lacks older records."""
    if not records:
        return (Hole(math.inf, "its lines have no times"),)
    begin = records[0].at
    forgotten = [Hole(begin, f"the kernel's buffer begins {begin:.0f} s after the boot")] if begin else []
    lost = [Hole(math.inf, "records were overwritten while the kernel's buffer was read")] if overwritten else []
    text = [Hole(math.inf, "only lines of dmesg could be read, which are only hints")] if records[0].source == TEXT else []
    return (*forgotten, *lost, *text, *_left_out(records))


def _left_out(records: t.Iterable[Record]) -> tuple[Hole, ...]:
    """The lines that the driver reports as suppressed. Lines of dmesg are not searched: they always count as incomplete."""
    times = [each.at for each in records if each.source == KERNEL and _LOST.fullmatch(each.text)]
    return (Hole(max(times), f"the driver suppressed lines, most recently {max(times):.0f} s after the boot"),) if times else ()


def _record(priority: bytes, microseconds: bytes, flags: bytes, text: bytes) -> Record:
    whole = int(priority) >> 3 == _KERN and flags == _WHOLE
    unescaped = _ESCAPED.sub(lambda match: bytes([int(match.group(1), 16)]), text)
    return Record(int(microseconds) / 1_000_000, unescaped.decode(errors="replace"), KERNEL if whole else OTHER)


def _message(message: t.Any) -> str:
    """The journal has a list of bytes for binary messages, and null for messages that are too long."""
    if isinstance(message, list):
        return bytes(message).decode(errors="replace")
    return message if isinstance(message, str) else ""
