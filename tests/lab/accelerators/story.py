# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node with accelerators as a story: what it is, and what has happened to it. Each tool of the node tells the same one.

Values are those that the tools show; ``faults`` has the changes by the names that people give them.
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
    """``elements`` are elements of nvidia-smi's document by path that differ from those of a healthy GPU at rest."""

    index: int
    address: str
    elements: dict[str, str | None] = field(default_factory=dict)
    lost: str = ""
    """What the driver says instead of anything else; the kernel may have the device still."""
    on_bus: bool = True
    answers_bus: bool = True
    """Its PCI configuration does not read as ones."""
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
    """Of the kernel's log: seconds after the boot."""

    at: float
    text: str
    facility: int = 0
    """1 for what a process wrote into /dev/kmsg."""


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
    """``HANGS``, ``MISSING``, or what the tool says instead of everything else, by its name."""
    statuses: dict[str, int] = field(default_factory=dict)
    links_missing: tuple[str, ...] = ()
    """What ``nvidia-smi nvlink`` fails to tell: ``-s``, the links, or ``-e``, their errors."""
    link_words: dict[int, str] = field(default_factory=dict)
    """What ``nvidia-smi nvlink -s`` prints instead of a GPU's links, by the index of the GPU."""
    services: dict[str, str] = field(default_factory=lambda: {"nvidia-fabricmanager": "active", "nvidia-persistenced": "active"})
    locked_memory: dict[str, str] = field(default_factory=lambda: {"slurmd": "unlimited"})
    """That services which start jobs give them, in bytes."""
    huge_pages: int = 5128
    absent_counters: tuple[str, ...] = ()
    """That an older driver of EFA does not have."""
    neuron_release: str = "2.33"
    attached: int | None = None
    all_reduce: tuple[float, float] | None = None
    """As ``InstanceType.all_reduce``, of this node; without it, it has no nccl-tests."""
    ofi: bool = True
    """NCCL finds its plugin for EFA."""

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
        """In the kernel's log, ``at`` seconds after the boot."""
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
    """A quarter of an hour after a reboot that mended nothing; the kernel's log has begun anew."""
    return changed(story, **{"boot_id": str(uuid.uuid4()), "uptime": 900, "log": [], **more})


def in_boot(story: Story, boot_id: str, uptime: float) -> Story:
    """The same in another boot: what the kernel said is as long ago as it was."""
    log = [dataclasses.replace(line, at=line.at - story.uptime + uptime) for line in story.log]
    return changed(story, boot_id=boot_id, uptime=int(uptime), log=log)


def off_the_bus(story: Story, index: int) -> Story:
    """The same story, in which a GPU has just fallen off the bus: sysfs has it still, and it answers nobody."""
    gpu = story.gpus[index]
    gpu.lost, gpu.answers_bus = "GPU is lost.  Reboot the system to recover this GPU", False
    story.say(story.uptime, f"NVRM: Xid (PCI:{gpu.address[:-2]}): 79, GPU has fallen off the bus.")
    return story
