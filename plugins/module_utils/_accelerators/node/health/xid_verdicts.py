# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What an Xid makes of a node, and why. Standard library only, Python 3.9 syntax.

Sources (``..xids``) contradict each other. HyperPod reboots or replaces and resets no GPU, so what NVIDIA mends by a reset is a
reboot here. What an application does, and what is only a note, makes no node unfit.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .problem import CONFIG, FABRIC, FIT, HARDWARE, REBOOT, REPLACE, WATCH, WORKLOAD


@dataclass(frozen=True)
class Judged:
    verdict: str
    cause: str
    reason: str
    again: str = ""
    confirmed_by: str = ""
    """What the device shows of it (``witness``)."""
    unread: str = ""
    """What could not be read, so that the record is neither confirmed nor denied."""
    unconfirmed: str = ""
    """Why the record counts for nothing: the device shows nothing of it, or it is a hint."""


OFF_THE_BUS, CONTAINED, CLEANUP, CHANNEL, REGISTERED = 79, 94, 45, 43, 154
NVLINK, NVLINK_5 = 74, tuple(range(144, 151))
ON_REPEAT = (13, 31)
"""Of applications, unless one GPU alone has it time and again."""
DRIVER_STUCK = (62, OFF_THE_BUS, 119, 120)
"""With these, a call into the driver that does not come back will not."""
_JOB = Judged(FIT, WORKLOAD, "an application did it, and the GPU goes on")
_NOTE: tuple[int, ...] = (14, 37, 38, 44, 63, 66, 67, 92, 93, 106, 107, 121, 141, 152, 153)
"""Of 63, what the memory says now decides."""
_APPLICATIONS: tuple[int, ...] = (
    *(8, 11, 13, 25, 31, CHANNEL, CLEANUP, 69, 80, 108, 137, 139),
    *(39, 40, 41, 70, 71, 72, 75, 76, 77, 85, *range(126, 136)),
    *(60, 68, 82, 83, 84, 86, 88, 89, *range(96, 106)),
)
_LOOK: tuple[int, ...] = (157, *range(159, 167), 168, 170, 171, 172, 174, 175, 176)
_RESET = "NVIDIA mends it by a reset, which is a reboot of the node"
_BY_INTENT = "NVIDIA lists a reset and EKS's agent calls it fatal, but intended changes cause it too: the recovery action decides"
_TWICE = f"{_RESET}; the second time it is the hardware"
_VERDICTS: t.Mapping[int, Judged] = {
    **dict.fromkeys(_APPLICATIONS, _JOB),
    **{code: Judged(WATCH, HARDWARE, "no source calls it a reason to reset the GPU") for code in _LOOK},
    142: Judged(WATCH, HARDWARE, "EKS's agent calls it fatal, and NVIDIA refers to its support"),
    **{code: Judged(WATCH, HARDWARE, _BY_INTENT) for code in (155, 156)},
    **{code: Judged(REBOOT, HARDWARE, _RESET, REPLACE) for code in (46, 62, 95, 109, 110, 151, 158, 169)},
    **{code: Judged(REBOOT, HARDWARE, _TWICE, REPLACE) for code in (48, 64, 119, 120, 140, 143)},
    32: Judged(WATCH, HARDWARE, "mostly the PCIe link, once is no proof", REBOOT),
    54: Judged(REPLACE, HARDWARE, "power is not connected to the board"),
    NVLINK: Judged(WATCH, FABRIC, "the link has recovered; see whether it comes again"),
    78: Judged(WATCH, CONFIG, "the driver and the vGPU manager do not match"),
    OFF_THE_BUS: Judged(REBOOT, HARDWARE, "a reboot may bring it back once; the second time the node goes", REPLACE),
    CONTAINED: Judged(WATCH, HARDWARE, "memory failed under one application, and was contained"),
    136: Judged(REBOOT, FABRIC, _RESET, REPLACE),
    167: Judged(REBOOT, HARDWARE, "PCIe timed out for good", REPLACE),
    173: Judged(REBOOT, HARDWARE, "the link between GPU and CPU failed for good", REPLACE),
}
_STRANGE = Judged(WATCH, HARDWARE, "the catalogue does not have the code")


def judged(code: int) -> Judged | None:
    """None for a note."""
    return None if code in _NOTE else _VERDICTS.get(code, _STRANGE)


def recurring_link(one: Judged) -> Judged:
    """NVLink errors of one GPU that come again in one boot."""
    return Judged(REBOOT, one.cause, "the link does not stay up", REPLACE)
