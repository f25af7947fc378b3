# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue of Xids: one row a code, and the rows that contradict each other as their sources do."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.xids import _ROWS, FATAL, XIDS, xid

NMA = {46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 142, 143, 151, 155, 156, 158}
"""Of the agent's own list, but for those that the catalogue does not name."""


def test_one_row_a_code() -> None:
    assert len(_ROWS) == len(XIDS) and all(0 < code <= 176 for code in XIDS)


def test_what_is_fatal_to_the_agent() -> None:
    assert {code for code, row in XIDS.items() if row.eks_agent == FATAL} == NMA


@pytest.mark.parametrize(
    ("code", "nvidia", "eks"),
    [(13, "RESTART_APP", "Reboot"), (63, "IGNORE", "Reboot"), (79, "RESTART_BM", "Replace"), (119, "RESET_GPU", "Replace"), (43, "IGNORE", "")],
)
def test_sources_that_contradict_each_other(code: int, nvidia: str, eks: str) -> None:
    assert (xid(code).nvidia, xid(code).eks_repair) == (nvidia, eks)


@pytest.mark.parametrize("code", [1, 61, 125, 177, 999])
def test_codes_without_a_row(code: int) -> None:
    assert (xid(code).code, xid(code).name, xid(code).nvidia) == (code, "not in the catalogue", "CONTACT_SUPPORT")


@pytest.mark.parametrize("code", [173, 174, 175, 176])
def test_names_of_codes_for_which_no_source_has_an_action(code: int) -> None:
    row = xid(code)
    assert row.name != "not in the catalogue" and row.driver == 595 and (row.nvidia, row.eks_repair, row.eks_agent) == ("", "", "event")
