# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The number of devices that a node should have. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    """Numbers of devices; None if unknown."""

    gpus: int | None
    efa: int | None
    neuron: int | None
    links: int | None
    """NVLinks of each GPU; 0 on types without NVSwitch."""
    source: str
    """Where the numbers come from, as a noun for messages."""
    fabric: bool | None = None
    """Whether the driver reports the registration of GPUs with the NVLink fabric, as drivers do for Hopper and later GPUs."""


_TABLE: t.Mapping[str, tuple[int, int | None, int, int | None]] = {
    "p4d.24xlarge": (8, 4, 0, 12),
    "p4de.24xlarge": (8, 4, 0, 12),
    "p5.4xlarge": (1, 1, 0, 0),
    "p5.48xlarge": (8, 32, 0, 18),
    "p5e.48xlarge": (8, 32, 0, 18),
    "p5en.48xlarge": (8, 16, 0, 18),
    "p6-b200.48xlarge": (8, 8, 0, 18),
    "p6-b300.48xlarge": (8, 16, 0, 18),
    "p6e-gb200.36xlarge": (4, None, 0, 18),
    "p6e-gb300.36xlarge": (4, None, 0, 18),
    "trn1.2xlarge": (0, 0, 1, 0),
    "trn1.32xlarge": (0, 8, 16, 0),
    "trn1n.32xlarge": (0, 16, 16, 0),
    "trn2.48xlarge": (0, 16, 16, 0),
    "g4dn.12xlarge": (4, None, 0, 0),
    "g4dn.metal": (8, None, 0, 0),
    "g5.48xlarge": (8, None, 0, 0),
    "g6.48xlarge": (8, None, 0, 0),
    "g6e.48xlarge": (8, None, 0, 0),
}
"""GPUs, EFA devices, Neuron devices, and NVLinks of each GPU. None for EFA if the number differs between nodes of the
type (types that begin with g), or if only EC2's API returns it (p6e)."""
_WITHOUT_NVSWITCH = (
    *("g4dn.", "g5.", "g5g.", "g6.", "g6e.", "g6f.", "gr6.", "gr6f.", "g7.", "g7e."),
    *("inf1.", "inf2.", "trn1.", "trn1n.", "trn2.", "trn2u."),
)
_WITHOUT_REGISTRATION = ("p4d.", "p4de.")
"""Types with A100 GPUs."""


def expected(instance_type: str, *, gpus: int | None = None, efa: int | None = None, neuron: int | None = None) -> Expected:
    """The numbers from EC2's DescribeInstanceTypes, if given; otherwise those from a table of common types."""
    kind = instance_type.removeprefix("ml.") if instance_type else ""
    known = _TABLE.get(kind)
    links = known[3] if known else 0 if kind.startswith(_WITHOUT_NVSWITCH) else None
    fabric = None if links is None else links > 0 and not kind.startswith(_WITHOUT_REGISTRATION)
    if gpus is not None or efa is not None or neuron is not None:
        return Expected(gpus, efa, neuron, links, "EC2", fabric)
    if known:
        return Expected(*known, source=f"the collection's table, for {kind}", fabric=fabric)
    return Expected(None, None, None, links, "nobody", fabric)
