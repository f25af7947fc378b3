# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of a node with accelerators: its hardware and its faults. All tools of the node show the same one.

Values are those that the tools show; ``faults`` has named changes.
"""

from __future__ import annotations

import dataclasses
import typing as t
import uuid
from dataclasses import dataclass, field

from .types import TYPES, Board, InstanceType

HANGS, MISSING = "hangs", "missing"


@dataclass
class Gpu:
    """``elements``: by path, elements of nvidia-smi's document that differ from those of an idle healthy GPU."""

    index: int
    address: str
    elements: dict[str, str | None] = field(default_factory=dict)
    lost: str = ""
    """Error of the driver that replaces all output; the kernel may still list the device."""
    on_bus: bool = True
    answers_bus: bool = True
    """False if its PCI configuration reads as ones."""
    links_down: set[int] = field(default_factory=set)
    link_errors: dict[int, dict[str, int]] = field(default_factory=dict)
    processes: tuple[str, ...] = ()
    mig: bool = False

    @property
    def uuid(self) -> str:
        return f"GPU-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8{self.index:02x}"

    @property
    def serial(self) -> str:
        return f"16505220038{self.index:02d}"


@dataclass
class Efa:
    name: str
    address: str
    device: str
    driver: str = "efa"
    state: str = "4: ACTIVE"
    port: dict[str, int] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)


@dataclass
class Neuron:
    index: int
    address: str
    errors: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """A line of the kernel log; ``at``: seconds after the boot."""

    at: float
    text: str
    facility: int = 0
    """1 for a line that a process wrote into /dev/kmsg."""


@dataclass
class Story:
    instance_type: str
    driver: str = "570.172.08"
    cuda: str = "12.8"
    uptime: int = 86400
    boot_id: str = "5f1c8a52-6d0e-4f0f-9d43-2b1c1f5d0a11"
    gpus: list[Gpu] = field(default_factory=list)
    switches: list[str] = field(default_factory=list)
    """PCI addresses."""
    efa: list[Efa] = field(default_factory=list)
    neuron: list[Neuron] = field(default_factory=list)
    log: list[Line] = field(default_factory=list)
    tools: dict[str, str] = field(default_factory=dict)
    """``HANGS``, ``MISSING`` or the only output of a tool, by name."""
    statuses: dict[str, int] = field(default_factory=dict)
    links_missing: tuple[str, ...] = ()
    """Options for which ``nvidia-smi nvlink`` fails: ``-s``, the links, or ``-e``, their errors."""
    link_texts: dict[int, str] = field(default_factory=dict)
    """Text that ``nvidia-smi nvlink -s`` prints instead of the links of a GPU, by its index."""
    services: dict[str, str] = field(default_factory=lambda: {"nvidia-fabricmanager": "active", "nvidia-persistenced": "active"})
    locked_memory: dict[str, str] = field(default_factory=lambda: {"slurmd": "unlimited"})
    """Locked memory in bytes that services give to the jobs they start."""
    huge_pages: int = 5128
    absent_counters: tuple[str, ...] = ()
    """Counters that an older driver of EFA lacks."""
    neuron_release: str = "2.33"
    attached: int | None = None
    all_reduce: tuple[float, float] | None = None
    """As ``InstanceType.all_reduce``, for this node; None if it has no nccl-tests."""
    ofi: bool = True
    """Whether NCCL finds its plugin for EFA."""

    @property
    def type(self) -> InstanceType:
        return TYPES[self.instance_type]

    @property
    def board(self) -> Board:
        assert self.type.board is not None, self.instance_type
        return self.type.board

    @property
    def release(self) -> int:
        """Of the driver."""
        return int(self.driver.split(".", 1)[0])

    def say(self, at: float, *lines: str) -> None:
        """Add lines to the kernel log, ``at`` seconds after the boot."""
        self.log += [Line(at, line) for line in lines]


def healthy(instance_type: str, **more: t.Any) -> Story:
    kind = TYPES[instance_type]
    story = Story(instance_type, **{"all_reduce": kind.all_reduce, **more})
    story.gpus = [Gpu(index, f"0000:{0x53 + 0x10 * index:02x}:00.0") for index in range(kind.gpus)]
    story.switches = [f"0000:{0x0A + index:02x}:00.0" for index in range(kind.switches[1])]
    device, count = kind.efa
    story.efa = [Efa(f"rdmap{0x40 + index}s0", f"0001:{0x40 + index:02x}:00.0", device) for index in range(count)]
    story.neuron = [Neuron(index, f"0002:{0x10 + index:02x}:00.0") for index in range(kind.neuron[1])]
    return story


def changed(story: Story, **more: t.Any) -> Story:
    return dataclasses.replace(story, **more)


def rebooted(story: Story, **more: t.Any) -> Story:
    """The story a quarter of an hour after a reboot, with the same faults and an empty kernel log."""
    return changed(story, **{"boot_id": str(uuid.uuid4()), "uptime": 900, "log": [], **more})


def in_boot(story: Story, boot_id: str, uptime: float) -> Story:
    """The story in another boot; lines of the kernel log keep their age."""
    log = [dataclasses.replace(line, at=line.at - story.uptime + uptime) for line in story.log]
    return changed(story, boot_id=boot_id, uptime=int(uptime), log=log)


def off_the_bus(story: Story, index: int) -> Story:
    """The story with a GPU that has just fallen off the bus: sysfs still lists it, but it does not respond."""
    gpu = story.gpus[index]
    gpu.lost, gpu.answers_bus = "GPU is lost.  Reboot the system to recover this GPU", False
    story.say(story.uptime, f"NVRM: Xid (PCI:{gpu.address[:-2]}): 79, GPU has fallen off the bus.")
    return story
