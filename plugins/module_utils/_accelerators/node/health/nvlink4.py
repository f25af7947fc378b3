# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Decodes the registers of Xid 74 (NVLink up to Hopper). Standard library only, Python 3.9 syntax.

Source: NVIDIA's catalog of Xids. Only the first of the seven registers is decoded.
"""

from __future__ import annotations

import re
import typing as t

_REGISTERS = re.compile(r".*\blink \d+\s*\((0x[0-9a-fA-F]{1,8}(?:,\s*0x[0-9a-fA-F]{1,8}){0,6})\)\s*")
"""The registers at the end of the driver's message. Text before them may be the rest of a process name."""
_NOTES = (0, 23, 30)
_MEANINGS: t.Mapping[str, tuple[int, ...]] = {
    "an ECC or parity error, likely of the hardware": (4, 5),
    "possibly the hardware of the link": (8, 9, 12, 16, 17, 24, 28),
    "a weak signal on the link": (21, 22),
    "a consequence of another error": (1, 20),
}
"""The bits of each meaning, the worst meaning first."""


def is_note(detail: str) -> bool:
    """Whether the record can be ignored."""
    first, *others = _registers(detail) or (0,)
    return first != 0 and not first & ~_mask(_NOTES) and not any(others)


def meaning(detail: str) -> str:
    """The meaning of the first register; empty if no bit is known. The other end of the link may be at fault."""
    first = (_registers(detail) or (0,))[0]
    return "; ".join(words for words, bits in _MEANINGS.items() if first & _mask(bits))


def _registers(detail: str) -> tuple[int, ...]:
    match = _REGISTERS.fullmatch(detail)
    return tuple(int(word, 16) for word in match.group(1).split(",")) if match else ()


def _mask(bits: t.Iterable[int]) -> int:
    return sum(1 << bit for bit in bits)
