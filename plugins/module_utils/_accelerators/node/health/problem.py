# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What is wrong with a node's accelerators, and what it makes of the node. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

FIT, WATCH, UNKNOWN, REBOOT, REPLACE = "fit", "watch", "unknown", "unfit-reboot", "unfit-replace"
VERDICTS = (FIT, WATCH, UNKNOWN, REBOOT, REPLACE)
"""From best to worst. What nobody could look at is no better than what must be watched; what is seen to be bad is worse."""

GPU_XID, UNCONFIRMED_XID, JOB_XID = "gpu-xid", "gpu-xid-unconfirmed", "job-xid"
NVSWITCH_SXID, EFA_ERROR, GPU_INFOROM, KERNEL_LOG_STRANGER = "nvswitch-sxid", "efa-error", "gpu-inforom", "kernel-log-stranger"
LOG_LED = (GPU_XID, NVSWITCH_SXID, EFA_ERROR, GPU_INFOROM)
"""Codes of problems that a record in the kernel's log names, and that another witness has confirmed or could not be read for."""

HARDWARE, FABRIC, WORKLOAD, CONFIG, SERVICE = "hardware", "fabric", "workload", "config", "service"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, or that a job did."""

    code: str
    """Stable; docs/reference/findings.md lists all."""
    verdict: str
    """What it makes of the node by itself."""
    cause: str
    text: str
    part: str = ""
    """Of the node, as people call it: ``GPU 3 (0000:83:00.0)``."""
    key: str = ""
    """Of the part, the same after a reboot: a GPU's serial number."""
    evidence: str = ""
    """What a tool or the kernel said, as it stands there."""
    again: str = ""
    """The verdict if an earlier boot had it, too; empty where that changes nothing."""
    live: bool = False
    """Read of the hardware at this moment: once it is gone, it does not count as a repeat."""
    folded: tuple[str, ...] = ()
    """What followed from it."""


def worst(verdicts: t.Iterable[str]) -> str:
    return max(verdicts, key=VERDICTS.index, default=FIT)


def at_least(verdict: str, other: str) -> bool:
    return VERDICTS.index(verdict) >= VERDICTS.index(other)
