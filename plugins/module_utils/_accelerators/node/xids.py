# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""NVIDIA's Xids with the recommendations of each source. Standard library only, Python 3.9 syntax.

The sources contradict each other, so each has a column: the immediate and the investigatory action in NVIDIA's catalog of October
2025, EKS's node auto repair (user guide, October 2026), and EKS's node monitoring agent, which reports a fatal Xid as a condition
of the node. The names of codes from 173 on are from NVIDIA's open driver 595; no source recommends an action for these codes.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

RESTART_APP, RESET, REBOOT, IGNORE, SUPPORT = "RESTART_APP", "RESET_GPU", "RESTART_BM", "IGNORE", "CONTACT_SUPPORT"
FATAL, EVENT = "fatal", "event"


@dataclass(frozen=True)
class Xid:
    code: int
    name: str
    nvidia: str
    """NVIDIA's immediate action; empty if NVIDIA's catalog lists no action."""
    nvidia_later: str = ""
    """NVIDIA's investigatory action."""
    eks_repair: str = ""
    eks_agent: str = EVENT
    architectures: str = ""
    """The initials of the GPU architectures to which the entry applies: Ampere, Hopper or Blackwell; empty for all."""
    driver: int = 0
    """The first release of the driver that reports the Xid."""


def _rows(codes: t.Iterable[int], name: str, nvidia: str, later: str = "", architectures: str = "") -> t.Iterator[Xid]:
    return (Xid(code, name, nvidia, later, architectures=architectures) for code in codes)


_ROWS = (
    Xid(8, "GPU stopped processing", RESTART_APP, SUPPORT),
    Xid(11, "invalid or corrupted push buffer stream", RESTART_APP, "check the application"),
    Xid(13, "graphics engine exception", RESTART_APP, "WORKFLOW_13", "Reboot"),
    Xid(14, "unused", IGNORE),
    *_rows((25, 69), "invalid class or data of an application", RESTART_APP, "check the application"),
    Xid(31, "GPU memory page fault", RESTART_APP, "WORKFLOW_31", "Reboot"),
    Xid(32, "push buffer corrupted over PCIe", RESTART_APP, "check the application"),
    *_rows((37, 38, 44, 66, 67), "note of the driver", IGNORE),
    *_rows((39, 40, 41, 70, 71, 72, 75, 76, 77, 85), "copy engine exception", RESTART_APP, SUPPORT),
    Xid(43, "GPU stopped processing because of the application", IGNORE, SUPPORT),
    Xid(45, "preemptive cleanup", "WORKFLOW_45", "follow the other Xid"),
    Xid(46, "GPU stopped processing", RESET, SUPPORT, eks_agent=FATAL),
    Xid(48, "uncorrectable ECC error", "WORKFLOW_48", "drain and reset if 63 or 64 occurs too", "Reboot", FATAL),
    Xid(54, "auxiliary power is not connected", "CHECK_MECHANICALS", eks_agent=FATAL, architectures="AHB"),
    *_rows((60, 68, 82, 83, 84, 86, 88, 89, *range(96, 106), 139), "video, JPEG or optical flow engine exception", RESTART_APP),
    Xid(62, "internal micro-controller halt", RESET, eks_agent=FATAL),
    Xid(63, "row remapping recorded", IGNORE, "", "Reboot", FATAL),
    Xid(64, "row remapping failed", RESET, SUPPORT, "Reboot", FATAL),
    Xid(74, "NVLink error", "WORKFLOW_NVLINK_ERR", "", "Replace", FATAL, architectures="AH"),
    Xid(78, "vGPU start error", "UPDATE_SWFW"),
    Xid(79, "GPU has fallen off the bus", REBOOT, SUPPORT, "Replace", FATAL),
    Xid(80, "corrupted data sent to the GPU", RESTART_APP, "check the application", architectures="AH"),
    Xid(92, "high rate of corrected ECC errors", IGNORE, SUPPORT),
    Xid(93, "infoROM wear", IGNORE, architectures="A"),
    Xid(94, "contained memory error", RESTART_APP, "reset when convenient", "Reboot"),
    Xid(95, "uncontained memory error", RESET, "", "Reboot", FATAL),
    *_rows((106, 107), "test of the baseboard's interface", IGNORE),
    *_rows((108, 137), "access to a peer without permission", IGNORE),
    Xid(109, "context switch timeout", RESET, "", "", FATAL, driver=570),
    Xid(110, "security fault", RESET, "investigate the software", "", FATAL, architectures="HB"),
    Xid(119, "GSP does not answer", RESET, "investigate the software", "Replace", FATAL),
    Xid(120, "GSP error", RESET, "investigate the software", "Replace", FATAL),
    Xid(121, "corrected C2C error", IGNORE, "", "Replace"),
    *_rows(range(126, 136), "copy engine exception", RESTART_APP, SUPPORT, "B"),
    Xid(136, "link training failed", RESET, "signal integrity of links", "", FATAL, architectures="H"),
    Xid(140, "unrecovered ECC error", RESET, "", "Replace", FATAL),
    Xid(141, "fast path of CUDA", IGNORE),
    Xid(142, "video encoder 3", SUPPORT, "", "", FATAL),
    Xid(143, "GPU initialization error", RESET, "", "", FATAL, driver=575),
    *(
        Xid(code, f"NVLink 5 error of {unit}", "WORKFLOW_NVLINK5_ERR", architectures="B")
        for code, unit in zip(range(144, 151), ("SAW", "RLW", "TLW", "TREX", "NVLPW_CTRL", "NETIR", "MSE"))
    ),
    Xid(151, "key rotation error", "RESTART_VM", "", "", FATAL),
    *_rows((152, 153), "deep learning accelerator", IGNORE),
    Xid(154, "recovery action changed", "take the reported action"),
    Xid(155, "software-defined NVLink error", RESET, "", "", FATAL),
    Xid(156, "resource retirement", RESET, IGNORE, "", FATAL),
    Xid(157, "resource retirement failed", IGNORE, SUPPORT),
    Xid(158, "GPU fatal timeout", RESET, "", "", FATAL),
    Xid(159, "CHI non-data error", "CHECK_UVM"),
    Xid(160, "channel retirement", IGNORE, driver=575),
    Xid(161, "channel retirement failed", IGNORE, "investigate", driver=575),
    *_rows((162, 163, 164, 165), "power smoothing", ""),
    *_rows((166, 170), "confidential computing", ""),
    Xid(167, "PCIe fatal timeout", ""),
    Xid(168, "errors of the write-protected region", ""),
    Xid(169, "SEC2 halt", ""),
    Xid(171, "uncorrectable ECC error of DRAM", "", "with 48", driver=565),
    Xid(172, "uncorrectable ECC error of SRAM", "", "with 48", driver=565),
    Xid(173, "C2C link failed permanently", "", driver=595),
    Xid(174, "process ended by the driver", "", driver=595),
    Xid(175, "memory subsystem error", "", driver=595),
    Xid(176, "correctable PCIe errors", "", driver=595),
)
XIDS: t.Mapping[int, Xid] = {row.code: row for row in _ROWS}


def xid(code: int) -> Xid:
    """A code that is not in the catalog is from older GPUs, or newer than the catalog."""
    return XIDS.get(code) or Xid(code, "not in the catalog", SUPPORT)
