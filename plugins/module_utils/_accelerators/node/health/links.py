# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Which NVLinks a GPU has, and which are up. Standard library only, Python 3.9 syntax.

The instance type determines whether GPUs have NVLinks. If the collection does not know the type, GPUs have NVLinks if the node has
NVSwitches, a GPU is registered with the fabric, or the tool lists a link.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Gpu, NvLinks
from .look import Look

NOT_SUPPORTED = "not supported"
"""The state of the fabric on a board without a fabric."""


@dataclass(frozen=True)
class Links:
    """The NVLinks of one GPU."""

    wanted: int
    down: tuple[int, ...] = ()
    up: int = 0
    unread: bool = False
    """Whether some or all links could not be read."""


def is_switched(look: Look) -> bool:
    """Whether NVLink connects the GPUs of the node. A single GPU has no peer."""
    if look.expected.links is not None:
        return look.expected.links > 0
    return _is_proven(look) or any(_lists(each) for each in look.state.nvlinks.values())


def links(look: Look, gpu: Gpu) -> Links | None:
    """The links of a GPU; None if it has none to check. Under MIG, links are unused, and the fabric manager may switch them off."""
    if not is_switched(look) or gpu.mig:
        return None
    nvlinks = look.state.nvlinks.get(gpu.uuid)
    wanted = look.expected.links or max((_count(each) for each in look.state.nvlinks.values()), default=0)
    if nvlinks is None or not _lists(nvlinks) or not wanted:
        return Links(wanted, unread=True)
    speeds = nvlinks.speeds or {}
    down = tuple(link for link in range(wanted) if link not in nvlinks.unread and not speeds.get(link))
    return Links(wanted, down, sum(1 for speed in speeds.values() if speed), unread=bool(nvlinks.unread))


def unread(look: Look) -> list[Gpu]:
    """The GPUs with unreadable links, on a node that has links or whose type is unknown."""
    if len(look.gpus) < 2:
        return []
    if is_switched(look):
        judged = [(gpu, links(look, gpu)) for gpu in look.gpus]
        return [gpu for gpu, found in judged if found and found.unread and not found.down]
    if look.expected.links is not None:
        return []
    return [gpu for gpu in look.gpus if not gpu.mig and not _lacks_links(gpu, look.state.nvlinks.get(gpu.uuid))]


def uncounted(look: Look) -> list[Gpu]:
    """The GPUs whose links are up but have no error counters."""
    if len(look.gpus) < 2:
        return []
    judged = [(gpu, links(look, gpu)) for gpu in look.gpus]
    return [gpu for gpu, found in judged if found and found.up and not look.state.nvlinks[gpu.uuid].errors]


def are_used(look: Look) -> bool:
    """Whether a link that is down is a fault. False if this is unknown, because the type is unknown and all links are down."""
    return look.expected.links is not None or _is_proven(look) or any(_is_up(each) for each in look.state.nvlinks.values())


def _is_proven(look: Look) -> bool:
    switches = any(each.kind == "nvswitch" for each in look.state.pci)
    return switches or any(gpu.fabric and gpu.fabric.state.lower() not in ("", NOT_SUPPORTED) for gpu in look.gpus)


def _lacks_links(gpu: Gpu, nvlinks: NvLinks | None) -> bool:
    """Whether the tool reports no links, or prints only the GPU's name. The name alone proves nothing if the driver reports a
    fabric state.
    """
    if nvlinks is None or nvlinks.garbled:
        return False
    return nvlinks.absent or not (gpu.fabric and gpu.fabric.state.lower() == NOT_SUPPORTED)


def _lists(nvlinks: NvLinks) -> bool:
    return bool(nvlinks.speeds or nvlinks.unread or nvlinks.inactive)


def _count(nvlinks: NvLinks) -> int:
    return len(nvlinks.speeds or ()) + len(nvlinks.unread)


def _is_up(nvlinks: NvLinks) -> bool:
    return any((nvlinks.speeds or {}).values())
