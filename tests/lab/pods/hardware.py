# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processors and memory of the instance type, where kubelet looks for them, instead of those of the machine that the lab runs on.

Containers have a /proc and a /sys of their own and see the machine's.
"""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

UNITS = {"": 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
HUGE = "hugepages-2Mi"
NUMA = "sys/devices/system/node"
HUGE_PAGES = "sys/kernel/mm/hugepages"


def pretend(folder: Path, capacity: t.Mapping[str, str]) -> dict[str, Path]:
    """Files for a node with this capacity, below ``folder``, by the path that each is bound over."""
    memory = folder / "meminfo"
    memory.parent.mkdir(parents=True, exist_ok=True)
    memory.write_text(f"MemTotal: {size(capacity['memory']) // 1024} kB\nSwapTotal: 0 kB\n")
    for number in range(int(capacity["cpu"])):
        topology = folder / "numa/node0" / f"cpu{number}" / "topology"
        topology.mkdir(parents=True)
        (topology.parent / "online").write_text("1\n")
        (topology / "core_id").write_text(f"{number}\n")
        (topology / "physical_package_id").write_text("0\n")
    pages = folder / "huge/hugepages-2048kB"
    pages.mkdir(parents=True)
    for name in ("nr_hugepages", "free_hugepages"):
        (pages / name).write_text(f"{size(capacity.get(HUGE, '0')) // 2**21}\n")
    binds = {"proc/meminfo": memory, NUMA: folder / "numa", HUGE_PAGES: pages.parent}
    return {path: source for path, source in binds.items() if Path("/", path).exists()}


def size(quantity: str) -> int:
    """Bytes.

    :raises ValueError: for a quantity that is not a whole number with a binary suffix.
    """
    found = re.fullmatch(r"(\d+)(|[KMGT]i)", quantity)
    if found is None:
        raise ValueError(f"{quantity!r} is not a whole number with a binary suffix")
    return int(found[1]) * UNITS[found[2]]
