# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The state of a node's accelerators, from its tools and its kernel, without a verdict.

``None`` means that there is no value: a tool prints N/A, an older driver does not have the field, or the file does not exist.
Unreadable values are listed in ``State.unseen``, in ``Gpu.unread``, or in a field that is documented so.
Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

Counts = t.Mapping[str, int]


@dataclass(frozen=True)
class Unseen:
    """A part that could not be checked, and the reason. The part counts neither as good nor as bad."""

    what: str
    why: str


@dataclass(frozen=True)
class Rows:
    """The remapped rows of a GPU's memory."""

    correctable: int | None
    uncorrectable: int | None
    pending: bool | None
    failed: bool | None
    spare: Counts = field(default_factory=dict)
    """The number of memory banks, keyed by remaining spare rows: ``max``, ``high``, ``partial``, ``low``, ``none``."""


@dataclass(frozen=True)
class Memory:
    """The state of a GPU's ECC memory. Volatile counters start with the driver; aggregate ones cover the GPU's lifetime."""

    enabled: bool | None
    volatile: Counts
    aggregate: Counts
    sram_threshold_exceeded: bool | None
    repair_pending: bool | None
    """Whether the repair of a channel or a TPC is pending (Blackwell)."""
    unrepairable: bool | None
    rows: Rows | None
    """None if the GPU remaps no rows, or does not report them, as with MIG."""
    pages_retired: int | None
    """The pages retired for double-bit errors, on GPUs that remap no rows (Turing and older)."""
    page_pending: bool | None


@dataclass(frozen=True)
class Link:
    """The PCIe link of a device: current generation and width, and the maximum of the device."""

    generation: int | None
    width: int | None
    max_generation: int | None
    max_width: int | None


@dataclass(frozen=True)
class Fabric:
    """The GPU's registration with the NVLink fabric; its values are empty if the driver reports none."""

    state: str
    status: str
    """May be an error of the registration, such as ``Unknown Error``."""
    health: t.Mapping[str, str]


@dataclass(frozen=True)
class Gpu:
    pci: str
    """PCI address, such as ``0000:9b:00.0``."""
    uuid: str
    serial: str
    name: str
    architecture: str
    module_id: str
    mig: bool | None
    persistence: bool | None
    recovery_action: str | None
    """The action that the driver reports (570 and newer). The text ``None`` is a possible value."""
    reset_required: bool | None
    link: Link
    memory: Memory
    fabric: Fabric | None
    held_back: tuple[str, ...]
    """Active reasons for reduced clocks, such as ``hw_thermal_slowdown``."""
    not_held_back: tuple[str, ...]
    """Reported reasons that are not active now."""
    held_back_us: Counts
    """Microseconds since the driver was loaded, keyed by reason (570 and newer)."""
    temperature: int | None
    margin: int | None
    """Degrees below the limit (Hopper and newer)."""
    utilization: int | None
    processes: int | None
    """The number of processes; None if the tool does not list them."""
    broken: t.Mapping[str, str]
    """Fields whose value is an error of the driver, such as ``Unknown Error``."""
    unread: t.Mapping[str, str] = field(default_factory=dict)
    """Values that are present but unreadable, keyed by their path in the document: errors, and unknown values."""


@dataclass(frozen=True)
class SmiDocument:
    """The output of ``nvidia-smi -q -x``."""

    driver: str
    cuda: str
    attached: int | None
    """The tool's own count. A lost GPU may be counted without having an element, or have an element without being counted."""
    gpus: tuple[Gpu, ...]
    remarks: tuple[str, ...]
    """Lines outside the document, such as a warning about an infoROM."""
    inforom: tuple[str, ...] = ()
    """The PCI addresses of GPUs whose infoROM a remark calls damaged."""
    apart: t.Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Names of fields in ``Gpu.broken`` that have an error only in sections that the collection does not otherwise read, keyed by
    PCI address.
    """


@dataclass(frozen=True)
class NvLinks:
    """The links of one GPU: GB/s keyed by link (None for a link that is not up), and error counters keyed by link, then by name."""

    speeds: t.Mapping[int, float | None] | None
    """None if the tool returned only errors."""
    errors: t.Mapping[int, Counts]
    unread: tuple[int, ...] = ()
    """Links for which the tool prints neither a speed nor that they are inactive."""
    inactive: bool = False
    """Whether the tool reports all links as inactive without a list."""
    absent: bool = False
    """Whether the tool reports that the GPU has no links."""
    garbled: bool = False
    """Whether the tool printed unknown text instead of links."""


@dataclass(frozen=True)
class PciDevice:
    address: str
    kind: str
    """``gpu``, ``nvswitch``, ``efa`` or ``neuron``."""
    device: str
    """The vendor and the device, such as ``10de:2330``."""
    driver: str
    link: Link
    answers: bool | None = None
    """Whether the device's configuration space reads as anything but ones; None if it could not be read."""


@dataclass(frozen=True)
class EfaDevice:
    name: str
    pci: str
    device: str
    driver: str
    state: str
    """The state of the device's port, such as ``ACTIVE``."""
    port_counters: Counts
    counters: Counts


@dataclass(frozen=True)
class NeuronDevice:
    index: int
    pci: str
    cores: int | None
    """The number of logical cores."""
    cores_of_one: int | None
    """The number of physical cores in a logical one."""
    memory: int | None
    processes: int
    errors: Counts


@dataclass(frozen=True)
class DcgmResult:
    """A test of DCGM that did not pass."""

    test: str
    gpu: int | None
    """The driver's index of the GPU; None for the node."""
    status: str
    """``fail``, ``warn``, an unknown value, or empty."""
    text: str
    severity: int | None
    """From DCGM 3.3.9 on: 1 monitor, 2 isolate, 3 unknown, 4 triage, 5 config, 6 reset."""


@dataclass(frozen=True)
class Limits:
    """The limits of a service that starts jobs, not of the current session, in bytes and files. None means unlimited."""

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
    """A kernel record about an accelerator."""

    kind: str
    """``xid``, ``sxid``, ``gone``, ``inforom``, ``driver``, ``neuron``, ``efa``, or ``torn`` for an Xid with a line break in it."""
    code: int
    """The number of an Xid or SXid."""
    pci: str
    device: str
    """The RDMA device, if the record names it."""
    at: float
    """Seconds since the boot."""
    process: str
    """The name of the process, which users can choose."""
    detail: str
    pid: str = ""
    """The process ID, if the record has it."""
    hint: bool = False
    """Whether the event is from a line of dmesg, which may be a part of another record."""


@dataclass(frozen=True)
class Hole:
    """Missing lines of a log."""

    until: float
    """The end of the missing part, in seconds since the boot."""
    why: str


@dataclass(frozen=True)
class KernelLog:
    events: tuple[KernelEvent, ...]
    holes: tuple[Hole, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the log covers the whole boot, without suppressed lines of the driver."""
        return not self.holes

    def missing(self, since: float) -> str:
        """Why records after ``since`` (seconds since the boot) are missing; empty if none are."""
        return next((each.why for each in self.holes if each.until > since), "")


@dataclass(frozen=True)
class State:
    boot_id: str
    uptime_seconds: int
    smi: SmiDocument | None
    refusal: str
    """The output of ``nvidia-smi`` instead of a document; empty if it printed a document or nothing."""
    lost: t.Mapping[str, str]
    """The driver's messages about GPUs that it can't reach, keyed by PCI address."""
    nvlinks: t.Mapping[str, NvLinks]
    """NVLinks, keyed by the UUID of their GPU."""
    pci: tuple[PciDevice, ...]
    efa: tuple[EfaDevice, ...]
    efa_domains: tuple[str, ...] | None
    """The devices in libfabric; None if ``fi_info`` is not on this node, or its output could not be read."""
    neuron: tuple[NeuronDevice, ...]
    log: KernelLog
    software: t.Mapping[str, str]
    """Versions of software, keyed by name."""
    services: t.Mapping[str, str]
    """States of services, keyed by name."""
    modules: t.Mapping[str, str]
    """Loaded kernel modules for accelerators, with their versions."""
    limits: tuple[Limits, ...]
    huge_pages: tuple[HugePages, ...]
    dcgm: tuple[DcgmResult, ...] = ()
    """The results that did not pass; empty if DCGM was not requested, or the node has no ``dcgmi``."""
    dcgm_level: int = 0
    """The level of the DCGM test; 0 without a test."""
    unseen: tuple[Unseen, ...] = ()
    children_seconds: float = 0.0
    """The processor time of the tools, in seconds."""
    hung: t.Mapping[str, float] = field(default_factory=dict)
    """The start times of hanging tools, in seconds of the epoch."""
    smi_status: int | None = None
    """The exit status of ``nvidia-smi``, which reflects errors of the driver; None if it did not end."""
