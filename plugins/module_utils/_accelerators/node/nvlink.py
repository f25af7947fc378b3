# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Parses links (-s) and their errors (-e) from ``nvidia-smi nvlink``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
import typing as t

from ..._core.text import lines_of
from .model import Counts, NvLinks

_GPU = re.compile(r"GPU \d+: .*\(UUID: (GPU-[0-9a-f-]+)\)\s*$")
_LINK = re.compile(r"\s*Link (\d+): (.+?)\s*$")
_INACTIVE = ("<inactive>", "inactive")
_ALL_INACTIVE = "all links are inactive"
_NOT_SUPPORTED = re.compile(r"(?:.*\W)?not supported\.?", re.IGNORECASE)
"""NVML's text for a missing feature, at the end of the tool's line."""
_SPEED = re.compile(r"(\d+(?:\.\d+)?) GB/s")
_COUNTER = re.compile(r"([A-Za-z][\w /.-]*?):\s*(\d+)$")


def links(status: str, errors: str) -> dict[str, NvLinks]:
    """The links, keyed by the UUID of their GPU. Either output may be empty."""
    speeds, counted = _by_gpu(status), _by_gpu(errors)
    return {uuid: _links(speeds.get(uuid), _errors(counted.get(uuid, []))) for uuid in {**speeds, **counted}}


def _by_gpu(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in lines_of(text):
        gpu = _GPU.match(line)
        if gpu:
            lines = found.setdefault(gpu.group(1), [])
        else:
            lines.append(line)
    return found


def _of_links(lines: t.Sequence[str]) -> list[tuple[int, str]]:
    matches = (match for match in map(_LINK.match, lines) if match)
    return [(int(match.group(1)), match.group(2)) for match in matches]


def _links(status: t.Sequence[str] | None, errors: t.Mapping[int, Counts]) -> NvLinks:
    if status is None:
        return NvLinks(None, errors)
    pairs = _of_links(status)
    speeds = {link: _SPEED.fullmatch(words) for link, words in pairs}
    unread = tuple(link for link, words in pairs if not speeds[link] and words.lower() not in _INACTIVE)
    known = {link: float(match.group(1)) if match else None for link, match in speeds.items() if link not in unread}
    others = [line.strip() for line in status if line.strip()] if not pairs else []
    inactive = [line for line in others if _ALL_INACTIVE in line.lower()]
    absent = [line for line in others if _NOT_SUPPORTED.fullmatch(line)]
    garbled = len(inactive) + len(absent) < len(others)
    return NvLinks(known, errors, unread, bool(inactive), bool(absent) and not garbled, garbled)


def _errors(lines: t.Sequence[str]) -> dict[int, Counts]:
    found: dict[int, dict[str, int]] = {}
    for link, words in _of_links(lines):
        match = _COUNTER.match(words)
        if match:
            found.setdefault(link, {})[match.group(1).lower().replace(" ", "_")] = int(match.group(2))
    return dict(found)
