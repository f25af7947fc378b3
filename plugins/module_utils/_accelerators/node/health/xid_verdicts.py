# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Verdicts for Xids, with reasons. Standard library only, Python 3.9 syntax.

Sources (``..xids``) contradict each other. HyperPod reboots or replaces nodes and resets no GPU, so a fault for which NVIDIA
recommends a reset needs a reboot here. Xids that applications cause, and informational Xids, do not make a node unfit.
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
    """The sign of the device that confirms the record (``witness``)."""
    unread: str = ""
    """The unreadable values, because of which the record is neither confirmed nor denied."""
    unconfirmed: str = ""
    """Why the record does not count: the device shows no sign of the fault, or the record is a hint."""


OFF_THE_BUS, CONTAINED, CLEANUP, CHANNEL, REGISTERED = 79, 94, 45, 43, 154
NVLINK, NVLINK_5 = 74, tuple(range(144, 151))
ON_REPEAT = (13, 31)
"""Xids that applications cause, unless only one GPU has the Xid repeatedly."""
DRIVER_STUCK = (62, OFF_THE_BUS, 119, 120)
"""Xids after which a call that hangs in the driver will not return."""
_JOB = Judged(FIT, WORKLOAD, "an application caused it, and the GPU still works")
_NOTE: tuple[int, ...] = (14, 37, 38, 44, 63, 66, 67, 92, 93, 106, 107, 121, 141, 152, 153)
"""Informational Xids. Xid 63 is one of them, because the current state of the memory decides."""
_APPLICATIONS: tuple[int, ...] = (
    *(8, 11, 13, 25, 31, CHANNEL, CLEANUP, 69, 80, 108, 137, 139),
    *(39, 40, 41, 70, 71, 72, 75, 76, 77, 85, *range(126, 136)),
    *(60, 68, 82, 83, 84, 86, 88, 89, *range(96, 106)),
)
_LOOK: tuple[int, ...] = (157, *range(159, 167), 168, 170, 171, 172, 174, 175, 176)
_RESET = "NVIDIA recommends a reset, which requires a reboot of the node"
_BY_INTENT = "NVIDIA lists a reset and EKS's agent calls it fatal, but planned changes also cause it; the recovery action decides"
_TWICE = f"{_RESET}; the second time, the hardware is at fault"
_VERDICTS: t.Mapping[int, Judged] = {
    **dict.fromkeys(_APPLICATIONS, _JOB),
    **{code: Judged(WATCH, HARDWARE, "no source recommends a reset of the GPU") for code in _LOOK},
    142: Judged(WATCH, HARDWARE, "EKS's agent calls this Xid fatal, and NVIDIA refers to its support"),
    **{code: Judged(WATCH, HARDWARE, _BY_INTENT) for code in (155, 156)},
    **{code: Judged(REBOOT, HARDWARE, _RESET, REPLACE) for code in (46, 62, 95, 109, 110, 151, 158, 169)},
    **{code: Judged(REBOOT, HARDWARE, _TWICE, REPLACE) for code in (48, 64, 119, 120, 140, 143)},
    32: Judged(WATCH, HARDWARE, "mostly a fault of the PCIe link; a single error proves nothing", REBOOT),
    54: Judged(REPLACE, HARDWARE, "power is not connected to the board"),
    NVLINK: Judged(WATCH, FABRIC, "the link has recovered; watch for a repeat"),
    78: Judged(WATCH, CONFIG, "the driver and the vGPU manager do not match"),
    OFF_THE_BUS: Judged(REBOOT, HARDWARE, "a reboot may bring the GPU back once; the second time, replace the node", REPLACE),
    CONTAINED: Judged(WATCH, HARDWARE, "a memory error of one application was contained"),
    136: Judged(REBOOT, FABRIC, _RESET, REPLACE),
    167: Judged(REBOOT, HARDWARE, "PCIe timed out permanently", REPLACE),
    173: Judged(REBOOT, HARDWARE, "the link between GPU and CPU failed permanently", REPLACE),
}
_STRANGE = Judged(WATCH, HARDWARE, "the code is not in the catalog")


def judged(code: int) -> Judged | None:
    """The assessment of an Xid; None if the Xid is informational."""
    return None if code in _NOTE else _VERDICTS.get(code, _STRANGE)


def recurring_link(one: Judged) -> Judged:
    """The assessment of repeated NVLink errors of one GPU in one boot."""
    return Judged(REBOOT, one.cause, "the link does not stay up", REPLACE)
