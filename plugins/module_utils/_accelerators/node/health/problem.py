# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The problems of a node's accelerators, and their verdicts. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

FIT, WATCH, UNKNOWN, REBOOT, REPLACE = "fit", "watch", "unknown", "unfit-reboot", "unfit-replace"
VERDICTS = (FIT, WATCH, UNKNOWN, REBOOT, REPLACE)
"""From best to worst. A node that could not be checked is worse than one to watch, and better than one with a proven fault."""

GPU_XID, UNCONFIRMED_XID, JOB_XID = "gpu-xid", "gpu-xid-unconfirmed", "job-xid"
NVSWITCH_SXID, EFA_ERROR, GPU_INFOROM, KERNEL_LOG_STRANGER = "nvswitch-sxid", "efa-error", "gpu-inforom", "kernel-log-stranger"
LOG_LED = (GPU_XID, NVSWITCH_SXID, EFA_ERROR, GPU_INFOROM)
"""The codes of problems from kernel records, if a second witness has confirmed the record or could not be read."""

HARDWARE, FABRIC, WORKLOAD, CONFIG, SERVICE = "hardware", "fabric", "workload", "config", "service"


@dataclass(frozen=True)
class Problem:
    """One fault, or one effect of a job."""

    code: str
    """The stable code. docs/reference/findings.md lists all codes."""
    verdict: str
    """The node's verdict if it had only this problem."""
    cause: str
    text: str
    part: str = ""
    """The display name of the part, such as ``GPU 3 (0000:83:00.0)``."""
    key: str = ""
    """Identifies the part across reboots, for example by a GPU's serial number."""
    evidence: str = ""
    """The quoted output of a tool or the kernel."""
    again: str = ""
    """The verdict if an earlier boot also had the problem; empty if that does not change the verdict."""
    live: bool = False
    """Whether the problem is read from the current state of the hardware. After it disappears, a new occurrence is no repeat."""
    folded: tuple[str, ...] = ()
    """The codes, and the labels of Xids, of the consequences of the problem."""


def worst(verdicts: t.Iterable[str]) -> str:
    return max(verdicts, key=VERDICTS.index, default=FIT)


def at_least(verdict: str, other: str) -> bool:
    return VERDICTS.index(verdict) >= VERDICTS.index(other)
