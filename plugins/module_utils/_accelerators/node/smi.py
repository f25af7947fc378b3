# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Parses ``nvidia-smi -q -x``, in the layouts of drivers from 515 to 595.

A document that is incomplete, doubled or not from NVIDIA raises ``Unreadable``, so that it decides no verdict. Texts are
unchanged; the caller must make them ``printable``. A missing value differs from an unreadable one, which is in ``Gpu.unread``.
Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import re
import typing as t
from xml.etree import ElementTree

from ..._core.text import lines_of, printable
from . import smi_sections
from .model import Counts, Fabric, Gpu, Link, Memory, Rows, SmiDocument
from .values import DAMAGED_ROM, address, counts, is_absent, is_broken, known, number, yes

LARGEST = 16 * 1024 * 1024
_BEGIN, _END = "<nvidia_smi_log>", "</nvidia_smi_log>"
_HEAD = re.compile(r"<\?xml[^>]*\?>|<!DOCTYPE[^>\[]*>", re.IGNORECASE)
_HELD_BACK = re.compile(r"clocks_(?:throttle|event)_reason_(.+)")
_REMARKS = 20
_LOST = re.compile(r"Unable to determine the device handle for (?:GPU ?|gpu )?(?:\d+: )?([0-9A-Fa-f:.]+): (.+)")
"""Newer drivers print the GPU's number before the GPU's address."""
_SRAM = ("sram_uncorrectable", "sram_uncorrectable_parity", "sram_uncorrectable_secded")
"""The SRAM counters: one up to driver 535, and two since 550."""
_ECC = ("sram_correctable", "dram_correctable", "dram_uncorrectable")
_HISTOGRAM = "row_remapper_histogram"
_SPARE = ("max", "high", "partial", "low", "none")
_BITS = ("single_bit", "double_bit")
"""The counters of Volta GPUs."""
_SLOWED = {
    "hw_therm_slowdown": "hw_thermal_slowdown",
    "sw_therm_slowdown": "sw_thermal_slowdown",
    "hw_power_brake": "hw_power_brake_slowdown",
}
"""The names of the reasons for reduced clocks, keyed by the names of their counters, where the two differ."""
_Value = t.TypeVar("_Value")


class Unreadable(Exception):
    """The document is incomplete or invalid; the message gives the reason."""


def parse(text: str, errors: str = "") -> SmiDocument:
    """
    :param errors: the standard error of the tool.
    """
    if len(text) > LARGEST:
        raise Unreadable(f"the output is longer than {LARGEST // 1024 // 1024} MiB")
    if text.count(_BEGIN) > 1:
        raise Unreadable("the output has several documents")
    begin, end = text.find(_BEGIN), text.rfind(_END)
    if begin < 0 or end < begin:
        raise Unreadable("the document is incomplete" if begin >= 0 else "the output is not a document of nvidia-smi")
    around = text[:begin] + "\n" + text[end + len(_END) :] + "\n" + errors
    root, chunks = _root(smi_sections.allowed(text[begin + len(_BEGIN) : end]))
    gpus = tuple(_gpu(element, chunk) for element, chunk in zip(root.iterfind("gpu"), chunks))
    apart = {gpu.pci: frozenset(gpu.broken) - frozenset(_broken(chunk.read)) for gpu, chunk in zip(gpus, chunks)}
    return SmiDocument(
        driver=_text(root, "driver_version"),
        cuda=_text(root, "cuda_version"),
        attached=number(root.findtext("attached_gpus")),
        gpus=gpus,
        remarks=_remarks(around),
        inforom=tuple(address(place) for place in DAMAGED_ROM.findall(around)),
        apart={pci: names for pci, names in apart.items() if names},
    )


def lost(text: str) -> dict[str, str]:
    """The messages about lost GPUs, keyed by PCI address. With a lost GPU, the tool reports no other GPU."""
    begin, end = text.find(_BEGIN), text.rfind(_END)
    around = text[:begin] + text[end:] if 0 <= begin < end else text  # the document has names of processes, which users choose
    found = (match for match in map(_LOST.search, lines_of(around)) if match)
    return {address(match.group(1)): match.group(2).strip() for match in found if address(match.group(1))}


def _root(document: str) -> tuple[ElementTree.Element, list[smi_sections.Chunk]]:
    """The root element with the sections that are read, and one chunk for each GPU."""
    try:
        header, chunks = smi_sections.header(document), smi_sections.gpus(document)
        kept = "".join([*(f"<{tag}>{text}</{tag}>" for tag, text in header.items()), *(chunk.xml for chunk in chunks)])
        return ElementTree.fromstring(f"{_BEGIN}{kept}{_END}"), chunks
    except (ElementTree.ParseError, smi_sections.Damaged) as error:
        raise Unreadable(f"the document is damaged: {printable(error)}") from None


def _remarks(around: str) -> tuple[str, ...]:
    lines = [line.strip() for line in lines_of(_HEAD.sub("", around))]
    return tuple(line for line in lines if line)[:_REMARKS]


def _gpu(gpu: ElementTree.Element, chunk: smi_sections.Chunk) -> Gpu:
    values = _Values(gpu)
    reasons = {name: values.flag(path) for name, path in _reasons(values)}
    resets = [values.flag(f"gpu_reset_status/{each}") for each in ("reset_required", "drain_and_reset_recommended")]
    return Gpu(
        pci=address(gpu.findtext("pci/pci_bus_id")) or address(gpu.get("id")),
        uuid=_text(gpu, "uuid"),
        serial=_text(gpu, "serial"),
        name=_text(gpu, "product_name"),
        architecture=_text(gpu, "product_architecture"),
        module_id=_text(gpu, "gpu_module_id") or _text(gpu, "platformInfo/module_id"),
        mig=values.flag("mig_mode/current_mig"),
        persistence=yes(gpu.findtext("persistence_mode")),
        recovery_action=values.words("gpu_recovery_action"),
        reset_required=_any(resets),
        link=_link(values),
        memory=_memory(values),
        fabric=_fabric(gpu.find("fabric")),
        held_back=tuple(name for name, active in reasons.items() if active),
        not_held_back=tuple(name for name, active in reasons.items() if active is False),
        held_back_us=_held_back_us(gpu),
        temperature=number(gpu.findtext("temperature/gpu_temp")),
        margin=values.integer("temperature/gpu_temp_tlimit"),
        utilization=number(gpu.findtext("utilization/gpu_util")),
        processes=chunk.processes,
        broken=_broken(chunk.leaves),
        unread=dict(values.unread),
    )


class _Values:
    """The values of one GPU. A value that is present but unknown is recorded in ``unread``, by its path."""

    def __init__(self, gpu: ElementTree.Element) -> None:
        self.gpu = gpu
        self.unread: dict[str, str] = {}

    def words(self, path: str) -> str | None:
        return self._read(path, known)

    def integer(self, path: str) -> int | None:
        return self._read(path, number)

    def flag(self, path: str) -> bool | None:
        return self._read(path, yes)

    def _read(self, path: str, value_of: t.Callable[[str | None], _Value | None]) -> _Value | None:
        text = self.gpu.findtext(path)
        value = value_of(text)
        if text is None:
            self._note_section(path.partition("/")[0])
        elif value is None:
            self._note(path, text)
        return value

    def _note_section(self, name: str) -> None:
        """Record a section that the tool could not fill: it then prints one word instead of the section's elements."""
        section = self.gpu.find(name)
        if section is not None and not len(section):
            self._note(name, section.text)

    def _note(self, path: str, text: str | None) -> None:
        if not is_absent(text):
            self.unread[path] = (text or "").strip()


def _any(values: t.Sequence[bool | None]) -> bool | None:
    return True if True in values else False if False in values else None


def _link(values: _Values) -> Link:
    generation, width = "pci/pci_gpu_link_info/pcie_gen", "pci/pci_gpu_link_info/link_widths"
    most = f"{generation}/max_device_link_gen"
    return Link(
        generation=values.integer(f"{generation}/current_link_gen"),
        width=values.integer(f"{width}/current_link_width"),
        max_generation=number(values.gpu.findtext(most if known(values.gpu.findtext(most)) else f"{generation}/max_link_gen")),
        max_width=values.integer(f"{width}/max_link_width"),
    )


def _memory(values: _Values) -> Memory:
    return Memory(
        enabled=yes(values.gpu.findtext("ecc_mode/current_ecc")),
        volatile=_ecc(values, "ecc_errors/volatile"),
        aggregate=_ecc(values, "ecc_errors/aggregate"),
        sram_threshold_exceeded=values.flag("ecc_errors/aggregate/sram_threshold_exceeded"),
        repair_pending=_any([values.flag(f"ecc_errors/{kind}_repair_pending") for kind in ("channel", "tpc")]),
        unrepairable=values.flag("ecc_errors/unrepairable_memory"),
        rows=_rows(values),
        pages_retired=values.integer("retired_pages/double_bit_retirement/retired_count"),
        page_pending=values.flag("retired_pages/pending_retirement"),
    )


def _ecc(values: _Values, counters: str) -> Counts:
    """The ECC counters, without unreadable counters, and without sums that have an unreadable part."""
    names = (*_ECC, *_BITS, *_SRAM)
    paths = {name: f"{counters}/{name}/total" if name in _BITS else f"{counters}/{name}" for name in names}
    found = {name: values.integer(path) for name, path in paths.items()}
    sram = [found.pop(name) for name in _SRAM]
    known = [each for each in sram if each is not None]
    if known and not any(paths[name] in values.unread for name in _SRAM):
        found["sram_uncorrectable"] = sum(known)
    return {name: count for name, count in found.items() if count is not None}


def _rows(values: _Values) -> Rows | None:
    histogram = f"remapped_rows/{_HISTOGRAM}/{_HISTOGRAM}"
    rows = Rows(
        correctable=values.integer("remapped_rows/remapped_row_corr"),
        uncorrectable=values.integer("remapped_rows/remapped_row_unc"),
        pending=values.flag("remapped_rows/remapped_row_pending"),
        failed=values.flag("remapped_rows/remapped_row_failure"),
        spare=counts((name, values.gpu.findtext(f"{histogram}_{name}")) for name in _SPARE),
    )
    return None if rows == Rows(None, None, None, None) else rows


def _fabric(element: ElementTree.Element | None) -> Fabric | None:
    """The registration as printed by the tool. An error instead of a status is kept as the status. Missing values are left out."""
    if element is None:
        return None
    state, status = (_present(element.findtext(name)) for name in ("state", "status"))
    found = Fabric(state, status, _health(element))
    return None if found == Fabric("", "", {}) else found


def _health(fabric: ElementTree.Element) -> dict[str, str]:
    """The flags of the fabric. If the tool prints one word instead of flags, the word is the value of ``summary``."""
    flags = {each.tag: _present(each.text) for each in fabric.iterfind("health/*")}
    word = fabric.findtext("health")
    if not flags and not is_absent(word):
        return {"summary": _present(word)}
    return {name: text for name, text in flags.items() if text}


def _present(text: str | None) -> str:
    """The text; empty for N/A. ``Not Supported`` is a state of the fabric."""
    words = (text or "").strip()
    return "" if words.strip("[]").lower() == "n/a" else words


def _reasons(values: _Values) -> t.Iterator[tuple[str, str]]:
    for group in ("clocks_throttle_reasons", "clocks_event_reasons"):
        for element in values.gpu.iterfind(f"{group}/*"):
            match = _HELD_BACK.fullmatch(element.tag)
            if match:
                yield match.group(1), f"{group}/{element.tag}"


def _held_back_us(gpu: ElementTree.Element) -> Counts:
    counters = gpu.iterfind("clocks_event_reasons_counters/*")
    pairs = ((each.tag.replace("clocks_event_reasons_counters_", "", 1), each.text) for each in counters)
    return counts((_SLOWED.get(name, name), text) for name, text in pairs)


def _broken(leaves: t.Iterable[tuple[str, str]]) -> dict[str, str]:
    """The first error of each element name, because a lost GPU has hundreds of errors."""
    found: dict[str, str] = {}
    for tag, text in leaves:
        if is_broken(text):
            found.setdefault(tag, text.strip())
    return found


def _text(element: ElementTree.Element, path: str) -> str:
    return known(element.findtext(path)) or ""
