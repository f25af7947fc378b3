# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Verdicts for SXids of NVSwitches (boards with A100, H100 and H200). Standard library only, Python 3.9 syntax.

Source: the classes in NVIDIA's fabric manager guide.
"""

from __future__ import annotations

from .problem import FABRIC, REBOOT, REPLACE, WATCH
from .xid_verdicts import Judged

LINK = 20034
"""This SXid also occurs when a neighboring GPU is reset or starts. Like all fatal SXids, it needs a second witness."""
_NOTES = {
    *(10001, 10002, 10004, 10005, 11012, 11021, 11022, 11023, 12021, 12023, 15008, 15011, 20001, 20009, 22013, 24001, 24002, 24003),
    *(19049, 19055, 19057, 19059, 19062, 19065, 19068, 19071),
}
_LOOK = {11004, 12028, 20012}
_PORT = {
    *(11001, 11009, 11013, 11018, 11019, 11020, 12001, 12002, 12022, *range(12024, 12028), 12030, 12031, 12032, 14017),
    *(
        15001,
        15006,
        15009,
        15010,
        15012,
        15013,
        19047,
        19048,
        19054,
        19056,
        19058,
        19060,
        19061,
        19063,
        19064,
        19066,
        19067,
        19069,
        19070,
    ),
    *(22012, 24004, 24005, 24006, 24007),
}
_ALL = {10003, 12020, 19084, 22003, 22011, *range(23001, 23018)}


def judged(code: int, detail: str) -> Judged | None:
    """The assessment of an SXid; None if the SXid is informational."""
    if code in _NOTES:
        return None
    if code in _LOOK:
        return Judged(WATCH, FABRIC, "a link or guest access error; a single error proves nothing")
    if code in _ALL:
        return Judged(REBOOT, FABRIC, "fatal for all GPUs of the board", REPLACE)
    if code in _PORT or code == LINK or detail.lower().startswith("fatal"):
        return Judged(REBOOT, FABRIC, "fatal for the GPUs of that port", REPLACE)
    return Judged(WATCH, FABRIC, "the kernel reports the error as nonfatal")
