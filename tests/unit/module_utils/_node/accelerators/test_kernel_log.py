# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of the kernel's log as drivers of many years write them: which are events, and what each tells."""

from __future__ import annotations

import json
import math

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.kernel_log import (
    NEWEST,
    Unreadable,
    events,
    holes_of_journal,
    holes_of_ring,
    is_cut,
    of_journal,
    of_ring,
)

BOOT = "5f1c8a52-6d0e-4f0f-9d43-2b1c1f5d0a11"
XIDS = {
    "with a process": (
        "NVRM: Xid (PCI:0000:9b:00): 79, pid=4711, name=python3, GPU has fallen off the bus.",
        (79, "0000:9b:00.0", "python3", "GPU has fallen off the bus."),
    ),
    "old": ("NVRM: Xid (0000:03:00): 14, Channel 00000001", (14, "0000:03:00.0", "", "Channel 00000001")),
    "of MIG": (
        "NVRM: Xid (PCI:0000:01:00 GPU-I:05): 94, pid=7194, Contained: CE User Channel (0x9). RST: No, D-RST: No",
        (94, "0000:01:00.0", "", "pid=7194, Contained: CE User Channel (0x9). RST: No, D-RST: No"),
    ),
    "nobody's": (
        "NVRM: Xid (PCI:0000:1b:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping",
        (63, "0000:1b:00.0", "<unknown>", "Row Remapper: New row marked for remapping"),
    ),
    "a name with everything in it": (
        "NVRM: Xid (PCI:0000:1b:00): 31, pid=12, name=ray::Worker, Ch 00000008, intr 10000000. MMU Fault",
        (31, "0000:1b:00.0", "ray::Worker", "Ch 00000008, intr 10000000. MMU Fault"),
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
    "newer than all": ("NVRM: Xid (PCI:0000:1b:00): 999, what is this", (999, "0000:1b:00.0", "", "what is this")),
}


@pytest.mark.parametrize(("line", "told"), XIDS.values(), ids=XIDS)
def test_xids(line: str, told: tuple[int, str, str, str]) -> None:
    (event,) = events([(12.5, line)])
    assert (event.kind, event.at) == ("xid", 12.5)
    assert (event.code, event.pci, event.process, event.detail) == told


OTHERS = {
    "nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV error (First)": ("sxid", 12028, "0000:05:00.0", ""),
    "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30 LTSSM Fault Up": ("sxid", 20034, "0000:05:00.0", ""),
    "NVRM: GPU 0000:29:00.0: GPU has fallen off the bus.": ("gone", 0, "0000:29:00.0", ""),
    "NVRM: GPU at PCI:0000:9b:00: WARNING: infoROM is corrupted at gpu 0000:9b:00.0": ("inforom", 0, "0000:9b:00.0", ""),
    "NVRM: RmInitAdapter failed! (0x62:0x40:2363)": ("driver", 0, "", ""),
    "NVRM: GPU 0000:9b:00.0: RmInitAdapter failed! (0x62:0x40:2363)": ("driver", 0, "0000:9b:00.0", ""),
    "NVRM: No NVIDIA GPU found.": ("driver", 0, "", ""),
    "nd3: NEURON_HW_ERR=HBM_UNCORRECTABLE_ERROR": ("neuron", 0, "", ""),
    "infiniband rdmap79s0: Wait for completion (polling) timeout": ("efa", 0, "", "rdmap79s0"),
    "efa 0000:4f:00.0: Admin queue is closed": ("efa", 0, "0000:4f:00.0", ""),
}


@pytest.mark.parametrize("line", OTHERS)
def test_other_events(line: str) -> None:
    (event,) = events([(1.0, line)])
    assert (event.kind, event.code, event.pci, event.device) == OTHERS[line] and event.detail


@pytest.mark.parametrize(
    "line",
    [
        "ena 0000:00:05.0: Admin queue is closed",
        "infiniband rdmap79s0: Failed to process command CREATE_QP (opcode 2) comp_status 8 err -22",
        "nvidia-nvswitch3: SXid (PCI:0000:05:00.0): Severity 1 Engine instance 32 Sub-engine instance 00",
        "NVRM: GPU at PCI:0000:9b:00: GPU-509665ad-b600-ac93-3616-d754b23d636d",
        "NVRM: GPU4 GSP RPC buffer contains function 103 (GSP_RM_ALLOC) and data 0x0000000000002081",
        "NVRM: API mismatch: the client has the version 570.172.08",
        "audit: name=NVRM: Xid",
    ],
)
def test_what_is_no_event(line: str) -> None:
    assert events([(1.0, line)]) == ()


FALLEN = [
    "NVRM: The NVIDIA GPU 0000:b3:00.0",
    "NVRM: (PCI ID: 10de:26b5) installed in this system has",
    "NVRM: fallen off the bus and is not responding to commands.",
]
OTHER = "systemd[1]: Started something."


@pytest.mark.parametrize(
    "lines",
    [
        FALLEN,
        ["\n               ".join(FALLEN)],
        [FALLEN[0], OTHER, *FALLEN[1:]],
        [FALLEN[0], "audit: name=NVRM: a", "audit: name=NVRM: b", *FALLEN[1:]],
        [f"{FALLEN[0]} (PCI ID: 10de:1e07) installed in this", "NVRM: system has fallen off the bus and is not responding to commands."],
        [f"{FALLEN[0]} installed in this system has fallen off the bus and is not responding to commands."],
    ],
    ids=["three", "one of three lines", "others between", "what sounds like the driver between", "two", "one"],
)
def test_a_gpu_that_has_fallen_off_the_bus_over_several_lines(lines: list[str]) -> None:
    (event,) = events([(7.5, line) for line in lines])
    assert (event.kind, event.pci, event.at) == ("gone", "0000:b3:00.0", 7.5)
    assert event.detail.endswith("installed in this system has fallen off the bus and is not responding to commands.")


@pytest.mark.parametrize(
    "lines",
    [
        FALLEN[:2],
        FALLEN[1:],
        [*FALLEN[:2], "NVRM: loading NVIDIA UNIX Open Kernel Module", FALLEN[2]],
        [FALLEN[0], "NVRM: (PCI ID: 10de:1eb8) installed in this system is", "NVRM: not supported by open nvidia.ko because it does not include"],
        [*FALLEN[:2], f"kernel: python3: {FALLEN[2]}"],
    ],
)
def test_a_part_of_these_lines_and_what_begins_like_them_is_no_event(lines: list[str]) -> None:
    assert events([(1.0, line) for line in lines]) == ()


def test_an_event_between_these_lines_counts() -> None:
    found = events([(1.0, FALLEN[0]), (1.0, "NVRM: Xid (PCI:0000:1b:00): 48"), *((1.0, line) for line in FALLEN[1:])])
    assert [each.kind for each in found] == ["xid"]


def test_a_line_feed_in_the_name_of_a_process_hides_nothing() -> None:
    (event,) = events([(1.0, "NVRM: Xid (PCI:0000:1b:00): 119, pid=12, name=a\nb, Timeout after 6s of waiting")])
    assert (event.code, event.pci) == (119, "0000:1b:00.0")


def test_the_number_of_a_process() -> None:
    shapes = ("pid=4711, name=python3, Ch 1", "pid='<unknown>', name=<unknown>, Ch 1", "Ch 1")
    assert [events([(1.0, f"NVRM: Xid (PCI:0000:1b:00): 45, {words}")])[0].pid for words in shapes] == ["4711", "", ""]


def entry(line: object, *, at: int = 1_500_000, boot: str = BOOT.replace("-", "")) -> str:
    return json.dumps({"_BOOT_ID": boot, "__MONOTONIC_TIMESTAMP": str(at), "MESSAGE": line})


def test_the_journal_of_this_boot_with_lines_that_are_no_text() -> None:
    told = "\n".join([entry("a", boot="0" * 32), entry("b"), entry([98, 255]), ""])
    assert of_journal(told, BOOT) == [(1.5, "b"), (1.5, "b\ufffd")]
    assert of_journal("", BOOT) == []


def test_a_journal_that_is_cut_lacks_its_last_line() -> None:
    told = f"{entry('a')}\n{entry('b')[:20]}"
    assert of_journal(told, BOOT) == [(1.5, "a")] and is_cut(told) and not is_cut(f"{entry('a')}\n")


@pytest.mark.parametrize("text", ["words\n", "[]\n", "{}\n", '{"MESSAGE": "a", "__MONOTONIC_TIMESTAMP": "x"}\n'])
def test_what_is_no_journal(text: str) -> None:
    with pytest.raises(Unreadable):
        of_journal(text, BOOT)


def test_the_buffer_of_the_kernel() -> None:
    assert of_ring("[   12.345678] a: b\nwithout a time\n[99999.000001] c\n") == [(12.345678, "a: b"), (99999.000001, "c")]
    assert of_ring("   of what is gone\n[   12.5] a\n         b\n[   13.5] c\n") == [(12.5, "a"), (12.5, "b"), (13.5, "c")]


def test_lines_that_the_kernel_left_out() -> None:
    (hole,) = holes_of_journal([(1.0, "NVRM: 12 callbacks suppressed"), (7.5, "NVRM: Rate limiting GSP RPC error prints"), (9.0, "a")], cut=False)
    assert (hole.until, hole.why) == (7.5, "the driver left lines out, last 8 s after the boot")
    assert holes_of_ring([(0.0, "a"), (7.5, "NVRM: Rate limiting GSP RPC error prints")]) == (hole,)
    assert holes_of_journal([(1.0, "audit: Rate limiting"), (2.0, "NVRM: loading")], cut=False) == ()


def test_a_journal_of_more_lines_than_were_asked_for_lacks_its_oldest() -> None:
    lines = [(100.0 + number, "a") for number in range(NEWEST)]
    (hole,) = holes_of_journal(lines, cut=False)
    assert hole.until == 100.0 and "newest 20000 lines" in hole.why
    assert holes_of_journal(lines[1:], cut=False) == ()


def test_a_journal_that_is_cut_lacks_its_newest_lines_which_count_always() -> None:
    (hole,) = holes_of_journal([(1.0, "a")], cut=True)
    assert hole.until == math.inf and "too long" in hole.why


def test_a_buffer_that_begins_with_the_boot_has_forgotten_nothing() -> None:
    assert holes_of_ring([(0.0, "Linux version 6.8.0"), (80_000.0, "a")]) == ()
    (hole,) = holes_of_ring([(12.3, "a"), (80_000.0, "b")])
    assert (hole.until, hole.why) == (12.3, "the kernel's buffer begins 12 s after the boot")
    (hole,) = holes_of_ring([])
    assert hole.until == math.inf


def test_a_line_of_any_length_is_kept_short() -> None:
    (event,) = events([(1.0, "NVRM: Xid (PCI:0000:1b:00): 13, " + "x" * 5000)])
    assert len(event.detail) == 300
