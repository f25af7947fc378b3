# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of the kernel log from many driver releases, and records with text that users choose."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.kernel_log import events
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.kernel_records import OTHER, TEXT, Record

from .health.judge.nodes import Node, lean, verdicts

SILENT = "Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function"
GSP: dict[str, tuple[float, str, str]] = {
    "GSP_RM_ALLOC": (0, "nvidia-smi", f"{SILENT} 103 (GSP_RM_ALLOC) (0x2081 0x4)."),
    "FREE": (6, "nvidia-smi", f"{SILENT} 10 (FREE) (0xa55a0210 0x0)."),
    "FREE again": (12, "nvidia-smi", f"{SILENT} 10 (FREE) (0xa55a0090 0x0)."),
    "GSP_RM_CONTROL": (174, "cache_mgr_main", f"{SILENT} 76 (GSP_RM_CONTROL) (0x20801813 0x4c)."),
    "GSP_RM_CONTROL of another": (355, "gpud", f"{SILENT} 76 (GSP_RM_CONTROL) (0x20803032 0x58c)."),
}
"""Xid 119 as one GPU reported it within six minutes: seconds since the first record, process, and text of the driver. The address of
the GPU and the number of the process are those of the simulated node."""
AROUND_GSP = [
    "NVRM: GPU at PCI:0000:53:00: GPU-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e800",
    "NVRM: GPU Board Serial Number: 1650522003800",
    "NVRM: GPU0 GSP RPC buffer contains function 103 (GSP_RM_ALLOC) and data 0x0000000000002081 0x0000000000000004.",
    "NVRM: GPU0 RPC history (CPU -> GSP):",
    "NVRM:     entry function                   data0              data1              ts_start           ts_end             duration actively_polling",
    "NVRM:      0    103  GSP_RM_ALLOC          0x0000000000002081 0x0000000000000004 0x00062ed1a6bd61fa 0x0000000000000000          y",
    "NVRM:     -4    76   GSP_RM_CONTROL        0x0000000020802a02 0x0000000000000008 0x00062ed1a6b480ff 0x00062ed1a6b48273    372us",
    "NVRM: GPU0 RPC event history (CPU <- GSP):",
    "NVRM:      0    4115 NVLINK_INBAND_RECEIVE 0x0000000000000000 0x0000000000000000 0x00062e099d8f14e7 0x00062e099d8f14eb      4us",
    "CPU: 17 PID: 4711 Comm: nvidia-smi Tainted: P           OE     6.8.0-1021-aws #23-Ubuntu",
    "Hardware name: Amazon EC2 p5.48xlarge/, BIOS 1.0 10/16/2017",
    "Call Trace:",
    " os_dump_stack+0xe/0x14 [nvidia]",
    "WARNING: kernel stack frame pointer at 000000005611dc97 in nvidia-smi:4711 has bad value 00000000ec717e66",
    "NVRM: Rate limiting GSP RPC error prints for GPU at PCI:0000:53:00 (printing 1 of every 30).  The GPU likely needs to be reset.",
]
"""Records of the driver between them."""


def of_gsp(process: str, words: str) -> str:
    return f"NVRM: Xid (PCI:0000:53:00): 119, pid=4711, name={process}, {words}"


XIDS = {
    **{f"of a GSP: {name}": (of_gsp(process, words), (119, "0000:53:00.0", process, words)) for name, (_at, process, words) in GSP.items()},
    "with a process": (
        "NVRM: Xid (PCI:0000:9b:00): 79, pid=4711, name=python3, GPU has fallen off the bus.",
        (79, "0000:9b:00.0", "python3", "GPU has fallen off the bus."),
    ),
    "old": ("NVRM: Xid (0000:03:00): 14, Channel 00000001", (14, "0000:03:00.0", "", "Channel 00000001")),
    "of MIG": (
        "NVRM: Xid (PCI:0000:01:00 GPU-I:05): 94, pid=7194, Contained: CE User Channel (0x9). RST: No, D-RST: No",
        (94, "0000:01:00.0", "", "pid=7194, Contained: CE User Channel (0x9). RST: No, D-RST: No"),
    ),
    "without a process": (
        "NVRM: Xid (PCI:0000:1b:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping",
        (63, "0000:1b:00.0", "<unknown>", "Row Remapper: New row marked for remapping"),
    ),
    "a name with all kinds of characters": (
        "NVRM: Xid (PCI:0000:1b:00): 31, pid=12, name=ray::Worker, Ch 00000008, intr 10000000. MMU Fault",
        (31, "0000:1b:00.0", "ray::Worker", "Ch 00000008, intr 10000000. MMU Fault"),
    ),
    "of MIG with a compute instance": (
        "NVRM: Xid (PCI:0000:01:00 GPU-I:05 GPU-CI:00): 31, pid=7194, name=python3, MMU Fault",
        (31, "0000:01:00.0", "python3", "MMU Fault"),
    ),
    "of NVLink 5": (
        "NVRM: Xid (PCI:0018:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 08 (0x004505c6 0x00000000 0x00000000)",
        (149, "0018:01:00.0", "", "NETIR_LINK_EVT  Fatal   XC0 i0 Link 08 (0x004505c6 0x00000000 0x00000000)"),
    ),
    "of recovery": (
        "NVRM: Xid (PCI:0000:1b:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
        (154, "0000:1b:00.0", "", "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"),
    ),
    "bare": ("NVRM: Xid (PCI:0000:1b:00): 43", (43, "0000:1b:00.0", "", "")),
    "newer than the catalogue": ("NVRM: Xid (PCI:0000:1b:00): 999, what is this", (999, "0000:1b:00.0", "", "what is this")),
}


@pytest.mark.parametrize(("line", "expected"), XIDS.values(), ids=XIDS)
def test_xids_are_parsed(line: str, expected: tuple[int, str, str, str]) -> None:
    (event,) = events([Record(12.5, line)])
    assert (event.kind, event.at) == ("xid", 12.5)
    assert (event.code, event.pci, event.process, event.detail) == expected


Shown = dict[str, str | None]
RESET: Shown = {"gpu_recovery_action": "Reset"}
NEEDED = ("gpu-recovery-action", "unfit-reboot")


@pytest.mark.parametrize(
    ("shown", "index", "found"),
    [
        (RESET, 0, [NEEDED, ("gpu-xid", "unfit-reboot")]),
        ({"utilization/gpu_util": "GPU requires reset"}, 0, [("gpu-reset-required", "unfit-reboot"), ("gpu-xid", "unfit-reboot")]),
        ({}, 0, [("gpu-xid-unconfirmed", "watch")]),
        (RESET, 1, [NEEDED, ("gpu-xid-unconfirmed", "watch")]),
        ({"gpu_recovery_action": None}, 0, [("gpu-xid", "unknown")]),
    ],
    ids=["recovery action", "an error", "nothing", "another GPU", "no value"],
)
def test_a_gsp_that_does_not_answer_needs_a_second_witness(shown: Shown, index: int, found: list[tuple[str, str]], tmp_path: Path) -> None:
    story = lean("ml.p5.48xlarge")
    for second, process, words in GSP.values():
        story.say(80_000 + second, of_gsp(process, words))
        story.say(80_000 + second, *AROUND_GSP)
    story.gpus[index].elements.update(shown)
    health = Node(tmp_path).judge(story)
    assert verdicts(health) == found
    (problem,) = (each for each in health.problems if "xid" in each.code)
    assert "Xid 119 (GSP does not answer) 3 times" in problem.text and problem.evidence.endswith("(0x20803032 0x58c). (gpud)")
    assert [each.why for each in health.not_looked_at] == ["the driver suppressed lines, most recently 80355 s after the boot"]


OF_NVLINK_5 = [
    "NVRM: Xid (PCI:0000:53:00): 149, NETIR_MFDE_EVENT Nonfatal XC0 i0 Link 00 (0x00000014 0x00000003 0x00000000 0x00000000)",
    "NVRM: Xid (PCI:0000:53:00): 145, RLW_RSPCOL Nonfatal XC0 i0 Link 00 (0x00000005 0x00000001 0x00000000 0x00000000)",
    "NVRM: Xid (PCI:0000:53:00): 145, RLW_TAGSTATE Nonfatal XC0 i0 Link 00 (0x00000008 0x00010000 0x00000000 0x00000000)",
]


@pytest.mark.parametrize(("shown", "found"), [({}, []), (RESET, [NEEDED])], ids=["nothing", "recovery action"])
@pytest.mark.parametrize("line", OF_NVLINK_5)
def test_notes_of_nvlink_5_are_no_problem(line: str, shown: Shown, found: list[tuple[str, str]], tmp_path: Path) -> None:
    story = lean("ml.p6-b200.48xlarge", driver="580.95.05")
    story.say(80_000, line)
    story.gpus[0].elements.update(shown)
    assert verdicts(Node(tmp_path).judge(story)) == found


OTHERS = {
    "nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV error (First)": ("sxid", 12028, "0000:05:00.0", ""),
    "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30 LTSSM Fault Up": ("sxid", 20034, "0000:05:00.0", ""),
    "NVRM: GPU 0000:29:00.0: GPU has fallen off the bus.": ("gone", 0, "0000:29:00.0", ""),
    "NVRM: GPU at PCI:0000:9b:00: WARNING: infoROM is corrupted at gpu 0000:9b:00.0": ("inforom", 0, "0000:9b:00.0", ""),
    "NVRM: RmInitAdapter failed! (0x62:0x40:2363)": ("driver", 0, "", ""),
    "NVRM: GPU 0000:9b:00.0: RmInitAdapter failed! (0x62:0x40:2363)": ("driver", 0, "0000:9b:00.0", ""),
    "NVRM: No NVIDIA GPU found.": ("driver", 0, "", ""),
    "nd3: NEURON_HW_ERR=HBM_UNCORRECTABLE_ERROR": ("neuron", 0, "", ""),
    "NEURON_HW_ERR=DMA_ERROR instance-id=i-0 hostname=a nd-id=0 nc-id=0 serial-num=1 action=TERMINATE_INSTANCE": ("neuron", 0, "", ""),
    "2026-11-27T12:00:00.123Z NEURON_HW_ERR=NC_UNCORRECTABLE_ERROR instance-id=i-0": ("neuron", 0, "", ""),
    "infiniband rdmap79s0: Wait for completion (polling) timeout": ("efa", 0, "", "rdmap79s0"),
    "infiniband rdmap79s0: The device didn't send any completion for admin cmd GET_STATS(11) status 0": ("efa", 0, "", "rdmap79s0"),
    "infiniband rdmap79s0: Device isn't ready, can't reset device": ("efa", 0, "", "rdmap79s0"),
    "efa 0000:4f:00.0: Admin queue is closed": ("efa", 0, "0000:4f:00.0", ""),
}


@pytest.mark.parametrize("line", OTHERS)
def test_other_events_are_parsed(line: str) -> None:
    (event,) = events([Record(1.0, line)])
    assert (event.kind, event.code, event.pci, event.device) == OTHERS[line] and event.detail


@pytest.mark.parametrize(
    "line",
    [
        "ena 0000:00:05.0: Admin queue is closed",
        "infiniband rdmap79s0: Failed to process command CREATE_QP (opcode 2) comp_status 8 err -22",
        "nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Severity 1 Engine instance 32 Sub-engine instance 00",
        "nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Data {0x00140004, 0x00000000}",
        "NVRM: nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 20034, Fatal",
        "nvidia 0000:53:00.0: NVRM: Xid (PCI:0000:53:00): 109, CTX SWITCH TIMEOUT",
        "[   12.1] NVRM: Xid (PCI:0000:53:00): 109, CTX SWITCH TIMEOUT",
        " NVRM: Xid (PCI:0000:53:00): 109",
        "NVRM: Xid (PCI:53:00): 109",
        "NVRM: Xid (PCI:0000:53:00 GPU): 109",
        "NVRM: Xid (PCI:0000:53:00): 1090",
        "NVRM: Xid (PCI:0000:53:00): x",
        "nvrm: Xid (PCI:0000:53:00): 79",
        "NVRM: GPU 0000:29:00.0: GPU has fallen off the bus. x",
        "infiniband eth0: Admin queue is closed",
        "infiniband rdmap79s0: Admin queue is closed now",
        "neuron NEURON_HW_ERR=DMA_ERROR",
        "NVRM: GPU at PCI:0000:9b:00: GPU-509665ad-b600-ac93-3616-d754b23d636d",
        "NVRM: GPU4 GSP RPC buffer contains function 103 (GSP_RM_ALLOC) and data 0x0000000000002081",
        "NVRM: API mismatch: the client has the version 570.172.08",
        "audit: name=NVRM: Xid",
        *AROUND_GSP,
    ],
)
def test_other_lines_are_no_event(line: str) -> None:
    assert events([Record(1.0, line)]) == ()


FALLEN = [
    "NVRM: The NVIDIA GPU 0000:b3:00.0",
    "NVRM: (PCI ID: 10de:26b5) installed in this system has",
    "NVRM: fallen off the bus and is not responding to commands.",
]
OTHER_LINE = "systemd[1]: Started something."


def spread(lines: list[str], apart: float = 0.0) -> list[Record]:
    return [Record(7.5 + apart * number, line) for number, line in enumerate(lines)]


@pytest.mark.parametrize(
    "lines",
    [
        FALLEN,
        ["\n".join(FALLEN)],
        ["\n               ".join(FALLEN)],
        [FALLEN[0], OTHER_LINE, *FALLEN[1:]],
        [FALLEN[0], "audit: name=NVRM: a", "audit: name=NVRM: b", *FALLEN[1:]],
        ["NVRM: loading", *FALLEN],
        [f"{FALLEN[0]} (PCI ID: 10de:1e07) installed in this", "NVRM: system has fallen off the bus and is not responding to commands."],
        [f"{FALLEN[0]} installed in this system has fallen off the bus and is not responding to commands."],
    ],
    ids=["three", "one record of three lines", "indented", "others between", "similar lines between", "another before", "two", "one"],
)
def test_a_fall_off_the_bus_over_several_lines_is_one_event(lines: list[str]) -> None:
    (event,) = events(spread(lines))
    assert (event.kind, event.pci, event.at) == ("gone", "0000:b3:00.0", 7.5)
    assert event.detail.endswith("installed in this system has fallen off the bus and is not responding to commands.")


@pytest.mark.parametrize(
    "records",
    [
        spread(FALLEN[:2]),
        spread(FALLEN[1:]),
        spread([*FALLEN[:2], "NVRM: loading NVIDIA UNIX Open Kernel Module", FALLEN[2]]),
        spread([FALLEN[0], "NVRM: (PCI ID: 10de:1eb8) installed in this system is", "NVRM: not supported by open nvidia.ko because it does not include"]),
        spread([*FALLEN[:2], f"kernel: python3: {FALLEN[2]}"]),
        spread(["x\n" + "\n".join(FALLEN)]),
        spread(["\n".join([*FALLEN, "x"])]),
        spread(FALLEN, apart=0.6),
        [*spread(FALLEN[:2]), Record(7.5, FALLEN[2], OTHER)],
    ],
)
def test_incomplete_or_similar_lines_are_no_event(records: list[Record]) -> None:
    assert events(records) == ()


def test_an_event_between_these_lines_counts() -> None:
    found = events(spread([FALLEN[0], "NVRM: Xid (PCI:0000:1b:00): 48", *FALLEN[1:]]))
    assert [each.kind for each in found] == ["xid"]


def test_a_record_with_a_line_break_is_no_xid() -> None:
    """The name of a process may contain a line break. The record is reported as torn, because it may be about a real fault."""
    (event,) = events([Record(1.0, "NVRM: Xid (PCI:0000:1b:00): 119, pid=12, name=a\nb, Timeout after 6s of waiting")])
    assert (event.kind, event.code, event.pci) == ("torn", 0, "0000:1b:00.0")


def test_a_record_of_a_process_is_no_event_and_a_line_of_dmesg_is_a_hint() -> None:
    line = "NVRM: Xid (PCI:0000:1b:00): 79"
    assert events([Record(1.0, line, OTHER)]) == ()
    assert [each.hint for source in ("kernel", TEXT) for each in events([Record(1.0, line, source)])] == [False, True]


def test_the_number_of_the_process_is_parsed() -> None:
    shapes = ("pid=4711, name=python3, Ch 1", "pid='<unknown>', name=<unknown>, Ch 1", "Ch 1")
    assert [events([Record(1.0, f"NVRM: Xid (PCI:0000:1b:00): 45, {words}")])[0].pid for words in shapes] == ["4711", "", ""]


def test_the_detail_of_a_long_line_is_cut() -> None:
    (event,) = events([Record(1.0, "NVRM: Xid (PCI:0000:1b:00): 13, " + "x" * 5000)])
    assert len(event.detail) == 300


FORGED = [
    "NVRM: Xid (PCI:0000:53:00): 79, GPU has fallen off the bus.",
    "NVRM: Xid (0000:53:00): 54",
    "NVRM: Xid (PCI:0000:53:00 GPU-I:05): 95, x",
    "NVRM: GPU 0000:53:00.0: GPU has fallen off the bus.",
    "NVRM: The NVIDIA GPU 0000:53:00.0 installed in this system has fallen off the bus and is not responding to commands.",
    "NVRM: GPU 0000:53:00.0: RmInitAdapter failed! (0x62:0x40:2363)",
    "WARNING: infoROM is corrupted at gpu 0000:53:00.0",
    "nvidia-nvswitch0: SXid (PCI:0000:0a:00.0): 20034, Fatal, Link 30",
    "infiniband rdmap64s0: Admin queue is closed",
    "efa 0001:40:00.0: Admin queue is closed",
    "NEURON_HW_ERR=SRAM_UNCORRECTABLE_ERROR",
]
"""Records that a user may try to forge."""
ADDRESSES = "ip 00005581a3f2 sp 00007ffd1c2e error 6"
OF_COMM: dict[str, str] = {
    "segfault": f"{{comm}}[77]: segfault at 0 {ADDRESSES} in {{file}}[5581a3f2+1000]",
    "segfault, newer": f"{{comm}}[77]: segfault at 0 {ADDRESSES} in {{file}}[5b,5581a3f2+1000] likely on CPU 1 (core 0, socket 0)",
    "trap": "traps: {comm}[77] trap invalid opcode ip:5581a3f2 sp:7ffd1c2e error:0 in {file}[5581a3f2+1000]",
    "protection": "traps: {comm}[77] general protection fault ip:5581a3f2 sp:7ffd1c2e error:0 in {file}[5581a3f2+1000]",
    "signal": "{comm}: potentially unexpected fatal signal 11.",
    "memory": "{comm} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
    "killed": "Out of memory: Killed process 77 ({comm}) total-vm:1kB, anon-rss:1kB, UID:1000",
    "killed in a group": "Memory cgroup out of memory: Killed process 77 ({comm}) total-vm:1kB",
    "constraint": "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset={file},task_memcg=/{file},task={comm},pid=77,uid=1000",
    "blocked": "INFO: task {comm}:77 blocked for more than 120 seconds.",
    "lockup": "watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [{comm}:77]",
    "trace": "CPU: 1 PID: 77 Comm: {comm} Not tainted 6.8.0-1021-aws",
    "deprecated": "{comm} (77): /proc/77/oom_adj is deprecated, please use /proc/77/oom_score_adj instead.",
    "capabilities": "warning: `{comm}' uses 32-bit capabilities (legacy support in use)",
    "allocation": "{comm}: page allocation failure: order:4, mode:0xcc0(GFP_KERNEL), nodemask=(null)",
    "stack": "process '{file}' started with executable stack",
    "audit": 'audit: type=1701 audit(1.0:7): auid=1000 uid=1000 pid=77 comm="{comm}" exe="{file}" sig=11 res=1',
    "an Xid of another device": "NVRM: Xid (PCI:0000:99:00): 31, pid=77, name={comm}, MMU Fault",
}
"""Kernel records with names of processes, which have up to 15 bytes, and of files."""
OF_MOUNT: dict[str, str] = {
    "parameter": "tmpfs: Unknown parameter '{word}'",
    "value": "tmpfs: Bad value for '{word}'",
    "another file system": "overlay: Unknown parameter '{word}'",
    "folder": "overlayfs: failed to resolve '{word}': -2",
    "option": 'EXT4-fs (loop0): Unrecognized mount option "{word}" or missing value',
    "label": "fuse: trying to steal weird page {word}",
}
AROUND = ["{}", "x\n{}", "{}\nx", "x\n{}\nx", "\n{}\n", "x\r{}", "x\x0b{}", "x\u2028{}"]


def cut(forged: str) -> t.Iterator[tuple[str, str]]:
    """Yield pairs of names: of a process with the beginning of the line, and of a file with the rest."""
    for begin in range(16):
        yield forged[:begin], forged[begin:]
    yield "python3", forged
    yield forged[:15], ", ".join(re.findall(r"\): \d+.*", forged) or [forged[15:]])


@pytest.mark.parametrize("form", OF_COMM.values(), ids=OF_COMM)
@pytest.mark.parametrize("forged", FORGED)
def test_names_of_processes_and_files_make_no_event(forged: str, form: str) -> None:
    for comm, file in cut(forged):
        for around in AROUND:
            line = form.format(comm=comm, file=around.format(file))
            assert [each for each in events([Record(1.0, line)]) if each.pci != "0000:99:00.0"] == [], line


@pytest.mark.parametrize("form", OF_MOUNT.values(), ids=OF_MOUNT)
@pytest.mark.parametrize("forged", FORGED)
def test_sources_and_options_of_mounts_make_no_event(forged: str, form: str) -> None:
    for around in AROUND:
        line = form.format(word=around.format(forged))
        assert events([Record(1.0, line)]) == (), line


@pytest.mark.parametrize("forged", FORGED)
def test_the_forged_lines_are_events_if_the_driver_writes_them(forged: str) -> None:
    assert len(events([Record(1.0, forged)])) == 1


@pytest.mark.parametrize("forged", FORGED)
def test_records_of_processes_make_no_event(forged: str) -> None:
    assert events([Record(1.0, forged, OTHER)]) == ()
