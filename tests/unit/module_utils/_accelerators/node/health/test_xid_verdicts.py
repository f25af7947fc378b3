# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on each code of the Xid and SXid catalogues."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import sxid_verdicts, xid_verdicts

FIT, WATCH, REBOOT, REPLACE = "fit", "watch", "unfit-reboot", "unfit-replace"
NOTES = (14, 37, 38, 44, 63, 66, 67, 92, 93, 106, 107, 121, 141, 152, 153)
APPLICATIONS = (
    *(8, 11, 13, 25, 31, 39, 40, 41, 43, 45, 60, 68, 69, 70, 71, 72, 75, 76, 77, 80, 82, 83, 84, 85, 86, 88, 89),
    *(*range(96, 106), 108, *range(126, 136), 137, 139),
)
RESETS = (46, 48, 62, 64, 79, 95, 109, 110, 119, 120, 140, 143, 151, 158, 167, 169, 173)
WATCHED = (94, 142, 155, 156, 157, *range(159, 167), 168, 170, 171, 172, 174, 175, 176)
KNOWN: dict[int, tuple[str, str, str]] = {
    **dict.fromkeys(APPLICATIONS, (FIT, "workload", "")),
    **dict.fromkeys(RESETS, (REBOOT, "hardware", REPLACE)),
    **dict.fromkeys(WATCHED, (WATCH, "hardware", "")),
    32: (WATCH, "hardware", REBOOT),
    54: (REPLACE, "hardware", ""),
    74: (WATCH, "fabric", ""),
    78: (WATCH, "config", ""),
    136: (REBOOT, "fabric", REPLACE),
}
STRANGE = "the code is not in the catalog"
TWICE = "the second time, the hardware is at fault"


@pytest.mark.parametrize("code", range(1, 180))
def test_each_xid_has_its_verdict(code: int) -> None:
    judged = xid_verdicts.judged(code)
    assert (judged is None) == (code in NOTES)
    if judged:
        assert (judged.verdict, judged.cause, judged.again) == KNOWN.get(code, (WATCH, "hardware", ""))
        assert (judged.reason == STRANGE) == (code not in KNOWN)
        assert judged.reason.endswith(TWICE) == (code in (48, 64, 119, 120, 140, 143))
        assert (judged.confirmed_by, judged.unread, judged.unconfirmed) == ("", "", "")


def test_the_recovery_action_decides_on_two_codes() -> None:
    both = {code for code in KNOWN if "the recovery action decides" in xid_verdicts.judged(code).reason}  # type: ignore[union-attr]
    assert both == {155, 156}


def test_lists_of_codes_for_other_rules() -> None:
    assert xid_verdicts.DRIVER_STUCK == (62, 79, 119, 120)
    assert xid_verdicts.ON_REPEAT == (13, 31)
    assert xid_verdicts.NVLINK_5 == (144, 145, 146, 147, 148, 149, 150)


def test_an_nvlink_error_that_recurs_in_one_boot_makes_the_node_unfit() -> None:
    again = xid_verdicts.recurring_link(xid_verdicts.Judged(WATCH, "fabric", "once"))
    assert again == xid_verdicts.Judged(REBOOT, "fabric", "the link does not stay up", REPLACE)


SWITCH_NOTES = (
    *(10001, 10002, 10004, 10005, 11012, 11021, 11022, 11023, 12021, 12023, 15008, 15011, 19049, 19055, 19057, 19059, 19062, 19065),
    *(19068, 19071, 20001, 20009, 22013, 24001, 24002, 24003),
)
SWITCH_WATCHED = (11004, 12028, 20012)
ONE_PORT = (
    *(11001, 11009, 11013, 11018, 11019, 11020, 12001, 12002, 12022, 12024, 12025, 12026, 12027, 12030, 12031, 12032, 14017, 15001),
    *(15006, 15009, 15010, 15012, 15013, 19047, 19048, 19054, 19056, 19058, 19060, 19061, 19063, 19064, 19066, 19067, 19069, 19070),
    *(20034, 22012, 24004, 24005, 24006, 24007),
)
ALL_PORTS = (10003, 12020, 19084, 22003, 22011, *range(23001, 23018))
PORT, BOARD = "fatal for the GPUs of that port", "fatal for all GPUs of the board"


@pytest.mark.parametrize("code", SWITCH_NOTES)
def test_sxids_that_are_notes_have_no_verdict(code: int) -> None:
    assert sxid_verdicts.judged(code, "Fatal, Link 3") is None


SWITCH_CASES: list[tuple[int, str, str, str, str]] = [
    *((code, "Fatal, Link 3", WATCH, "a link or guest access error; a single error proves nothing", "") for code in SWITCH_WATCHED),
    *((code, "Non-fatal, Link 3", REBOOT, PORT, REPLACE) for code in ONE_PORT),
    *((code, "Non-fatal, Link 3", REBOOT, BOARD, REPLACE) for code in ALL_PORTS),
    (29999, "Fatal, Link 3", REBOOT, PORT, REPLACE),
    (29999, "FATAL, Link 3", REBOOT, PORT, REPLACE),
    *((code, "Non-fatal, Link 3", WATCH, "the kernel reports the error as nonfatal", "") for code in (12029, 23000, 23018, 29999)),
]


@pytest.mark.parametrize(("code", "detail", "verdict", "reason", "again"), SWITCH_CASES)
def test_other_sxids_have_a_verdict(code: int, detail: str, verdict: str, reason: str, again: str) -> None:
    assert sxid_verdicts.judged(code, detail) == xid_verdicts.Judged(verdict, "fabric", reason, again)
