# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of the journal and of /dev/kmsg, complete and unescaped once, and lines of dmesg."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.kernel_records import (
    KERNEL,
    NEWEST,
    OTHER,
    TEXT,
    Record,
    Unreadable,
    holes_of_buffer,
    holes_of_journal,
    is_cut,
    of_journal,
    of_kmsg,
    of_ring,
    read_kmsg,
)

BOOT = "5f1c8a52-6d0e-4f0f-9d43-2b1c1f5d0a11"
HEX = BOOT.replace("-", "")
LEFT_OUT = "NVRM: Rate limiting GSP RPC error prints"


def entry(line: object, *, at: object = 1_500_000, boot: str | None = HEX, **more: str | None) -> str:
    fields = {"_BOOT_ID": boot, "__MONOTONIC_TIMESTAMP": str(at), "_TRANSPORT": "kernel", "SYSLOG_FACILITY": "0", "MESSAGE": line, **more}
    return json.dumps({name: value for name, value in fields.items() if value is not None or name == "MESSAGE"})


def test_records_of_this_boot_with_other_values_than_text_are_read() -> None:
    journal = "\n".join([entry("a", boot="0" * 32), entry("b"), entry([98, 255]), entry(None), entry({"x": 1}), ""])
    assert of_journal(journal, BOOT) == [Record(1.5, "b"), Record(1.5, "b\ufffd"), Record(1.5, ""), Record(1.5, "")]
    assert of_journal("", BOOT) == []


OF_OTHERS = [
    {"SYSLOG_FACILITY": "1"},
    {"SYSLOG_FACILITY": "3"},
    {"SYSLOG_FACILITY": ""},
    {"SYSLOG_FACILITY": None},
    {"_TRANSPORT": "syslog"},
    {"_TRANSPORT": "stdout"},
    {"_TRANSPORT": None},
    {"boot": None},
]


@pytest.mark.parametrize("more", OF_OTHERS, ids=str)
def test_only_facility_0_is_the_kernel(more: dict[str, str | None]) -> None:
    assert [each.source for each in of_journal(f"{entry('a')}\n{entry('a', **more)}\n", BOOT)] == [KERNEL, OTHER]


def test_a_line_break_does_not_split_a_record() -> None:
    (record,) = of_journal(entry("a\nb\r\x0b\u2028c") + "\n", BOOT)
    assert record.text == "a\nb\r\x0b\u2028c"


def test_control_characters_do_not_hide_the_journal() -> None:
    assert of_journal(entry("aWORDb").replace("WORD", "\x1b\x02\t") + "\n", BOOT) == [Record(1.5, "a\x1b\x02\tb")]


def test_the_last_line_of_a_cut_journal_is_dropped() -> None:
    journal = f"{entry('a')}\n{entry('b')[:20]}"
    assert of_journal(journal, BOOT) == [Record(1.5, "a")] and is_cut(journal) and not is_cut(f"{entry('a')}\n")


NO_JOURNALS = ["words\n", "[]\n", "{}\n", '{"MESSAGE": "a", "__MONOTONIC_TIMESTAMP": "x"}\n', pytest.param("[" * 200_000 + "\n", id="too deep")]


@pytest.mark.parametrize("text", NO_JOURNALS)
def test_other_output_is_no_journal(text: str) -> None:
    with pytest.raises(Unreadable):
        of_journal(text, BOOT)


def test_records_of_kmsg_are_parsed() -> None:
    content = (
        b"6,0,0,-;Linux version 6.8.0\n"
        b"4,339,5140900,-,caller=T7;NVRM: a;b, c\n SUBSYSTEM=pci\n DEVICE=+pci:0000:53:00.0\n"
        b"4,340,5140901,-;x\\x0aNVRM: y\\x5cx0az\\xc3\\xa4\\xff\n"
        b"12,341,5140902,-;NVRM: of a process\n"
        b"4,342,5140903,c;NVRM: a part\n"
        b"4,343,5140904,+;NVRM: a part\n"
        b"no record\n"
    )
    assert of_kmsg(content) == [
        Record(0.0, "Linux version 6.8.0"),
        Record(5.1409, "NVRM: a;b, c"),
        Record(5.140901, "x\nNVRM: y\\x0az\u00e4\ufffd"),
        Record(5.140902, "NVRM: of a process", OTHER),
        Record(5.140903, "NVRM: a part", OTHER),
        Record(5.140904, "NVRM: a part", OTHER),
    ]


def test_a_file_is_read_like_the_device(tmp_path: Path) -> None:
    content = b"6,0,0,-;a\n" * 9000
    (tmp_path / "kmsg").write_bytes(content)
    assert read_kmsg(str(tmp_path / "kmsg")) == (content, False)
    with pytest.raises(OSError):
        read_kmsg(str(tmp_path / "none"))


def test_reading_a_device_does_not_wait_for_more_records(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "kmsg")
    keeper = os.open(tmp_path / "kmsg", os.O_RDWR)
    os.write(keeper, b"6,0,0,-;a\n")
    assert read_kmsg(str(tmp_path / "kmsg")) == (b"6,0,0,-;a\n", False)
    os.close(keeper)


def test_lines_of_dmesg_are_marked_as_text() -> None:
    assert of_ring("[   12.345678] a: b\nwithout a time\n[99999.000001] c\n") == [Record(12.345678, "a: b", TEXT), Record(99999.000001, "c", TEXT)]
    assert of_ring("   of what is gone\n[   12.5] a\n         b\n[   13.5] c\n") == [Record(12.5, "a", TEXT), Record(12.5, "b", TEXT), Record(13.5, "c", TEXT)]


def test_suppressed_lines_are_a_hole() -> None:
    records = [Record(1.0, "NVRM: 12 callbacks suppressed"), Record(7.5, LEFT_OUT), Record(9.0, "a")]
    (hole,) = holes_of_journal(records, cut=False)
    assert (hole.until, hole.why) == (7.5, "the driver suppressed lines, most recently 8 s after the boot")
    assert holes_of_buffer([Record(0.0, "a"), Record(7.5, LEFT_OUT)]) == (hole,)
    assert holes_of_journal([Record(1.0, "audit: Rate limiting"), Record(2.0, "NVRM: loading")], cut=False) == ()


def test_a_journal_with_the_maximum_of_lines_lacks_its_oldest() -> None:
    records = [Record(100.0 + number, "a") for number in range(NEWEST)]
    (hole,) = holes_of_journal(records, cut=False)
    assert hole.until == 100.0 and "newest 20000 lines" in hole.why
    assert holes_of_journal(records[1:], cut=False) == ()


def test_a_cut_journal_always_has_a_hole() -> None:
    (hole,) = holes_of_journal([Record(1.0, "a")], cut=True)
    assert hole.until == math.inf and "too long" in hole.why


def test_a_buffer_that_begins_with_the_boot_has_no_hole() -> None:
    assert holes_of_buffer([Record(0.0, "Linux version 6.8.0"), Record(80_000.0, "a")]) == ()
    (hole,) = holes_of_buffer([Record(12.3, "a"), Record(80_000.0, "b")])
    assert (hole.until, hole.why) == (12.3, "the kernel's buffer begins 12 s after the boot")
    (hole,) = holes_of_buffer([])
    assert hole.until == math.inf
    (hole,) = holes_of_buffer([Record(0.0, "a")], overwritten=True)
    assert hole.until == math.inf and "overwritten" in hole.why


def test_lines_of_dmesg_always_have_a_hole() -> None:
    (hole,) = holes_of_buffer([Record(0.0, "a", TEXT)])
    assert hole.until == math.inf and "hints" in hole.why


def test_only_records_of_the_driver_report_suppressed_lines() -> None:
    """A user chooses the name of a process, and it may be as long as ``NVRM: Missed x``."""
    records = [
        Record(1.0, LEFT_OUT, OTHER),
        Record(2.0, "audit: NVRM: Missed 3"),
        Record(3.0, "NVRM: Missed x[4711]: segfault at 0 ip 0000000000400526 sp 00007ffd error 4 in x[400000+1000]"),
        Record(4.0, f"a\n{LEFT_OUT}"),
        Record(5.0, f"{LEFT_OUT}\nb"),
    ]
    assert holes_of_journal(records, cut=False) == ()
    (hole,) = holes_of_journal([*records, Record(6.0, "NVRM: Missed 12 messages"), Record(9.0, LEFT_OUT, OTHER)], cut=False)
    assert hole.until == 6.0
