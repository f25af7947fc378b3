# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What Xids 144 to 150 (NVLink 5, Blackwell) say in their registers. Standard library only, Python 3.9 syntax.

By NVIDIA's rules of October 2025, as cloud providers publish them. What can't be read follows the word Fatal or Nonfatal.
"""

from __future__ import annotations

import re
import typing as t

RESET, FOLLOW, IGNORE, FATAL, NOT_FATAL = "reset", "follow", "ignore", "fatal", "not fatal"
"""Follow: what Xid 154 says; without one, the application starts anew."""

_REGISTERS = re.compile(r"\((0x[0-9a-fA-F]{1,8}(?:\s+0x[0-9a-fA-F]{1,8}){1,6})\s*\)")
_UNIT = re.compile(r"\s*([A-Z0-9]+)_(\w+)\s")
_SINCE_575 = 575
_RLW_UNITS = {3: "CTRL", 4: "REMAP", 5: "RSPCOL", 6: "RXPIPE", 7: "SRC_TRACK", 8: "TAGSTATE"}
_NOTHING = 0x80000000
_LINK_CAUSES = {0, 1, 2, 4, 10, 15, 16, 17, 18, 21, 22, *range(32, 38), 42, 43}
_LINK_NOTES = {38, 40}
_Rule = t.Mapping[str, t.Iterable[int]]
_SAW: _Rule = {RESET: (0x2, 0x10), IGNORE: (0x1, 0x4, 0x8, 0x20)}
_TLW: _Rule = {RESET: (0x4,)}
_RLW: t.Mapping[str, _Rule] = {
    "REMAP": {FOLLOW: (0x1, 0x2, 0x4, 0x8, 0x10, 0x20), RESET: (0x40, 0x80), IGNORE: (0x100, 0x200)},
    "RSPCOL": {RESET: (0x2,)},
    "SRC_TRACK": {RESET: (0x1, 0x10, 0x20), FOLLOW: (0x4, 0x8), IGNORE: (0x2,)},
    "TAGSTATE": {RESET: (0x2, 0x20000, 0x100000)},
}
_MFDE: _Rule = {RESET: (0x1, 0x4, 0x5, 0x7), IGNORE: (0x3,)}


def decode(code: int, detail: str, release: int) -> str:
    """:param release: Of the driver, as 570."""
    if code in (147, 148):
        return IGNORE
    if code == 150:
        return RESET
    registers = _REGISTERS.search(detail)
    words = [int(word, 16) for word in registers.group(1).split()] if registers else []
    return (_decoded(code, detail, words, release) if len(words) > 1 else "") or _said(detail)


def _decoded(code: int, detail: str, words: t.Sequence[int], release: int) -> str:
    info, status = words[:2]
    match = _UNIT.match(f"{detail} ")
    unit = match.group(2) if match else ""
    if code == 144:
        return _of(_SAW, status)
    if code == 145:
        number = info & 0x7F if release >= _SINCE_575 else info >> 5 & 0x1F
        return _rlw(unit if unit in _RLW or unit in _RLW_UNITS.values() else _RLW_UNITS.get(number, ""), status)
    if code == 146:
        return _of(_TLW, status) or IGNORE
    return _netir(unit, info, status) if code == 149 else ""


def _rlw(unit: str, status: int) -> str:
    if status == _NOTHING or unit in ("CTRL", "RXPIPE"):
        return IGNORE
    return _of(_RLW.get(unit, {}), status)


def _netir(unit: str, info: int, status: int) -> str:
    if unit in ("LINK_EVT", "LINK_DOWN"):
        cause = info >> 20 & 0x3F
        return RESET if cause in _LINK_CAUSES else IGNORE if cause in _LINK_NOTES else ""
    if unit == "MFDE":
        return _of(_MFDE, status)
    return {"INT": RESET, "BER_EVENT": IGNORE}.get(unit, "")


def _of(rule: _Rule, status: int) -> str:
    return next((what for what, values in rule.items() if status in values), "")


def _said(detail: str) -> str:
    """By its words alone."""
    return FATAL if re.search(r"(?<!Non-)\bFatal\b", detail) else NOT_FATAL
