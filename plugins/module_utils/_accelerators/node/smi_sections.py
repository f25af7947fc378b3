# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Extracts the sections of ``nvidia-smi -q -x`` that the collection reads, as valid XML.

The tool copies bytes of process names that XML forbids, and some drivers print damaged lists of clocks. Such faults must not
prevent the other sections from being read. Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import re
import typing as t

SECTIONS = frozenset(
    (
        *("product_name", "product_architecture", "persistence_mode", "mig_mode", "serial", "uuid", "gpu_module_id"),
        *("platformInfo", "gpu_reset_status", "gpu_recovery_action", "pci", "clocks_throttle_reasons", "clocks_event_reasons"),
        *("clocks_event_reasons_counters", "utilization", "ecc_mode", "ecc_errors", "retired_pages", "remapped_rows"),
        *("temperature", "fabric"),
    )
)
"""The sections of a GPU that are read. Processes are only counted."""
_OF_NODE = ("driver_version", "cuda_version", "attached_gpus")
_FORBIDDEN = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""Characters outside production 2 of XML 1.0."""
_GPU, _GPU_END = re.compile(r"<gpu(?:\s[^<>]*)?>|</gpu>"), "</gpu>"
_PROCESSES = re.compile(r"<processes>.*</processes>", re.DOTALL)
_PROCESS, _NO_PROCESSES = "<process_info>", re.compile(r"<processes>\s*</processes>|<processes\s*/>")
_FABRIC = re.compile(r"<fabric>.*?</fabric>", re.DOTALL)
_OPEN = re.compile(r"\s*<([A-Za-z_][\w.-]*)(?:\s[^<>]*?)?(/?)>")
_SECTION = re.compile(rf"<(?:{'|'.join(sorted(SECTIONS))})(?:\s[^<>]*?)?/?>")
_CLOSED = re.compile(rf"</(?:{'|'.join(sorted(SECTIONS))})\b")
_LEAF = re.compile(r"<([A-Za-z_][\w.-]*)>([^<>]*)</\1>")


class Damaged(Exception):
    """A section that the collection reads has no end or no beginning, or the document is not from the tool."""


class Chunk(t.NamedTuple):
    """The element of one GPU."""

    xml: str
    processes: int | None
    """The number of processes; None if the tool neither lists processes nor reports that there are none."""
    leaves: tuple[tuple[str, str], ...]
    """The tags and texts of all elements without children, also in unread sections. The fabric is excluded, because its status may
    be an error."""
    read: tuple[tuple[str, str], ...]
    """The tags and texts of the sections that are read."""


def allowed(text: str) -> str:
    """The text without the characters that XML 1.0 forbids."""
    return _FORBIDDEN.sub("", text)


def header(document: str) -> dict[str, str]:
    """The elements of the node, which are before the first GPU.

    :raises Damaged: if they contain a declaration.
    """
    first = _GPU.search(document)
    found = _undeclared(document[: first.start() if first else None])
    return {tag: text for tag, text in _LEAF.findall(found) if tag in _OF_NODE}


def gpus(document: str) -> list[Chunk]:
    """:raises Damaged: if it is not clear where a GPU or one of its sections ends."""
    marks = list(_GPU.finditer(document))
    begins, ends = marks[::2], marks[1::2]
    if [each.group() == _GPU_END for each in marks] != [False, True] * len(ends) or len(begins) != len(ends):
        raise Damaged("the beginning or the end of a GPU is missing")
    return [_chunk(begin.group(), document[begin.end() : end.start()]) for begin, end in zip(begins, ends)]


def _chunk(head: str, inside: str) -> Chunk:
    rest = _undeclared(_PROCESSES.sub("", inside))
    kept = "".join(_sections(rest))
    return Chunk(f"{head}{kept}{_GPU_END}", _processes(inside), _leaves(rest), _leaves(kept))


def _leaves(sections: str) -> tuple[tuple[str, str], ...]:
    return tuple(_LEAF.findall(_FABRIC.sub("", sections)))


def _undeclared(text: str) -> str:
    """The text if it has no declaration. Entities could expand without limit, so only the text before the root may declare them."""
    if "<!" in text:
        raise Damaged("it contains a declaration")
    return text


def _processes(inside: str) -> int | None:
    count = inside.count(_PROCESS)
    return count if count or _NO_PROCESSES.search(inside) else None


def _sections(inside: str) -> t.Iterator[str]:
    """The sections that the collection reads; all others are skipped, well-formed or not."""
    at = 0
    while inside[at:].strip():
        begin = _OPEN.match(inside, at)
        if begin is None:
            at = _after_remains(inside, at)
            continue
        name, empty = begin.groups()
        end = f"</{name}>"
        found = begin.end() if empty else inside.find(end, begin.end())
        if name in SECTIONS:
            if found < 0:
                raise Damaged(f"{name} has no end")
            at = found + (0 if empty else len(end))
            yield inside[begin.start() : at]
        else:
            at = begin.end() if empty or found < 0 else found + len(end)


def _after_remains(inside: str, at: int) -> int:
    """The beginning of the next section after the remains of a malformed unread section."""
    following = _SECTION.search(inside, at)
    end = following.start() if following else len(inside)
    if _CLOSED.search(inside, at, end):
        raise Damaged("a section has an end but no beginning")
    return end
