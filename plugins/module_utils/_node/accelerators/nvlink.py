# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What ``nvidia-smi nvlink`` says of links (-s) and of their errors (-e). Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
import typing as t

from ..._core.text import lines_of
from .model import Counts, NvLinks

_GPU = re.compile(r"GPU \d+: .*\(UUID: (GPU-[0-9a-f-]+)\)\s*$")
_LINK = re.compile(r"\s*Link (\d+): (.+?)\s*$")
_SPEED = re.compile(r"(\d+(?:\.\d+)?) GB/s")
_COUNTER = re.compile(r"([A-Za-z][\w /.-]*?):\s*(\d+)$")


def links(status: str, errors: str) -> dict[str, NvLinks]:
    """By UUID of the GPU. Either answer may be empty where nobody asked or nothing came."""
    speeds, counted = _by_gpu(status), _by_gpu(errors)
    return {
        uuid: NvLinks(_speeds(speeds[uuid]) if uuid in speeds else None, _errors(counted.get(uuid, [])))
        for uuid in {**speeds, **counted}
    }


def _by_gpu(told: str) -> dict[str, list[tuple[int, str]]]:
    found: dict[str, list[tuple[int, str]]] = {}
    lines: list[tuple[int, str]] = []
    for line in lines_of(told):
        gpu, link = _GPU.match(line), _LINK.match(line)
        if gpu:
            lines = found.setdefault(gpu.group(1), [])
        elif link:
            lines.append((int(link.group(1)), link.group(2)))
    return found


def _speeds(lines: t.Sequence[tuple[int, str]]) -> dict[int, float | None]:
    matches = ((link, _SPEED.fullmatch(words)) for link, words in lines)
    return {link: float(match.group(1)) if match else None for link, match in matches}


def _errors(lines: t.Sequence[tuple[int, str]]) -> dict[int, Counts]:
    found: dict[int, dict[str, int]] = {}
    for link, words in lines:
        match = _COUNTER.match(words)
        if match:
            found.setdefault(link, {})[match.group(1).lower().replace(" ", "_")] = int(match.group(2))
    return dict(found)
