# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``nvidia-smi -q -x`` of a story, in the layout of its driver: values of a healthy GPU, with the changes of the story.

It has only some elements of the tool: those that the collection reads, and some that could confuse it.
"""

from __future__ import annotations

import typing as t
from xml.sax.saxutils import escape

from .story import Gpu, Story

Element = tuple[str, "str | list[Element]"]
"""A tag with a text or elements."""
NA = "N/A"
DEPRECATED = "Requested functionality has been deprecated"
REASONS = (
    *("gpu_idle", "applications_clocks_setting", "sw_power_cap", "hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"),
    *("sync_boost", "sw_thermal_slowdown", "display_clocks_setting"),
)
COUNTERS = ("sw_power_cap", "sync_boost", "sw_therm_slowdown", "hw_therm_slowdown", "hw_power_brake")


def document(story: Story, only: str = "") -> str:
    """:param only: PCI address of a GPU to show; empty for all."""
    gpus = [gpu for gpu in story.gpus if gpu.on_bus and not gpu.lost and only in ("", gpu.address)]
    head: list[Element] = [
        ("timestamp", "Wed Nov 25 03:00:00 2026"),
        ("driver_version", story.driver),
        ("cuda_version", story.cuda),
        ("attached_gpus", str(len(story.gpus) if story.attached is None else story.attached)),
    ]
    layout = 11 if story.release < 530 else 12 if story.release < 590 else 13
    lines = ['<?xml version="1.0" ?>', f'<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v{layout}.dtd">', "<nvidia_smi_log>"]
    lines += [line for element in head for line in _lines(element, 1)]
    for gpu in gpus:
        lines.append(f'\t<gpu id="{_wide(gpu.address)}">')
        lines += [line for element in _changed(_gpu(story, gpu), gpu.elements, "") for line in _lines(element, 2)]
        lines.append("\t</gpu>")
    return "\n".join([*lines, "</nvidia_smi_log>", ""])


def _gpu(story: Story, gpu: Gpu) -> list[Element]:
    board, release = story.board, story.release
    idle = not gpu.processes
    old_reset: Element = ("gpu_reset_status", [("reset_required", "No"), ("drain_and_reset_recommended", "No" if release < 550 else NA)])
    module: list[Element] = [("platformInfo", [("module_id", str(gpu.index + 1))])] if release >= 570 else [("gpu_module_id", str(gpu.index + 1))]
    reset: list[Element] = [old_reset] if 530 <= release < 570 else [] if release < 530 else [("gpu_recovery_action", "None")]
    return [
        ("product_name", board.name),
        ("product_architecture", board.architecture),
        ("display_mode", DEPRECATED if release >= 570 else "Enabled"),
        ("persistence_mode", "Enabled"),
        ("mig_mode", [("current_mig", _mig(gpu, board.architecture)), ("pending_mig", _mig(gpu, board.architecture))]),
        ("mig_devices", _mig_devices() if gpu.mig else "None"),
        ("serial", gpu.serial),
        ("uuid", gpu.uuid),
        *module,
        *reset,
        ("pci", _pci(story, gpu, idle)),
        ("performance_state", "P0"),
        *_clocks(release, idle),
        ("fb_memory_usage", [("total", f"{board.memory_mib} MiB"), ("used", "4 MiB")]),
        ("utilization", [("gpu_util", NA if gpu.mig else "0 %" if idle else "98 %"), ("memory_util", NA if gpu.mig else "0 %")]),
        ("ecc_mode", [("current_ecc", "Enabled"), ("pending_ecc", "Enabled")]),
        ("ecc_errors", _ecc(story, gpu)),
        ("retired_pages", _retired(board.remaps_rows)),
        ("remapped_rows", _rows(board.remaps_rows and not gpu.mig)),
        ("temperature", _temperature(release)),
        ("fabric", _fabric(release, board.fabric)),
        ("processes", [("process_info", [("pid", str(4000 + number)), ("process_name", name)]) for number, name in enumerate(gpu.processes)]),
    ]


def _mig(gpu: Gpu, architecture: str) -> str:
    if architecture in ("Turing", "Ada Lovelace"):
        return NA
    return "Enabled" if gpu.mig else "Disabled"


def _mig_devices() -> list[Element]:
    counts: Element = ("ecc_error_count", [("volatile_count", [("sram_uncorrectable", "0")])])
    return [("mig_device", [("index", str(index)), ("gpu_instance_id", str(index + 5)), counts]) for index in range(2)]


def _pci(story: Story, gpu: Gpu, idle: bool) -> list[Element]:
    board = story.board
    vendor, device = board.device.split(":")
    most = str(board.generation)
    now = "1" if idle and board.architecture in ("Turing", "Ada Lovelace") else most
    generations: list[Element] = [("max_link_gen", most), ("current_link_gen", now), ("max_device_link_gen", most), ("max_host_link_gen", most)]
    widths: list[Element] = [("max_link_width", f"{board.max_width}x"), ("current_link_width", f"{board.width}x")]
    return [
        ("pci_device_id", f"{device.upper()}{vendor.upper()}"),
        ("pci_bus_id", _wide(gpu.address)),
        ("pci_gpu_link_info", [("pcie_gen", generations), ("link_widths", widths)]),
        ("replay_counter", "0"),
    ]


def _clocks(release: int, idle: bool) -> t.Iterator[Element]:
    kind = "throttle" if release < 535 else "event"
    active = ("gpu_idle",) if idle else ("sw_power_cap",)
    reasons = [(f"clocks_{kind}_reason_{name}", "Active" if name in active else "Not Active") for name in REASONS]
    yield f"clocks_{kind}_reasons", t.cast("list[Element]", reasons)
    if release >= 570:
        begin = "clocks_event_reasons_counters"
        yield begin, [(f"{begin}_{name}", "129000000 us" if name == "sw_power_cap" else "0 us") for name in COUNTERS]


def _ecc(story: Story, gpu: Gpu) -> list[Element]:
    two = story.release >= 550 and not gpu.mig
    sram = ("sram_correctable", "sram_uncorrectable_parity", "sram_uncorrectable_secded") if two else ("sram_correctable", "sram_uncorrectable")
    names = (*sram, "dram_correctable", "dram_uncorrectable")
    threshold: list[Element] = [("sram_threshold_exceeded", "No")] if two else []
    found: list[Element] = [("volatile", [(name, "0") for name in names]), ("aggregate", [*((name, "0") for name in names), *threshold])]
    if story.release >= 590:
        unrepairable = "No" if story.board.architecture == "Blackwell" else NA
        found += [("channel_repair_pending", "No"), ("tpc_repair_pending", "No"), ("unrepairable_memory", unrepairable)]
    return found


def _retired(remaps_rows: bool) -> list[Element]:
    count = NA if remaps_rows else "0"
    kinds = [(f"{kind}_retirement", [("retired_count", count)]) for kind in ("multiple_single_bit", "double_bit")]
    return [*t.cast("list[Element]", kinds), ("pending_retirement", NA if remaps_rows else "No")]


def _rows(supported: bool) -> str | list[Element]:
    if not supported:
        return NA
    histogram = [(f"row_remapper_histogram_{name}", "640 bank(s)" if name == "max" else "0 bank(s)") for name in ("max", "high", "partial", "low", "none")]
    return [
        ("remapped_row_corr", "0"),
        ("remapped_row_unc", "0"),
        ("remapped_row_pending", "No"),
        ("remapped_row_failure", "No"),
        ("row_remapper_histogram", t.cast("list[Element]", histogram)),
    ]


def _temperature(release: int) -> list[Element]:
    return [("gpu_temp", "34 C"), ("gpu_temp_tlimit", "51 C" if release >= 535 else NA), ("memory_temp", "41 C")]


def _fabric(release: int, fabric: bool) -> list[Element]:
    if not fabric:
        return [("state", NA), ("status", NA)]
    found: list[Element] = [("state", "Completed"), ("status", "Success")]
    health: list[Element] = [("bandwidth", "Full")]
    if release >= 570:
        health += [("route_recovery_in_progress", "False"), ("route_unhealthy", "False"), ("access_timeout_recovery", "False")]
    if release >= 590:
        health = [("summary", "Healthy"), *health, ("incorrect_configuration", "None"), ("partition_assigned", "False")]
    return [*found, ("health", health)] if release >= 550 else found


def _changed(elements: list[Element], changes: t.Mapping[str, str | None], path: str) -> list[Element]:
    """The elements with the changes of the story: other texts, or None to remove an element. New elements are appended."""
    found: list[Element] = []
    new = {place[len(path) :]: text for place, text in changes.items() if place.startswith(path)}
    known = {tag for tag, _inside in elements}
    for tag, inside in elements:
        place = f"{path}{tag}"
        if place in changes:
            found += [] if changes[place] is None else [(tag, t.cast(str, changes[place]))]
        else:
            found.append((tag, inside if isinstance(inside, str) else _changed(inside, changes, f"{place}/")))
    return [*found, *((tag, text) for tag, text in new.items() if "/" not in tag and tag not in known and text is not None)]


def _lines(element: Element, depth: int) -> t.Iterator[str]:
    tag, inside = element
    indent = "\t" * depth
    if isinstance(inside, str):
        yield f"{indent}<{tag}>{escape(inside)}</{tag}>"
    else:
        yield f"{indent}<{tag}>"
        for each in inside:
            yield from _lines(each, depth + 1)
        yield f"{indent}</{tag}>"


def _wide(address: str) -> str:
    """The address as nvidia-smi prints it: eight digits for the domain, in upper case."""
    domain, rest = address.split(":", 1)
    return f"{int(domain, 16):08X}:{rest.upper()}"
