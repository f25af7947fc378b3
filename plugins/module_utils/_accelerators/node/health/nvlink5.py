# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Decodes the registers of Xids 144 to 150 (NVLink 5, Blackwell). Standard library only, Python 3.9 syntax.

Source: NVIDIA's rules of October 2025, as published by cloud providers. For unknown registers the word Fatal or Nonfatal decides.
"""

from __future__ import annotations

import re
import typing as t

RESET, FOLLOW, IGNORE, FATAL, NOT_FATAL = "reset", "follow", "ignore", "fatal", "not fatal"
"""``FOLLOW``: take the action that Xid 154 reports. Without an Xid 154, restart the application."""

_WORDS = re.compile(
    r"(?P<units>[A-Z][A-Z0-9_]*(?:/[A-Z][A-Z0-9_]*)?)\s+(?:Fatal|Non-?[Ff]atal)\s+XC\d+\s+i\d+\s+Link\s+-?\d+"
    r"\s+\((?P<registers>0x[0-9a-fA-F]{1,8}(?:\s+0x[0-9a-fA-F]{1,8}){1,6})\s*\)\s*"
)
_FATAL = re.compile(r"(?<!Non-)\bFatal\b")
_SINCE_575 = 575
_UNITS: t.Mapping[int, t.Mapping[int, str]] = {
    145: {3: "RLW_CTRL", 4: "RLW_REMAP", 5: "RLW_RSPCOL", 6: "RLW_RXPIPE", 7: "RLW_SRC_TRACK", 8: "RLW_TAGSTATE"},
    149: {0x11: "NETIR_LINK_EVT", 0x13: "NETIR_BER_EVENT", 0x14: "NETIR_MFDE_EVENT", 0x18: "NETIR_INT"},
}
"""The names of units, keyed by Xid and by the unit's number in the first register. They are used for lines without a known name."""
_UNITS_BEFORE_575: t.Mapping[int, t.Mapping[int, str]] = {
    145: _UNITS[145],
    149: {0x0E: "NETIR_LINK_EVT", 0x11: "NETIR_BER_EVENT", 0x12: "NETIR_MFDE_EVENT", 0x00: "NETIR_INT"},
}
_NOTHING = 0x80000000
_LINK_CAUSES = {0, 1, 2, 4, 10, 15, 16, 17, 18, 21, 22, *range(32, 38), 42, 43}
_LINK_NOTES = {38, 40}
_Rule = t.Mapping[str, t.Iterable[int]]
_SAW: _Rule = {RESET: (0x2, 0x10), IGNORE: (0x1, 0x4, 0x8, 0x20)}
_TLW: _Rule = {RESET: (0x4,)}
_MFDE: _Rule = {RESET: (0x1, 0x4, 0x5, 0x7), IGNORE: (0x3,)}
_RLW: t.Mapping[str, _Rule] = {
    "RLW_REMAP": {FOLLOW: (0x1, 0x2, 0x4, 0x8, 0x10, 0x20), RESET: (0x40, 0x80), IGNORE: (0x100, 0x200)},
    "RLW_RSPCOL": {RESET: (0x2,), IGNORE: (0x1,)},
    "RLW_SRC_TRACK": {RESET: (0x1, 0x10, 0x20), FOLLOW: (0x4, 0x8), IGNORE: (0x2,)},
    "RLW_TAGSTATE": {RESET: (0x2, 0x20000, 0x100000), IGNORE: (0x1, 0x10000)},
}
_RLW_NOTES = ("RLW_CTRL", "RLW_RXPIPE")
_LINKS, _MFDES = ("NETIR_LINK_EVT", "NETIR_LINK_DOWN"), ("NETIR_MFDE_EVENT", "NETIR_MFDE")


def decode(code: int, detail: str, release: int) -> str:
    """:param detail: may begin with the rest of a process name, so only its end is decoded.
    :param release: the major version of the driver, such as 570.
    """
    if code in (147, 148):
        return IGNORE
    if code == 150:
        return RESET
    words = detail.rpartition(", ")[2]
    match = _WORDS.fullmatch(words)
    return (_decoded(code, match, release) if match else "") or (FATAL if _FATAL.search(words) else NOT_FATAL)


def _decoded(code: int, words: t.Match[str], release: int) -> str:
    info, status = (int(word, 16) for word in words["registers"].split()[:2])
    if code == 144:
        return _of(_SAW, status)
    if code == 146:
        return _of(_TLW, status) or IGNORE
    unit = _unit(code, words["units"], info, release)
    return _rlw(unit, status) if code == 145 else _netir(unit, info, status)


def _unit(code: int, named: str, info: int, release: int) -> str:
    """The name of the unit. A line may have two names, with a slash between them."""
    known = {*_UNITS[code].values(), *_LINKS, *_MFDES}
    by_number = _UNITS[code].get(info & 0x7F) if release >= _SINCE_575 else _UNITS_BEFORE_575[code].get(info >> 5 & 0x1F)
    return next((name for name in named.split("/") if name in known), by_number or "")


def _rlw(unit: str, status: int) -> str:
    if status == _NOTHING or unit in _RLW_NOTES:
        return IGNORE
    return _of(_RLW.get(unit, {}), status)


def _netir(unit: str, info: int, status: int) -> str:
    if unit in _LINKS:
        cause = info >> 20 & 0x3F
        return RESET if cause in _LINK_CAUSES else IGNORE if cause in _LINK_NOTES else ""
    if unit in _MFDES:
        return _of(_MFDE, status)
    return {"NETIR_INT": RESET, "NETIR_BER_EVENT": IGNORE}.get(unit, "")


def _of(rule: _Rule, status: int) -> str:
    return next((what for what, values in rule.items() if status in values), "")
