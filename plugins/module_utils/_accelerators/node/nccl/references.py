# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The bus bandwidth of all_reduce on healthy nodes. No I/O. Standard library only, Python 3.9 syntax.

The bandwidth depends on the instance type, the number of nodes and the message size. The versions of NCCL and of the EFA software
also affect it, so the table has the lowest published figure. Without a figure, the measured value is reported but not assessed.
"""

from __future__ import annotations

import typing as t

from .model import Reference

GIB = 1024**3
LEAST, NEWER = GIB, 4 * GIB
"""Message sizes below which start-up times dominate instead of the network: in general, and on p5 and newer."""
_NEWER = ("p5", "p6")

_NCCL_527 = "a p4d cluster with NCCL 2.9.9 (NVIDIA/nccl, issue 527)"
_SAMPLES = "AWS' samples for distributed training (awsome-distributed-training)"
_OLD_SAMPLES = f"{_SAMPLES}, with EFA's installer 1.28 and NCCL 2.18.5"
_B300 = "AWS' published sweep of two p6-b300"
_OCI = "the minimum of Oracle's HPC checks for eight such GPUs"

_TABLE: t.Mapping[tuple[str, int], tuple[tuple[int, float, str], ...]] = {
    ("p4d", 1): ((GIB, 185.0, _OCI),),
    ("p4d", 2): ((GIB, 57.2, _NCCL_527),),
    ("p4d", 3): ((GIB, 31.8, _NCCL_527),),
    ("p4d", 4): ((GIB, 29.6, _NCCL_527),),
    ("p4de", 1): ((GIB, 185.0, _OCI),),
    ("p4de", 2): ((GIB, 76.8, _SAMPLES), (2 * GIB, 78.3, _SAMPLES)),
    ("p5", 1): ((GIB, 440.0, _OCI),),
    ("p5", 2): (
        (GIB, 313.0, _OLD_SAMPLES),
        (2 * GIB, 438.0, _OLD_SAMPLES),
        (4 * GIB, 466.0, _SAMPLES),
        (16 * GIB, 487.0, _SAMPLES),
    ),
    ("p5e", 1): ((GIB, 440.0, _OCI),),
    ("p5en", 1): ((GIB, 440.0, _OCI),),
    ("p6-b200", 1): ((GIB, 440.0, _OCI),),
    ("p6-b200", 4): ((GIB, 367.0, _SAMPLES), (4 * GIB, 375.0, _SAMPLES), (16 * GIB, 377.0, _SAMPLES)),
    ("p6-b300", 1): ((GIB, 800.0, _OCI),),
    ("p6-b300", 2): ((16 * GIB, 654.0, _B300), (64 * GIB, 751.0, _B300)),
}
"""Published figures, keyed by instance family and number of nodes. A figure has a message size in bytes, a bandwidth in GB/s and a
source. All are for eight GPUs per node, which among p5 types only 48xlarge has.
"""


def usual_bytes(instance_type: str) -> int:
    return NEWER if _family(instance_type).startswith(_NEWER) else LEAST


def reference(instance_type: str, *, nodes: int, bytes_: int, gpus: int) -> Reference | None:
    """The figure of the largest size up to ``bytes_``, because larger messages are never slower. None without such a figure."""
    known = _TABLE.get((_family(instance_type), nodes), ()) if gpus == 8 else ()
    usable = [Reference(bandwidth, source) for size, bandwidth, source in known if size <= bytes_]
    return usable[-1] if usable else None


def _family(instance_type: str) -> str:
    return instance_type.removeprefix("ml.").partition(".")[0]
