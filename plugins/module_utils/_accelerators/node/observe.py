# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the state of this node's accelerators. Standard library only, Python 3.9 syntax.

Tools for devices that the node lacks are not run. Unreadable parts are listed in ``State.unseen``. The kernel's log is read
first, so that no other sign of a fault is older than a record.
"""

from __future__ import annotations

import math
import os
import typing as t
from dataclasses import replace

from ..._core.text import lines_of, printable
from . import dcgm, efa, kernel_log, kernel_records, limits, load, neuron, nvlink, pci, smi, software
from .model import Counts, DcgmResult, EfaDevice, Hole, KernelLog, NeuronDevice, NvLinks, PciDevice, SmiDocument, State, Unseen
from .options import Places
from .tools import Answer, Hung, Missing, Tools, children_seconds
from .values import DAMAGED_ROM_STATUS

SERVICES = ("nvidia-fabricmanager", "nvidia-persistenced")
_STATES = ("active", "reloading", "inactive", "failed", "activating", "deactivating", "maintenance", "refreshing", "unknown")
"""All states of units in systemd."""
_Value = t.TypeVar("_Value")


class Observer:
    """Reads the node once. Failures are recorded, and the other parts are still read."""

    def __init__(self, places: Places, tools: Tools, *, dcgm_asked: load.Asked = load.Asked(0)) -> None:
        self._places = places
        self._tools = tools
        self._dcgm_asked = dcgm_asked
        self._dcgm_level = 0
        self._unseen: list[Unseen] = []
        self._hung: dict[str, float] = {}
        self._lost: dict[str, str] = {}
        self._refusal = ""
        self._smi_status: int | None = None

    def observe(self) -> State:
        """The state of the node. The uptime is read before the log, so the next check reads records that are written meanwhile.

        The log may contain a few newer records, which both checks assess. This changes no verdict, because a record that makes the
        node worse than fit does not move the stamp (``memory.after``).
        """
        sysfs, proc = self._places.sysfs, self._places.proc
        before = children_seconds()
        uptime = int(float((pci.word(f"{proc}/uptime") or "0").split(maxsplit=1)[0]))
        boot_id = pci.word(f"{proc}/sys/kernel/random/boot_id")
        log = self._log(boot_id) if self._read("PCI devices", lambda: pci.are_there(sysfs)) else KernelLog(())
        devices = self._read("PCI devices", lambda: pci.devices(sysfs)) or ()
        efa_devices = self._read("EFA devices", lambda: efa.devices(sysfs)) or ()
        modules = self._read("kernel modules", lambda: software.modules(proc, sysfs)) or {}
        nvidia = "nvidia" in modules or any(each.kind == "gpu" for each in devices)
        document = self._smi(devices) if nvidia else None
        return State(
            boot_id=boot_id,
            uptime_seconds=uptime,
            smi=document,
            refusal=self._refusal,
            lost=dict(self._lost),
            nvlinks=self._nvlinks() if document and len(document.gpus) > 1 else {},
            pci=devices,
            efa=efa_devices,
            efa_domains=self._domains(efa_devices),
            neuron=self._neuron() if "neuron" in modules or any(each.kind == "neuron" for each in devices) else (),
            log=log,
            software=self._software(devices, efa_devices),
            services=self._services() if nvidia else {},
            modules=modules,
            limits=self._read("limits of services", lambda: limits.limits(proc)) or (),
            huge_pages=self._read("huge pages", lambda: limits.huge_pages(sysfs)) or (),
            dcgm=self._dcgm(document) if document and self._dcgm_asked.level else (),
            dcgm_level=self._dcgm_level,
            unseen=tuple(self._unseen),
            hung=dict(self._hung),
            smi_status=self._smi_status,
            children_seconds=children_seconds() - before,
        )

    def _smi(self, devices: t.Sequence[PciDevice]) -> SmiDocument | None:
        answer = self._run("nvidia-smi", "-q", "-x")
        if answer is None:
            return None
        self._smi_status = answer.status
        self._lost = smi.lost(answer.text)
        if self._lost:
            return self._others(each.address for each in devices if each.kind == "gpu")
        return self._parsed(answer)

    def _others(self, addresses: t.Iterable[str]) -> SmiDocument | None:
        """The GPUs that are not lost. With a lost GPU, the driver reports no GPU, unless each GPU is queried individually."""
        found: list[SmiDocument] = []
        for address in addresses:
            answer = self._run("nvidia-smi", "-q", "-x", "-i", address) if address not in self._lost else None
            lost = smi.lost(answer.text) if answer else {}
            self._lost.update(lost)
            document = self._parsed(answer) if answer and not lost else None
            if answer and document:
                damaged = (address,) if answer.status == DAMAGED_ROM_STATUS else ()
                found.append(replace(document, inforom=(*document.inforom, *damaged)))
        if not found:
            return None
        gpus = tuple(gpu for each in found for gpu in each.gpus)
        apart = {pci: names for each in found for pci, names in each.apart.items()}
        return replace(found[0], gpus=gpus, inforom=tuple(address for each in found for address in each.inforom), apart=apart)

    def _parsed(self, answer: Answer) -> SmiDocument | None:
        try:
            return smi.parse(answer.text, answer.errors)
        except smi.Unreadable as error:
            self._refusal = _first_words(answer)
            self._miss("GPUs", f"nvidia-smi -q -x: {error}{_quoted(answer)}")
            return None

    def _nvlinks(self) -> t.Mapping[str, NvLinks]:
        status, errors = (self._run("nvidia-smi", "nvlink", which) for which in ("-s", "-e"))
        return nvlink.links(status.text if status else "", errors.text if errors else "")

    def _dcgm(self, document: SmiDocument) -> tuple[DcgmResult, ...]:
        """Run DCGM's tests, at level 1 if the requested level can't run."""
        requested = self._dcgm_asked
        why_not = load.why_not(requested, document.gpus)
        if why_not:
            self._miss(requested.name, why_not)
        level = load.QUIET if why_not else requested.level
        answer = self._diag(level)
        try:
            found = dcgm.results(answer.text) if answer else ()
        except dcgm.Unreadable as error:
            self._miss("DCGM" if level == load.QUIET else requested.name, f"dcgmi diag: {error}{_quoted(answer) if answer else ''}")
            return ()
        self._dcgm_level = level if answer else 0
        return found

    def _diag(self, level: int) -> Answer | None:
        argv = ("dcgmi", "diag", "-r", str(level), "-j")
        if level == load.QUIET:
            return self._run(*argv, optional=True)
        try:
            return self._tools.run(*argv, seconds=load.SECONDS[level], grace=load.GRACE)
        except Missing as error:
            self._miss(self._dcgm_asked.name, str(error))
        except Hung:
            self._miss(self._dcgm_asked.name, f"the test did not end within {load.SECONDS[level]:.0f} s")
        except OSError as error:
            self._miss(self._dcgm_asked.name, f"it could not be started: {error.strerror}")
        return None

    def _domains(self, devices: t.Sequence[EfaDevice]) -> tuple[str, ...] | None:
        """The devices in libfabric. ``fi_info`` may be installed only in containers."""
        answer = self._run("fi_info", "-p", "efa", optional=True) if devices else None
        found = efa.domains(f"{answer.text}\n{answer.errors}", answer.status) if answer else None
        if answer and found is None:
            self._miss("fi_info", f"the output lists no devices{_quoted(answer)}")
        return found

    def _neuron(self) -> tuple[NeuronDevice, ...]:
        answer = self._run("neuron-ls", "--output-format", "json")
        if answer and answer.status != 0:  # before 2.34
            answer = self._run("neuron-ls", "--json-output")
        if answer is None:
            return ()
        errors = self._neuron_errors()
        try:
            found = neuron.devices(answer.text, errors or {})
        except neuron.Unreadable as error:
            self._miss("Neuron devices", f"neuron-ls: {error}{_quoted(answer)}")
            return ()
        if errors is not None and neuron.uncounted(found):
            self._miss("neuron-monitor", neuron.uncounted(found))
        return found

    def _neuron_errors(self) -> t.Mapping[int, Counts] | None:
        """The counters of Neuron devices; None if they could not be read at all."""
        line = self._first_line("neuron-monitor")
        if line is None:
            return None
        try:
            return neuron.errors(line)
        except neuron.Unreadable as error:
            self._miss("neuron-monitor", str(error))
            return None

    def _log(self, boot_id: str) -> KernelLog:
        """The log from the journal, which covers most of a boot, or from the kernel's buffer, which loses records earlier.

        Every boot has records, so a journal without records does not store kernel records. Lines of dmesg are the last resort.
        """
        if self._places.kernel_log:
            return self._of_buffer(self._places.kernel_log) or self._no_log(f"{self._places.kernel_log} could not be read")
        buffer = os.path.join(self._places.root, kernel_records.KMSG)
        return self._of_journal(boot_id) or self._of_buffer(buffer) or self._of_dmesg()

    def _of_journal(self, boot_id: str) -> KernelLog | None:
        answer = self._run(*kernel_records.JOURNAL, kernel_records.NEEDED_FIELDS, optional=True)
        if answer and answer.status != 0:  # before systemd 236
            answer = self._run(*kernel_records.JOURNAL, optional=True)
        if answer is None or answer.status != 0:
            return None
        try:
            found = kernel_records.of_journal(answer.text, boot_id)
        except kernel_records.Unreadable as error:
            self._miss("kernel log", f"journalctl: {error}")
            return None
        holes = kernel_records.holes_of_journal(found, cut=kernel_records.is_cut(answer.text))
        return KernelLog(kernel_log.events(found), holes) if found else None

    def _of_buffer(self, path: str) -> KernelLog | None:
        try:
            content, overwritten = kernel_records.read_kmsg(path)
        except OSError:
            return None
        found = kernel_records.of_kmsg(content)
        holes = kernel_records.holes_of_buffer(found, overwritten=overwritten)
        return KernelLog(kernel_log.events(found), holes) if found else None

    def _of_dmesg(self) -> KernelLog:
        answer = self._run(*kernel_records.RING, optional=True)
        if answer is None or answer.status != 0 or not answer.text.strip():  # dmesg prints nothing without permission
            return self._no_log(f"neither journalctl nor dmesg could read the log{_quoted(answer) if answer else ''}")
        found = kernel_records.of_ring(answer.text)
        return KernelLog(kernel_log.events(found), kernel_records.holes_of_buffer(found))

    def _no_log(self, why: str) -> KernelLog:
        self._miss("kernel log", why)
        return KernelLog((), (Hole(math.inf, why),))

    def _software(self, devices: t.Sequence[PciDevice], efa_devices: t.Sequence[EfaDevice]) -> dict[str, str]:
        found = self._read("versions", lambda: software.versions(self._places.root, self._places.proc)) or {}
        more: dict[str, str] = {}
        if efa_devices:
            answer = self._run("fi_info", "--version", optional=True)
            more["libfabric"] = software.libfabric(answer.text) if answer else ""
        if any(each.kind == "nvswitch" for each in devices):
            answer = self._run("nv-fabricmanager", "--version", optional=True)
            more["fabric_manager"] = software.fabric_manager(answer.text) if answer else ""
        return {**found, **{name: version for name, version in more.items() if version}}

    def _services(self) -> dict[str, str]:
        """The states of services. An unknown service is ``inactive``. If systemd does not reply, systemctl prints the reason."""
        answer = self._run("systemctl", "is-active", *SERVICES, optional=True)
        if answer is None:
            return {}
        states = [line.strip() for line in lines_of(answer.text)]
        if len(states) != len(SERVICES) or not set(states) <= set(_STATES):
            self._miss("services", f"systemctl is-active returned no states{_quoted(answer)}")
            return {}
        return dict(zip(SERVICES, states))

    def _read(self, what: str, read: t.Callable[[], _Value]) -> _Value | None:
        try:
            return read()
        except (OSError, ValueError) as error:
            self._miss(what, str(error))
            return None

    def _run(self, *argv: str, optional: bool = False) -> Answer | None:
        return self._answered(argv[0], lambda: self._tools.run(*argv), optional=optional)

    def _first_line(self, tool: str) -> str | None:
        return self._answered(tool, lambda: self._tools.first_line(tool))

    def _answered(self, tool: str, call: t.Callable[[], _Value], *, optional: bool = False) -> _Value | None:
        try:
            return call()
        except Missing as error:
            if not optional:
                self._miss(tool, str(error))
        except Hung as error:
            self._hang(tool, error)
        except OSError as error:
            self._miss(tool, f"it could not be started: {error.strerror}")
        return None

    def _hang(self, tool: str, error: Hung) -> None:
        self._hung.setdefault(tool, error.since)
        self._miss(tool, "it hangs in the driver")

    def _miss(self, what: str, why: str) -> None:
        found = Unseen(what, printable(why))
        if found not in self._unseen:
            self._unseen.append(found)


def _quoted(answer: Answer) -> str:
    words = _first_words(answer)
    return f"; first line of the output: {words}" if words else ""


def _first_words(answer: Answer) -> str:
    """The first line of invalid output, which is usually the reason."""
    words = next((line.strip() for line in lines_of(answer.text) if line.strip()), "")
    return "" if words.startswith("<") else words[:200]
