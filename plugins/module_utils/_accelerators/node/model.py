# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Accelerators of a node as its tools and its kernel tell of them: what was seen, and what could not be looked at.

No verdict. ``None`` is a value that is not present: a tool says N/A, an older driver does not know the field, or there is no such
file. What could not be read is named: in ``State.unseen``, in ``Gpu.unread``, or where a field says so.
Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

Counts = t.Mapping[str, int]


@dataclass(frozen=True)
class Unseen:
    """Something that could not be looked at, and why: neither good nor bad."""

    what: str
    why: str


@dataclass(frozen=True)
class Rows:
    """Remapped rows of a GPU's memory."""

    correctable: int | None
    uncorrectable: int | None
    pending: bool | None
    failed: bool | None
    spare: Counts = field(default_factory=dict)
    """Banks of memory, by how many of their spare rows are left: ``max``, ``high``, ``partial``, ``low``, ``none``."""


@dataclass(frozen=True)
class Memory:
    """ECC. Volatile counters are since the driver was loaded, aggregate ones since the GPU was made."""

    enabled: bool | None
    volatile: Counts
    aggregate: Counts
    sram_threshold_exceeded: bool | None
    repair_pending: bool | None
    """Of a channel or a TPC (Blackwell)."""
    unrepairable: bool | None
    rows: Rows | None
    """None where the GPU remaps no rows, or tells nothing of it, as with MIG."""
    pages_retired: int | None
    """For double-bit errors; of GPUs that remap no rows (Turing and older)."""
    page_pending: bool | None


@dataclass(frozen=True)
class Link:
    """The PCIe link of a device: generation and width now, and the most that the device could."""

    generation: int | None
    width: int | None
    max_generation: int | None
    max_width: int | None


@dataclass(frozen=True)
class Fabric:
    """The GPU's registration with the NVLink fabric, in the driver's words; empty where it reports none."""

    state: str
    status: str
    """May be an error of the registration, such as ``Unknown Error``."""
    health: t.Mapping[str, str]


@dataclass(frozen=True)
class Gpu:
    pci: str
    """As ``0000:9b:00.0``."""
    uuid: str
    serial: str
    name: str
    architecture: str
    module_id: str
    mig: bool | None
    persistence: bool | None
    recovery_action: str | None
    """In the driver's words, ``None`` among them (570 and newer)."""
    reset_required: bool | None
    link: Link
    memory: Memory
    fabric: Fabric | None
    held_back: tuple[str, ...]
    """Why its clocks are down at this moment, such as ``hw_thermal_slowdown``."""
    not_held_back: tuple[str, ...]
    """Reasons that the driver reports and that do not hold at this moment."""
    held_back_us: Counts
    """For how long, since the driver was loaded (570 and newer)."""
    temperature: int | None
    margin: int | None
    """Degrees below the limit (Hopper and newer)."""
    utilization: int | None
    processes: int | None
    """None where the tool does not list them."""
    broken: t.Mapping[str, str]
    """Fields whose value is an error of the driver's, such as ``Unknown Error``."""
    unread: t.Mapping[str, str] = field(default_factory=dict)
    """Values that are present and could not be read, by their path in the document: errors, and words that no list has."""


@dataclass(frozen=True)
class SmiDocument:
    """What ``nvidia-smi -q -x`` said."""

    driver: str
    cuda: str
    attached: int | None
    """As it says itself; a lost GPU may be counted here and have no element, or the other way round."""
    gpus: tuple[Gpu, ...]
    remarks: tuple[str, ...]
    """Lines beside the document, such as a warning about an infoROM."""
    inforom: tuple[str, ...] = ()
    """PCI addresses of GPUs whose infoROM it calls damaged there."""
    apart: t.Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By PCI address, those fields of ``Gpu.broken`` that are only in sections that the collection does not read."""


@dataclass(frozen=True)
class NvLinks:
    """Links of one GPU: gigabytes a second by link, None for one that is not up; error counters by link and name."""

    speeds: t.Mapping[int, float | None] | None
    """None where the tool told of errors alone."""
    errors: t.Mapping[int, Counts]
    unread: tuple[int, ...] = ()
    """Links of which the tool says neither a speed nor that they are inactive."""
    inactive: bool = False
    """The tool says that all of them are, and lists none."""
    absent: bool = False
    """The tool reports that the GPU has none."""
    garbled: bool = False
    """Instead of links, the tool printed words that no list has."""


@dataclass(frozen=True)
class PciDevice:
    address: str
    kind: str
    """``gpu``, ``nvswitch``, ``efa`` or ``neuron``."""
    device: str
    """Vendor and device, as ``10de:2330``."""
    driver: str
    link: Link
    answers: bool | None = None
    """Whether its configuration space reads as anything but ones; None where it could not be read."""


@dataclass(frozen=True)
class EfaDevice:
    name: str
    pci: str
    device: str
    driver: str
    state: str
    """Of its port, as ``ACTIVE``."""
    port_counters: Counts
    counters: Counts


@dataclass(frozen=True)
class NeuronDevice:
    index: int
    pci: str
    cores: int | None
    """Logical ones."""
    cores_of_one: int | None
    """Physical cores in a logical one."""
    memory: int | None
    processes: int
    errors: Counts


@dataclass(frozen=True)
class DcgmResult:
    """A test of DCGM that did not pass."""

    test: str
    gpu: int | None
    """By the driver's count; None for the node."""
    status: str
    """``fail``, ``warn``, or a word that the collection does not know; empty where there is none."""
    text: str
    severity: int | None
    """DCGM's own, from version 3.3.9 on: 1 monitor, 2 isolate, 3 unknown, 4 triage, 5 config, 6 reset."""


@dataclass(frozen=True)
class Limits:
    """Of a service that starts work, not of whoever asks. Bytes and files; None is unlimited."""

    service: str
    pid: int
    locked_memory: int | None
    open_files: int | None


@dataclass(frozen=True)
class HugePages:
    size_kib: int
    total: int
    free: int


@dataclass(frozen=True)
class KernelEvent:
    """Something that the kernel said of an accelerator."""

    kind: str
    """``xid``, ``sxid``, ``gone``, ``inforom``, ``driver``, ``neuron``, ``efa``, or ``torn`` for an Xid with a line break in it."""
    code: int
    """Of an Xid or SXid."""
    pci: str
    device: str
    """The RDMA device, where the line names that."""
    at: float
    """Seconds since the boot."""
    process: str
    """Its name, which whoever started it chose."""
    detail: str
    pid: str = ""
    """Of the process, where the line has it."""
    hint: bool = False
    """A line of dmesg, which may be a part of another record."""


@dataclass(frozen=True)
class Hole:
    """Lines of a log that nobody has read."""

    until: float
    """Seconds since the boot."""
    why: str


@dataclass(frozen=True)
class KernelLog:
    events: tuple[KernelEvent, ...]
    holes: tuple[Hole, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all of this boot was there, and the kernel left no lines of the driver out."""
        return not self.holes

    def missing(self, since: float) -> str:
        """Why not all that the kernel said since then, in seconds since the boot, is there; empty if it is."""
        return next((each.why for each in self.holes if each.until > since), "")


@dataclass(frozen=True)
class State:
    boot_id: str
    uptime_seconds: int
    smi: SmiDocument | None
    refusal: str
    """What ``nvidia-smi`` said instead of a document; empty if it gave one, or nothing."""
    lost: t.Mapping[str, str]
    """GPUs that the driver can't reach, by PCI address, and what it says of them."""
    nvlinks: t.Mapping[str, NvLinks]
    """By UUID of the GPU."""
    pci: tuple[PciDevice, ...]
    efa: tuple[EfaDevice, ...]
    efa_domains: tuple[str, ...] | None
    """Devices that libfabric offers; None where ``fi_info`` is not on this node, or its answer could not be read."""
    neuron: tuple[NeuronDevice, ...]
    log: KernelLog
    software: t.Mapping[str, str]
    """Versions by name."""
    services: t.Mapping[str, str]
    """States by name."""
    modules: t.Mapping[str, str]
    """Kernel modules that matter and are loaded, with their version."""
    limits: tuple[Limits, ...]
    huge_pages: tuple[HugePages, ...]
    dcgm: tuple[DcgmResult, ...] = ()
    """What has not passed; nothing where nobody asked, or the node has no ``dcgmi``."""
    dcgm_level: int = 0
    """Of the test that these are of; 0 without one."""
    unseen: tuple[Unseen, ...] = ()
    children_seconds: float = 0.0
    """Processor time of the tools."""
    hung: t.Mapping[str, float] = field(default_factory=dict)
    """Tools that do not come back, and since when, in seconds of the epoch."""
    smi_status: int | None = None
    """Exit status of ``nvidia-smi``, by which it repeats an error of the driver; None where it did not end."""
