# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue of Xids: one row for each code. Sources may contradict each other."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.xids import _ROWS, FATAL, XIDS, xid

NMA = {46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 142, 143, 151, 155, 156, 158}
"""Codes that are fatal for the monitoring agent, without those that the catalogue lacks."""


APPLICATIONS = (8, 11, 13, 25, 31, 32, 39, 40, 41, 60, 68, 69, 70, 71, 72, 75, 76, 77, 80, *range(82, 87), 88, 89, 94, *range(96, 106), *range(126, 136), 139)
IMMEDIATE: dict[str, tuple[int, ...]] = {
    "RESTART_APP": APPLICATIONS,
    "IGNORE": (14, 37, 38, 43, 44, 63, 66, 67, 92, 93, 106, 107, 108, 121, 137, 141, 152, 153, 157, 160, 161),
    "RESET_GPU": (46, 62, 64, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158),
    "RESTART_BM": (79,),
    "RESTART_VM": (151,),
    "CONTACT_SUPPORT": (142,),
    "CHECK_MECHANICALS": (54,),
    "CHECK_UVM": (159,),
    "UPDATE_SWFW": (78,),
    "WORKFLOW_45": (45,),
    "WORKFLOW_48": (48,),
    "WORKFLOW_NVLINK_ERR": (74,),
    "WORKFLOW_NVLINK5_ERR": tuple(range(144, 151)),
    "take the reported action": (154,),
    "": tuple(range(162, 177)),
}
"""Immediate actions of NVIDIA's catalogue. Of the codes from 82 to 89, only 87 is unused."""
LATER: dict[str, tuple[int, ...]] = {
    "CONTACT_SUPPORT": (8, 39, 40, 41, 43, 46, 64, 70, 71, 72, 75, 76, 77, 79, 85, 92, *range(126, 136), 157),
    "WORKFLOW_13": (13,),
    "WORKFLOW_31": (31,),
    "check the application": (11, 25, 32, 69, 80),
    "follow the other Xid": (45,),
    "drain and reset if 63 or 64 occurs too": (48,),
    "reset when convenient": (94,),
    "investigate the software": (110, 119, 120),
    "signal integrity of links": (136,),
    "IGNORE": (156,),
    "investigate": (161,),
    "with 48": (171, 172),
}
REPAIRS = {**dict.fromkeys((13, 31, 48, 63, 64, 94, 95), "Reboot"), **dict.fromkeys((74, 79, 119, 120, 121, 140), "Replace")}
ARCHITECTURES = {**dict.fromkeys((*range(126, 136), *range(144, 151)), "B"), 54: "AHB", 74: "AH", 80: "AH", 93: "A", 110: "HB", 136: "H"}
DRIVERS = {109: 570, **dict.fromkeys((143, 160, 161), 575), **dict.fromkeys((171, 172), 565), **dict.fromkeys((173, 174, 175, 176), 595)}


def by_code(table: dict[str, tuple[int, ...]]) -> dict[int, str]:
    return {code: action for action, codes in table.items() for code in codes}


def test_each_code_has_the_immediate_action_of_the_catalogue() -> None:
    assert {code: row.nvidia for code, row in XIDS.items()} == by_code(IMMEDIATE)


@pytest.mark.parametrize(
    ("column", "expected"),
    [("nvidia_later", by_code(LATER)), ("eks_repair", REPAIRS), ("architectures", ARCHITECTURES), ("driver", DRIVERS)],
)
def test_other_columns_have_a_value_only_for_some_codes(column: str, expected: dict[int, object]) -> None:
    assert {code: getattr(row, column) for code, row in XIDS.items() if getattr(row, column)} == expected


def test_nvlink_5_errors_are_named_after_their_units() -> None:
    units = ["SAW", "RLW", "TLW", "TREX", "NVLPW_CTRL", "NETIR", "MSE"]
    assert [xid(code).name for code in range(144, 151)] == [f"NVLink 5 error of {unit}" for unit in units]


def test_each_code_has_one_row() -> None:
    assert len(_ROWS) == len(XIDS) and all(0 < code <= 176 for code in XIDS)


def test_codes_that_are_fatal_for_the_agent() -> None:
    assert {code for code, row in XIDS.items() if row.eks_agent == FATAL} == NMA


@pytest.mark.parametrize(
    ("code", "nvidia", "eks"),
    [(13, "RESTART_APP", "Reboot"), (63, "IGNORE", "Reboot"), (79, "RESTART_BM", "Replace"), (119, "RESET_GPU", "Replace"), (43, "IGNORE", "")],
)
def test_contradicting_sources_are_kept(code: int, nvidia: str, eks: str) -> None:
    assert (xid(code).nvidia, xid(code).eks_repair) == (nvidia, eks)


@pytest.mark.parametrize("code", [1, 61, 125, 177, 999])
def test_codes_without_a_row_are_not_in_the_catalogue(code: int) -> None:
    assert (xid(code).code, xid(code).name, xid(code).nvidia) == (code, "not in the catalog", "CONTACT_SUPPORT")


@pytest.mark.parametrize("code", [173, 174, 175, 176])
def test_codes_without_an_action_have_a_name(code: int) -> None:
    row = xid(code)
    assert row.name != "not in the catalog" and row.driver == 595 and (row.nvidia, row.eks_repair, row.eks_agent) == ("", "", "event")
