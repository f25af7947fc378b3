# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A story as files and tools of a node: sysfs, /proc, installed files, and programs with the output of the real ones."""

from __future__ import annotations

import json
import os
import shlex
import typing as t
from pathlib import Path

from . import all_reduce_perf, smi
from .story import HANGS, MISSING, Efa, Gpu, Line, Story
from .types import Board

CLASSES = {"gpu": "0x030200", "nvswitch": "0x068000", "efa": "0x020000", "neuron": "0x088000"}
SPEEDS = {1: "2.5 GT/s PCIe", 3: "8.0 GT/s PCIe", 4: "16.0 GT/s PCIe", 5: "32.0 GT/s PCIe", 6: "64.0 GT/s PCIe"}
PORT_COUNTERS = (
    *("rx_bytes", "rx_drops", "rx_pkts", "tx_bytes", "tx_pkts", "rdma_read_wr_err", "rdma_write_wr_err", "retrans_bytes", "retrans_pkts"),
    *("retrans_timeout_events", "unresponsive_remote_events", "impaired_remote_conn_events"),
)
LINK_ERRORS: dict[str, int | str] = dict.fromkeys(("Replay Errors", "Recovery Errors", "CRC Errors"), 0)
LINK_ERRORS_595: dict[str, int | str] = {
    **dict.fromkeys(("Malformed packet Errors", "Buffer overrun Errors", "Link recovery successful events", "Link recovery failed events"), 0),
    "Effective Errors": 0,
    "Effective BER": "15e-255",
    "Symbol Errors": 0,
    "Symbol BER": "15e-255",
    "FEC Errors - 0": 36_000_000_000,
}
"""Errors of NVLink 5; a healthy link corrects many."""
NUMBERED = 610
"""First known driver release whose tool prints the number of a lost GPU before its address."""
SERVICES = ("nvidia-fabricmanager", "nvidia-persistenced")
OF_ANY_NODE = ("journalctl", "systemctl")
NEWEST = 20_000
KMSG = "kmsg"
JOURNAL = f"-k -b -o json --no-pager --quiet --lines={NEWEST}"
_ENDLESS = "neuron-monitor"
_FIRST_LINE = Line(0.0, "Linux version 6.8.0-1021-aws (buildd@lcy02-amd64-083)")
DEVICE_COUNTERS = ("submitted_cmds", "completed_cmds", "cmds_err", "no_completion_cmds", "keep_alive_rcvd", "lifespan")


def present(story: Story, root: Path, *, tools: bool = True, seen: Path | None = None) -> None:
    """Write ``sys``, ``proc``, ``opt``, ``usr``, the kernel log ``kmsg`` and the tools in ``bin`` below ``root``.

    :param seen: The path of ``root`` on the node.
    """
    _kernel(story, root / "sys", root / "proc")
    (root / KMSG).write_bytes(kmsg(story))
    _installed(story, root)
    if tools:
        _tools(story, root, seen or root)


def _kernel(story: Story, sys: Path, proc: Path) -> None:
    (sys / "bus/pci/devices").mkdir(parents=True)
    for gpu in story.gpus:
        if gpu.on_bus:
            _pci(sys, gpu.address, "gpu", story.board.device, "nvidia", story.board)
            ids = [bytes.fromhex(each)[::-1] for each in story.board.device.split(":")]
            (sys / "bus/pci/devices" / gpu.address / "config").write_bytes((b"".join(ids) if gpu.answers_bus else b"\xff" * 4).ljust(64, b"\0"))
    for address in story.switches:
        _pci(sys, address, "nvswitch", story.type.switches[0], "nvidia-nvswitch")
    for device in story.neuron:
        _pci(sys, device.address, "neuron", story.type.neuron[0], "neuron")
    for efa in story.efa:
        _efa(sys, efa, story.absent_counters)
    for number in range(story.type.connectx):
        address = f"0003:{0xC6 + number:02x}:00.0"
        _pci(sys, address, "efa", "15b3:1021", "mlx5_core")
        _rdma(sys, f"ibp{198 + number}s0f0", address)
    _write(sys / "kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", str(story.huge_pages))
    _write(sys / "kernel/mm/hugepages/hugepages-2048kB/free_hugepages", str(story.huge_pages))
    _write(proc / "sys/kernel/random/boot_id", story.boot_id)
    _write(proc / "uptime", f"{story.uptime}.00 0.00")
    modules = {"ext4": ""}
    if story.gpus:
        modules |= {"nvidia": story.driver, "nvidia_uvm": story.driver}
        title = "NVIDIA UNIX Open Kernel Module for x86_64" if story.release >= 560 else "NVIDIA UNIX x86_64 Kernel Module"
        _write(proc / "driver/nvidia/version", f"NVRM version: {title}  {story.driver}  Release Build  (dvs-builder)")
    modules |= {"efa": "2.17.2g", "ib_core": "", "ib_uverbs": ""} if story.efa else {}
    modules |= {"neuron": "2.24.7.0"} if story.neuron else {}
    _write(proc / "modules", *(f"{name} 61440 0 - Live 0x0000000000000000" for name in modules))
    for name, version in modules.items():
        _write(sys / f"module/{name}/version", *([version] if version else []))
    for number, (name, locked) in enumerate(story.locked_memory.items()):
        _service(proc, 812 + number, name, locked, 131072)


def _pci(sys: Path, address: str, kind: str, device: str, driver: str, board: Board | None = None) -> None:
    folder = sys / "bus/pci/devices" / address
    vendor, model = device.split(":")
    width, most, generation = (board.width, board.max_width, board.generation) if board else (16, 16, 5)
    for name, text in {
        "vendor": f"0x{vendor}",
        "device": f"0x{model}",
        "class": CLASSES[kind],
        "current_link_width": str(width),
        "max_link_width": str(most),
        "current_link_speed": SPEEDS[generation],
        "max_link_speed": SPEEDS[generation],
    }.items():
        _write(folder / name, text)
    drivers = sys / "bus/pci/drivers" / driver
    drivers.mkdir(parents=True, exist_ok=True)
    _link(folder / "driver", drivers)


def _efa(sys: Path, efa: Efa, absent: t.Collection[str]) -> None:
    _pci(sys, efa.address, "efa", efa.device, efa.driver)
    folder = _rdma(sys, efa.name, efa.address)
    _write(folder / "ports/1/state", efa.state)
    for name in [each for each in PORT_COUNTERS if each not in absent]:
        _write(folder / "ports/1/hw_counters" / name, str(efa.port.get(name, 0)))
    for name in [each for each in DEVICE_COUNTERS if each not in absent]:
        _write(folder / "hw_counters" / name, str(efa.counters.get(name, 10 if name == "lifespan" else 0)))


def _rdma(sys: Path, name: str, address: str) -> Path:
    folder = sys / "class/infiniband" / name
    folder.mkdir(parents=True)
    _link(folder / "device", sys / "bus/pci/devices" / address)
    return folder


def _service(proc: Path, pid: int, name: str, locked: str, files: int) -> None:
    _write(proc / f"{pid}/comm", name)
    head = f"{'Limit':<26}{'Soft Limit':<21}{'Hard Limit':<21}Units"
    rows = [("Max open files", str(files), "files"), ("Max locked memory", locked, "bytes")]
    _write(proc / f"{pid}/limits", head, *(f"{row:<26}{soft:<21}{soft:<21}{unit}" for row, soft, unit in rows))


def _installed(story: Story, root: Path) -> None:
    if story.efa:
        _write(root / "opt/amazon/efa_installed_packages", "# EFA installer version: 1.43.2", "# Debug packages installed: no")
        _write(root / "opt/amazon/ofi-nccl/lib/libnccl-net-ofi.so", "\x7fELF\0NET/OFI Initializing aws-ofi-nccl 1.16.3\0")
    if story.gpus:
        _write(root / "usr/lib/x86_64-linux-gnu/libnccl.so.2.27.5", "")


Replies = t.Mapping[str, tuple[str, int]]
"""Output and exit status of a tool by its arguments; the empty key is for all other arguments."""


def replies(story: Story) -> dict[str, Replies]:
    """Replies of the node's tools by name."""
    found: dict[str, Replies] = {"journalctl": dict.fromkeys((JOURNAL, f"{JOURNAL} --output-fields=MESSAGE,_TRANSPORT,SYSLOG_FACILITY"), (_journal(story), 0))}
    if story.gpus:
        services = "\n".join(story.services.get(name, "inactive") for name in SERVICES)
        found["nvidia-smi"] = _smi(story)
        found["systemctl"] = {" ".join(("is-active", *SERVICES)): (services, 0 if set(story.services.values()) == {"active"} else 3)}
    if "dcgmi" in story.tools:
        found["dcgmi"] = {}
    if story.switches:
        found["nv-fabricmanager"] = {"--version": (f"Fabric Manager version is : {story.driver}", 0)}
    if story.efa:
        found["fi_info"] = {"-p efa": (_fi_info(story), 0), "--version": ("libfabric: 2.1.0amzn5.0\nlibfabric api: 2.1", 0)}
    if story.neuron:
        found |= {"neuron-ls": _neuron_ls(story), _ENDLESS: {"": (_neuron_monitor(story), 0)}}
    return {name: answers for name, answers in found.items() if story.tools.get(name) != MISSING}


def _tools(story: Story, root: Path, seen: Path) -> None:
    for folder in ("bin", "said"):
        (root / folder).mkdir(parents=True)
    for name, answers in replies(story).items():
        _program(root / "bin" / name, "\n".join(_script(story, name, answers, root / "said", seen / "said")))
    if story.all_reduce:
        within, between = story.all_reduce
        data = {"within": within, "between": between, "efa": len(story.efa) if story.ofi else 0, "name": story.board.name}
        (root / all_reduce_perf.DATA).write_text(json.dumps({**data, "buses": [gpu.address for gpu in story.gpus if gpu.on_bus]}))
        _program(root / "bin/all_reduce_perf", f"#!/usr/bin/python3\n{Path(all_reduce_perf.__file__).read_text()}")


def _program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _script(story: Story, name: str, answers: Replies, folder: Path, seen: Path) -> t.Iterator[str]:
    """A program that prints the replies; all other calls go to the node's real program."""
    instead = _instead(story, name, folder, seen)
    after = "exec sleep 1000" if name == _ENDLESS else ""
    yield from ("#!/bin/sh", 'case "$*" in')
    for number, (arguments, (text, status)) in enumerate(sorted(answers.items(), reverse=True)):
        yield f"{shlex.quote(arguments) if arguments else '*'})"
        yield from instead or _print(folder, seen, f"{name}-{number}", text, status, after)
        yield ";;"
    yield "*)"
    yield from [f'exec /usr/bin/{name} "$@"'] if name in OF_ANY_NODE else instead or ["echo usage >&2; exit 2"]
    yield from (";;", "esac", "")


def _instead(story: Story, name: str, folder: Path, seen: Path) -> list[str]:
    text = story.tools.get(name)
    if text is None:
        return []
    return ["exec sleep 1000"] if text == HANGS else _print(folder, seen, f"{name}-instead", text, story.statuses.get(name, 0))


def _print(folder: Path, seen: Path, name: str, text: str, status: int, after: str = "") -> list[str]:
    (folder / name).write_text(lined(text))
    return [f"cat {shlex.quote(str(seen / name))}", after or f"exit {status}"]


def lined(text: str) -> str:
    return text if text.endswith("\n") or not text else f"{text}\n"


def _smi(story: Story) -> Replies:
    lost = [gpu for gpu in story.gpus if gpu.lost]
    text = "\n".join(_lost(story, gpu) for gpu in lost)
    answers: dict[str, tuple[str, int]] = {"-q -x": (text, 15) if lost else (smi.document(story), 0)}
    for gpu in story.gpus if lost else ():
        answers[f"-q -x -i {gpu.address}"] = (_lost(story, gpu), 15) if gpu.lost else (smi.document(story, gpu.address), 0)
    present_gpus = [gpu for gpu in story.gpus if gpu.on_bus and not gpu.lost]
    answers["nvlink -s"] = ("\n".join(line for gpu in present_gpus for line in _links(story, gpu)), 0)
    answers["nvlink -e"] = ("\n".join(line for gpu in present_gpus for line in _link_errors(story, gpu)), 0)
    return answers | {f"nvlink {option}": ("Unable to get the NVLink information: Unknown Error", 255) for option in story.links_missing}


def _lost(story: Story, gpu: Gpu) -> str:
    number = f"{gpu.index}: " if story.release >= NUMBERED else ""
    return f"Unable to determine the device handle for GPU{number}{gpu.address.upper()}: {gpu.lost}"


def _links(story: Story, gpu: Gpu) -> t.Iterator[str]:
    yield f"GPU {gpu.index}: {story.board.name} (UUID: {gpu.uuid})"
    if gpu.index in story.link_texts:
        yield story.link_texts[gpu.index]
        return
    if story.board.links and len(gpu.links_down) == story.board.links:
        yield "NVML: Unable to retrieve NVLink information as all links are inActive"
        return
    for link in range(story.board.links):
        speed = "<inactive>" if link in gpu.links_down else f"{story.board.gigabytes_per_second:g} GB/s"
        yield f"\t Link {link}: {speed}"


def _link_errors(story: Story, gpu: Gpu) -> t.Iterator[str]:
    yield f"GPU {gpu.index}: {story.board.name} (UUID: {gpu.uuid})"
    newer = story.board.architecture == "Blackwell" and story.release >= 590
    for link in range(story.board.links):
        errors = {**(LINK_ERRORS_595 if newer else LINK_ERRORS), **gpu.link_errors.get(link, {})}
        yield from (f"\t Link {link}: {name}: {value}" for name, value in errors.items())


def _fi_info(story: Story) -> str:
    blocks = []
    for efa in story.efa:
        for fabric, kind, protocol in (("efa-direct", "rdm", "RDM"), ("efa", "rdm", "RDM"), ("efa", "dgrm", "DGRAM")):
            head = ["provider: efa", f"    fabric: {fabric}", f"    domain: {efa.name}-{kind}", "    version: 201.0"]
            blocks += [*head, f"    type: FI_EP_{protocol}", "    protocol: FI_PROTO_EFA"]
    return "\n".join(blocks)


def _neuron_ls(story: Story) -> Replies:
    _device, _count, cores, memory = story.type.neuron
    devices = [
        {
            "neuron_device": device.index,
            "bdf": device.address.split(":", 1)[1],
            "connected_to": None,
            "nc_count": cores,
            "logical_neuroncore_config": 2 if story.instance_type.startswith("ml.trn2") else 1,
            "memory_size": memory,
            "neuron_processes": [],
        }
        for device in story.neuron
    ]
    if story.neuron_release >= "2.34":
        return {"--output-format json": (json.dumps({"instance_type": story.instance_type[3:], "neuron_devices": devices}), 0)}
    return {"--json-output": (json.dumps(devices), 0)}


def _neuron_monitor(story: Story) -> str:
    names = ("mem_ecc_corrected", "mem_ecc_uncorrected", "sram_ecc_corrected", "sram_ecc_uncorrected")
    devices = [{"neuron_device_index": each.index, **{name: each.errors.get(name, 0) for name in names}} for each in story.neuron]
    return json.dumps({"neuron_runtime_data": [], "system_data": {"neuron_hw_counters": {"neuron_devices": devices, "error": ""}}})


def _lines(story: Story) -> list[Line]:
    return sorted([_FIRST_LINE, *story.log], key=lambda line: line.at)


def _journal(story: Story) -> str:
    """As ``journalctl -k -b -o json --output-fields=...``: journald has undone the kernel's escapes."""
    entries = [
        {
            "_BOOT_ID": story.boot_id.replace("-", ""),
            "__MONOTONIC_TIMESTAMP": str(int(line.at * 1_000_000)),
            "_TRANSPORT": "kernel",
            "SYSLOG_FACILITY": str(line.facility),
            "MESSAGE": line.text,
        }
        for line in _lines(story)[-NEWEST:]
    ]
    return "\n".join(json.dumps(entry) for entry in entries)


def kmsg(story: Story) -> bytes:
    """As ``/dev/kmsg``."""
    rows = enumerate(_lines(story))
    return b"".join(b"%d,%d,%d,-;%s\n" % (line.facility << 3 | 4, number, line.at * 1_000_000, _escaped(line.text)) for number, line in rows)


def _escaped(text: str) -> bytes:
    """Escape unprintable bytes and the backslash as the kernel does."""
    return b"".join(bytes([each]) if 32 <= each < 127 and each != 92 else b"\\x%02x" % each for each in text.encode())


def _link(path: Path, target: Path) -> None:
    """Create a relative link, as in sysfs, which is valid at any mount point."""
    path.symlink_to(os.path.relpath(target, path.parent))


def _write(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
