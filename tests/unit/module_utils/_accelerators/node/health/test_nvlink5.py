# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of NVLink 5: all published rules, lines without a rule, and hostile names of processes."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import nvlink5
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.nvlink5 import (
    FATAL,
    FOLLOW,
    IGNORE,
    NOT_FATAL,
    RESET,
)

Rules = t.Mapping[int, str]
"""What to do, by the value of the second register."""
NOTHING = {0x80000000: IGNORE}
TLW: Rules = {0x1: IGNORE, 0x2: IGNORE, 0x4: RESET, **NOTHING}
BER: Rules = dict.fromkeys(range(4), IGNORE)
PUBLISHED: list[tuple[int, str, tuple[int, int], Rules]] = [
    (144, "SAW_MVB", (0x21, 0x01), {0x1: IGNORE, 0x2: RESET, 0x4: IGNORE, 0x8: IGNORE, 0x10: RESET, 0x20: IGNORE}),
    (145, "RLW_CTRL", (0x62, 0x03), NOTHING),
    (
        145,
        "RLW_REMAP",
        (0x82, 0x04),
        {**dict.fromkeys((0x1, 0x2, 0x4, 0x8, 0x10, 0x20), FOLLOW), 0x40: RESET, 0x80: RESET, 0x100: IGNORE, 0x200: IGNORE, **NOTHING},
    ),
    (145, "RLW_RSPCOL", (0xA2, 0x05), {0x1: IGNORE, 0x2: RESET, **NOTHING}),
    (145, "RLW_RXPIPE", (0xC2, 0x06), {0x1: IGNORE, 0x2: IGNORE, 0x4: IGNORE, 0x8: IGNORE, **NOTHING}),
    (145, "RLW_SRC_TRACK", (0xE2, 0x07), {0x1: RESET, 0x2: IGNORE, 0x4: FOLLOW, 0x8: FOLLOW, 0x10: RESET, 0x20: RESET, **NOTHING}),
    (145, "RLW_TAGSTATE", (0x102, 0x08), {0x1: IGNORE, 0x2: RESET, 0x10000: IGNORE, 0x20000: RESET, 0x100000: RESET, **NOTHING}),
    (146, "TLW_CTRL", (0x123, 0x09), TLW),
    (146, "TLW_RX/TLW_RX_PIPE0", (0x143, 0x0A), TLW),
    (146, "TLW_RX/TLW_RX_PIPE1", (0x143, 0x0B), TLW),
    (146, "TLW_TX/TLW_TX_PIPE0", (0x163, 0x0C), TLW),
    (146, "TLW_TX/TLW_TX_PIPE1", (0x163, 0x0D), TLW),
    (147, "TREX", (0x184, 0x0E), {0x1: IGNORE, **NOTHING}),
    (148, "NVLPW_CTRL/NVLPW", (0x005, 0x0F), NOTHING),
    (149, "NETIR/NETIR_INT", (0x006, 0x18), {0x0: RESET}),
    (149, "NETIR_BER_EVENT", (0x226, 0x13), BER),
    (149, "NETIR_MFDE_EVENT", (0x246, 0x14), {0x1: RESET, 0x3: IGNORE, 0x4: RESET, 0x5: RESET, 0x7: RESET}),
    (150, "MSE_WATCHDOG", (0x000, 0x00), {0x0: RESET}),
]
"""Code, unit, first register up to driver 574 and from 575 on, and rules."""
CAUSES: Rules = {
    **dict.fromkeys((0, 1, 2, 4, 10, 15, 16, 17, 18, 21, 22, 32, 33, 34, 35, 36, 37, 42, 43), RESET),
    **dict.fromkeys((38, 40), IGNORE),
}
"""Causes of a link that goes down, in the first register."""
OF_LINKS = [(149, "NETIR_LINK_EVT/NETIR_LINK_DOWN", (cause << 20 | 0x1C6, cause << 20 | 0x11), {0x0: what}) for cause, what in CAUSES.items()]
ROWS = [
    (code, unit, release, registers[release >= 575], status, what)
    for code, unit, registers, rules in (*PUBLISHED, *OF_LINKS)
    for release in (570, 575, 595)
    for status, what in rules.items()
]


def line(unit: str, word: str, *registers: int) -> str:
    return f"{unit} {word} XC0 i0 Link 08 ({' '.join(f'0x{each:08x}' for each in registers)})"


@pytest.mark.parametrize("word", ["Fatal", "Nonfatal", "Non-fatal"])
def test_published_rules_apply_by_the_name_of_the_unit(word: str) -> None:
    for code, unit, release, info, status, what in ROWS:
        for name in (unit, *unit.split("/")):
            assert nvlink5.decode(code, line(name, word, info, status, 0, 0), release) == what, (code, name, release, status)


def test_published_rules_of_two_codes_apply_by_the_number_of_the_unit() -> None:
    for code, unit, release, info, status, what in ROWS:
        if code in (145, 149):
            assert nvlink5.decode(code, line("XYZ_NEW", "Nonfatal", info, status), release) == what, (code, unit, release, status)


@pytest.mark.parametrize(
    ("code", "unit", "registers"),
    [
        (144, "SAW_MVB", (0x1, 0x40)),
        (145, "RLW_RSPCOL", (0x5, 0x4)),
        (145, "RLW_TAGSTATE", (0x8, 0x3)),
        (145, "RLW_NEW", (0x7F, 0x1)),
        (149, "NETIR_MFDE_EVENT", (0x14, 0x2)),
        (149, "NETIR_LINK_EVT", (0x00500011, 0x0)),
        (149, "NETIR_LINK_EVT", (0x1,)),
    ],
)
@pytest.mark.parametrize(("word", "decoded"), [("Fatal", FATAL), ("Nonfatal", NOT_FATAL), ("Non-Fatal", NOT_FATAL)])
def test_a_line_without_a_rule_is_judged_by_the_word_of_the_driver(code: int, unit: str, registers: tuple[int, ...], word: str, decoded: str) -> None:
    assert nvlink5.decode(code, line(unit, word, *registers), 595) == decoded


@pytest.mark.parametrize(
    ("word", "decoded"), [("Fatal", "fatal"), ("Nonfatal", "not fatal"), ("Non-fatal", "not fatal"), ("Non-Fatal", "not fatal"), ("", "not fatal")]
)
def test_the_word_of_the_driver_is_fatal_or_not(word: str, decoded: str) -> None:
    assert nvlink5.decode(149, f"NETIR_LINK_EVT {word} XC0 i0 Link 08", 575) == decoded


REAL = line("NETIR_LINK_EVT", "Fatal", 0x00F00006, 0x0)


@pytest.mark.parametrize("name", ["x", "RLW_CTRL Fatal ", "a, RLW_CTRL ", "(0x02600006 0x0)", "Nonfatal, x", "x Nonfatal XC0"])
def test_the_name_of_a_process_has_no_effect(name: str) -> None:
    """It may contain commas, so a part of it may be left before the driver's text."""
    assert nvlink5.decode(149, f"{name}, {REAL}", 570) == RESET
    assert nvlink5.decode(149, f"{name}, NETIR_LINK_EVT Nonfatal XC0 i0 Link 08", 570) == NOT_FATAL
