# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Named stories of a node's accelerators, for manual tests and the demo."""

from __future__ import annotations

from collections.abc import Callable

from lab.accelerators.machine import Machine
from lab.accelerators.story import HANGS, Story, healthy, off_the_bus
from lab.cli import nodes
from lab.names import LabError, Paths

NOTHING = "none"
TYPE = "ml.p5.48xlarge"


def driver_hangs(story: Story) -> None:
    story.tools["nvidia-smi"] = HANGS


def efa_missing(story: Story) -> None:
    del story.efa[7]


FAULTS: dict[str, Callable[[Story], object]] = {
    "healthy": lambda story: None,
    "gpu-off-the-bus": lambda story: off_the_bus(story, 3),
    "driver-hangs": driver_hangs,
    "efa-missing": efa_missing,
}
MENDED_BY_A_REBOOT = ("gpu-off-the-bus", "driver-hangs")
NAMES = (*FAULTS, NOTHING)


def simulate(paths: Paths, node: str, name: str) -> int:
    """Simulate the named story on the node."""
    if name not in NAMES:
        raise LabError(f"accelerators {name!r}: known are {', '.join(NAMES)}")
    entry = nodes.find_host(paths, node)
    machine = Machine(entry["pid"], entry["control_group"])
    if name == NOTHING:
        machine.clear()
        return 0
    story = healthy(TYPE)
    FAULTS[name](story)
    machine.simulate(story, after_reboot=healthy(TYPE) if name in MENDED_BY_A_REBOOT else None)
    return 0
