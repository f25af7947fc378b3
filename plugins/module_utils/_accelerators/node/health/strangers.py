# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Kernel records about devices that this instance does not have. Standard library only, Python 3.9 syntax.

A device that has fallen off the bus may be missing in sysfs, so devices from earlier checks of this instance count as its own.
"""

from __future__ import annotations

import typing as t

from ..model import KernelEvent
from .look import Look
from .problem import KERNEL_LOG_STRANGER, WATCH, WORKLOAD, Problem

_KINDS: t.Mapping[str, str] = {
    **dict.fromkeys(("xid", "gone", "torn", "inforom", "driver"), "gpu"),
    "sxid": "nvswitch",
    "efa": "efa",
    "neuron": "neuron",
}
"""The kind of device that a record is about."""
_TORN = "torn"


def is_own(look: Look, event: KernelEvent) -> bool:
    """Whether the record is complete, and about a device of this instance."""
    if event.kind == _TORN:
        return False
    known, kind = look.devices, _KINDS[event.kind]
    place = event.device or event.pci
    return known.get(place) == kind if place else kind in known.values()


def problems(look: Look, events: t.Sequence[KernelEvent]) -> t.Iterator[Problem]:
    """One problem for all such records, because a user who can write to the log can write any number of records."""
    found = [event for event in events if not is_own(look, event)]
    if found:
        count = f"{len(found)} record{'s' if len(found) > 1 else ''}"
        text = (
            f"The kernel log has {count} in a driver's format about devices that this node lacks, or with a line break. Such "
            "records do not count, because a user's program may have written them."
        )
        last = found[-1]
        evidence = f"{last.device or last.pci}: {last.detail}"
        yield Problem(KERNEL_LOG_STRANGER, WATCH, WORKLOAD, text, key=KERNEL_LOG_STRANGER, evidence=evidence)
