# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page about the checks lists the Xids that need a second witness."""

from __future__ import annotations

import re
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.witness import ROWS

PAGE = Path(__file__).parents[3] / "docs/reference/accelerator-checks.md"
_CODES = re.compile(r"\b(\d{2,3})(?: to (\d{2,3}))?")


def documented() -> set[int]:
    table = PAGE.read_text(encoding="utf-8").partition("| record | second witness")[2].partition("\n\n")[0]
    found = [_CODES.findall(row.split("|")[1]) for row in table.splitlines()[2:]]
    return {code for row in found for first, last in row for code in range(int(first), int(last or first) + 1)}


def test_each_xid_with_a_second_witness_is_in_the_table() -> None:
    decided_without = {63, 94}
    assert documented() == {*ROWS, *decided_without}
