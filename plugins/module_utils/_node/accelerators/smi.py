# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What ``nvidia-smi -q -x`` says, in the layouts of drivers from 515 to 595.

A document that is cut, doubled, or not NVIDIA's is unreadable, never a crash: a node must not pass or fail by it. Texts are
those of the tool, as they are; ``printable`` is for whoever shows them. Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import re
import typing as t
from xml.etree import ElementTree

from ..._core.text import lines_of, printable
from .model import Counts, Fabric, Gpu, Link, Memory, Rows, SmiDocument
from .values import DAMAGED_ROM, address, counts, is_broken, known, number, yes

LARGEST = 16 * 1024 * 1024
_BEGIN, _END = "<nvidia_smi_log>", "</nvidia_smi_log>"
_HEAD = re.compile(r"<\?xml[^>]*\?>|<!DOCTYPE[^>\[]*>", re.IGNORECASE)
_HELD_BACK = re.compile(r"clocks_(?:throttle|event)_reason_(.+)")
_REMARKS = 20
_LOST = re.compile(r"Unable to determine the device handle for (?:GPU ?|gpu )?(?:\d+: )?([0-9A-Fa-f:.]+): (.+)")
"""Newer drivers write the GPU's number before its address."""
_SRAM = ("sram_uncorrectable", "sram_uncorrectable_parity", "sram_uncorrectable_secded")
"""One counter up to 535, two beside it since 550."""
_ECC = ("sram_correctable", "dram_correctable", "dram_uncorrectable")
_HISTOGRAM = "row_remapper_histogram"
_SPARE = ("max", "high", "partial", "low", "none")
_BITS = ("single_bit", "double_bit")
"""Of Volta."""
_SLOWED = {
    "hw_therm_slowdown": "hw_thermal_slowdown",
    "sw_therm_slowdown": "sw_thermal_slowdown",
    "hw_power_brake": "hw_power_brake_slowdown",
}
"""Counters of a reason have other names than the reason."""


class Unreadable(Exception):
    """It is no whole document of this tool; the message says what is wrong with it."""


def parse(text: str) -> SmiDocument:
    if len(text) > LARGEST:
        raise Unreadable(f"it is longer than {LARGEST // 1024 // 1024} MiB")
    if text.count(_BEGIN) > 1:
        raise Unreadable("it holds several documents")
    begin, end = text.find(_BEGIN), text.rfind(_END)
    if begin < 0 or end < begin:
        raise Unreadable("it is no whole document" if begin >= 0 else "it is no document of nvidia-smi")
    end += len(_END)
    root, around = _root(text[begin:end]), text[:begin] + "\n" + text[end:]
    return SmiDocument(
        driver=_text(root, "driver_version"),
        cuda=_text(root, "cuda_version"),
        attached=number(root.findtext("attached_gpus")),
        gpus=tuple(_gpu(element) for element in root.iterfind("gpu")),
        remarks=_remarks(around),
        inforom=tuple(address(place) for place in DAMAGED_ROM.findall(around)),
    )


def lost(text: str) -> dict[str, str]:
    """GPUs for whose sake the tool told nothing of the others, by PCI address, and what it says of them."""
    begin, end = text.find(_BEGIN), text.rfind(_END)
    around = text[:begin] + text[end:] if 0 <= begin < end else text  # within it stand names that whoever started a process chose
    found = (match for match in map(_LOST.search, lines_of(around)) if match)
    return {address(match.group(1)): match.group(2).strip() for match in found if address(match.group(1))}


def _root(document: str) -> ElementTree.Element:
    if "<!" in document or "\0" in document:  # declarations stand before the root; entities could grow without end
        raise Unreadable("it holds what does not belong into it")
    try:
        return ElementTree.fromstring(document)
    except ElementTree.ParseError as error:
        raise Unreadable(f"it is damaged: {printable(error)}") from None


def _remarks(around: str) -> tuple[str, ...]:
    lines = [line.strip() for line in lines_of(_HEAD.sub("", around))]
    return tuple(line for line in lines if line)[:_REMARKS]


def _gpu(gpu: ElementTree.Element) -> Gpu:
    recovery = known(gpu.findtext("gpu_recovery_action"))
    processes = gpu.find("processes")
    return Gpu(
        pci=address(gpu.findtext("pci/pci_bus_id") or gpu.get("id")),
        uuid=_text(gpu, "uuid"),
        serial=_text(gpu, "serial"),
        name=_text(gpu, "product_name"),
        architecture=_text(gpu, "product_architecture"),
        module_id=_text(gpu, "gpu_module_id") or _text(gpu, "platformInfo/module_id"),
        mig=yes(gpu.findtext("mig_mode/current_mig")),
        persistence=yes(gpu.findtext("persistence_mode")),
        recovery_action=recovery,
        reset_required=yes(gpu.findtext("gpu_reset_status/reset_required")),
        link=_link(gpu),
        memory=_memory(gpu),
        fabric=_fabric(gpu.find("fabric")),
        held_back=_held_back(gpu),
        held_back_us=_held_back_us(gpu),
        temperature=number(gpu.findtext("temperature/gpu_temp")),
        margin=number(gpu.findtext("temperature/gpu_temp_tlimit")),
        utilization=number(gpu.findtext("utilization/gpu_util")),
        processes=0 if processes is None else len(processes.findall("process_info")),
        broken=_broken(gpu),
    )


def _link(gpu: ElementTree.Element) -> Link:
    generation, width = "pci/pci_gpu_link_info/pcie_gen", "pci/pci_gpu_link_info/link_widths"
    most = f"{generation}/max_device_link_gen"
    return Link(
        generation=number(gpu.findtext(f"{generation}/current_link_gen")),
        width=number(gpu.findtext(f"{width}/current_link_width")),
        max_generation=number(gpu.findtext(most if known(gpu.findtext(most)) else f"{generation}/max_link_gen")),
        max_width=number(gpu.findtext(f"{width}/max_link_width")),
    )


def _memory(gpu: ElementTree.Element) -> Memory:
    pending = [yes(gpu.findtext(f"ecc_errors/{kind}_repair_pending")) for kind in ("channel", "tpc")]
    return Memory(
        enabled=yes(gpu.findtext("ecc_mode/current_ecc")),
        volatile=_ecc(gpu.find("ecc_errors/volatile")),
        aggregate=_ecc(gpu.find("ecc_errors/aggregate")),
        sram_threshold_exceeded=yes(gpu.findtext("ecc_errors/aggregate/sram_threshold_exceeded")),
        repair_pending=True if True in pending else False if False in pending else None,
        unrepairable=yes(gpu.findtext("ecc_errors/unrepairable_memory")),
        rows=_rows(gpu.find("remapped_rows")),
        pages_retired=number(gpu.findtext("retired_pages/double_bit_retirement/retired_count")),
        page_pending=yes(gpu.findtext("retired_pages/pending_retirement")),
    )


def _ecc(counters: ElementTree.Element | None) -> Counts:
    if counters is None:
        return {}
    found = counts((name, counters.findtext(f"{name}/total" if name in _BITS else name)) for name in (*_ECC, *_BITS))
    sram = counts((name, counters.findtext(name)) for name in _SRAM)
    return {**found, **({"sram_uncorrectable": sum(sram.values())} if sram else {})}


def _rows(element: ElementTree.Element | None) -> Rows | None:
    if element is None or len(element) == 0:
        return None
    rows = Rows(
        correctable=number(element.findtext("remapped_row_corr")),
        uncorrectable=number(element.findtext("remapped_row_unc")),
        pending=yes(element.findtext("remapped_row_pending")),
        failed=yes(element.findtext("remapped_row_failure")),
        spare=counts((name, element.findtext(f"{_HISTOGRAM}/{_HISTOGRAM}_{name}")) for name in _SPARE),
    )
    return None if rows == Rows(None, None, None, None) else rows


def _fabric(element: ElementTree.Element | None) -> Fabric | None:
    state = known(element.findtext("state")) if element is not None else None
    if element is None or state is None:
        return None
    health = {each.tag: known(each.text) for each in element.iterfind("health/*")}
    return Fabric(state, _text(element, "status"), {name: text for name, text in health.items() if text is not None})


def _reasons(gpu: ElementTree.Element) -> t.Iterator[tuple[str, str | None]]:
    for element in (*gpu.iterfind("clocks_throttle_reasons/*"), *gpu.iterfind("clocks_event_reasons/*")):
        match = _HELD_BACK.fullmatch(element.tag)
        if match:
            yield match.group(1), element.text


def _held_back(gpu: ElementTree.Element) -> tuple[str, ...]:
    return tuple(name for name, text in _reasons(gpu) if yes(text))


def _held_back_us(gpu: ElementTree.Element) -> Counts:
    counters = gpu.iterfind("clocks_event_reasons_counters/*")
    pairs = ((each.tag.replace("clocks_event_reasons_counters_", "", 1), each.text) for each in counters)
    return counts((_SLOWED.get(name, name), text) for name, text in pairs)


def _broken(gpu: ElementTree.Element) -> dict[str, str]:
    """Of each kind of element the first, by its name: a GPU that is lost has hundreds."""
    found: dict[str, str] = {}
    for element in gpu.iter():
        if element.tag != "process_name" and is_broken(element.text):
            found.setdefault(element.tag, (element.text or "").strip())
    return found


def _text(element: ElementTree.Element, path: str) -> str:
    return known(element.findtext(path)) or ""
