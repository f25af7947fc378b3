# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of one GPU that belong to one incident, and the meaning of a single record."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import model
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import incidents, nvlink4
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.xid_verdicts import Judged
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.kernel_log import events
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.kernel_records import Record

from .bare import event

CLEARED = "GPU recovery action changed from 0x1 (Reset) to 0x0 (None)"
RESET = "GPU recovery action changed from 0x0 (None) to 0x1 (Reset)"


def judged(one: model.KernelEvent) -> Judged | None:
    return incidents.judged(one, 595)


def xid(code: int, at: float, detail: str = "Words") -> model.KernelEvent:
    return event("xid", code, at=at, detail=detail)


def grouped(*events: model.KernelEvent) -> list[tuple[tuple[int, float], list[int]]]:
    found = incidents.incidents(events, judged)
    return [((each.code, each.root.at), [one.code for one in each.followed]) for each in found]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], []),
        ([xid(63, 100)], []),
        ([xid(79, 100), xid(45, 160)], [((79, 100), [45])]),
        ([xid(79, 100), xid(45, 160.1)], [((79, 100), []), ((45, 160.1), [])]),
        ([xid(45, 90), xid(79, 100), xid(43, 110)], [((79, 100), [45, 43])]),
        ([xid(43, 90), xid(31, 100)], [((43, 90), [31])]),
        ([xid(79, 100), xid(79, 110)], [((79, 100), [79])]),
        ([xid(63, 90), xid(79, 100), xid(14, 110)], [((79, 100), [])]),
        ([xid(79, 100), xid(154, 101, RESET)], [((79, 100), [154])]),
        ([xid(79, 100), xid(154, 101, CLEARED), xid(43, 102)], [((79, 100), [154]), ((43, 102), [])]),
        ([xid(154, 100, RESET), xid(43, 102)], [((154, 100), [43])]),
    ],
)
def test_records_within_a_minute_belong_to_their_cause(events: list[model.KernelEvent], expected: object) -> None:
    assert grouped(*events) == expected


def test_a_gpu_that_has_gone_counts_as_79() -> None:
    assert incidents.code_of(event("gone", 0)) == 79 and incidents.code_of(event("xid", 31)) == 31


@pytest.mark.parametrize(("detail", "action"), [(RESET, 1), (CLEARED, 0), ("to 0x2, then to 0x10", 16), ("Words", None), ("to 0x", None)])
def test_the_last_action_in_the_record_counts(detail: str, action: int | None) -> None:
    assert incidents.action(xid(154, 1, detail)) == action


def nvlink5(status: str, *, fatal: str = "Fatal") -> str:
    return f"SAW_MVB {fatal} XC0 i0 Link 08 (0x00000000 {status})"


BY_REGISTERS = "its registers request a reset, which requires a reboot of the node"
STRANGE = "the driver reports the error as fatal, and its registers are unknown"
MILD = "the driver reports the error as nonfatal, and its registers are unknown"
NEEDS = Judged("unfit-reboot", "hardware", "the driver reports that a recovery action is needed", "unfit-replace")


@pytest.mark.parametrize(
    ("code", "detail", "expected"),
    [
        (144, nvlink5("0x2"), Judged("unfit-reboot", "fabric", BY_REGISTERS, "unfit-replace")),
        (144, nvlink5("0x1"), None),
        (144, nvlink5("0x4000"), Judged("unfit-reboot", "fabric", STRANGE, "unfit-replace")),
        (144, nvlink5("0x4000", fatal="Nonfatal"), Judged("watch", "fabric", MILD)),
        (145, "RLW_REMAP Nonfatal XC0 i0 Link 08 (0x00000004 0x1)", Judged("fit", "workload", "an application that used the link must be restarted")),
        (150, "Words", Judged("unfit-reboot", "fabric", BY_REGISTERS, "unfit-replace")),
        (154, RESET, NEEDS),
        (154, CLEARED, None),
        (154, "Words", None),
        (74, "NVLink: fatal error detected on link 6(0x800000, 0x0)", None),
        (63, "Words", None),
    ],
)
def test_a_single_record_is_judged(code: int, detail: str, expected: Judged | None) -> None:
    assert judged(xid(code, 1, detail)) == expected


def test_an_nvlink_error_with_other_registers_than_a_note_is_watched() -> None:
    found = judged(xid(74, 1, "NVLink: fatal error detected on link 6(0x10000, 0x0)"))
    assert found and (found.verdict, found.cause) == ("watch", "fabric")


LINK_6 = "NVLink: fatal error detected on link 6"
OF_LINKS = [f"{LINK_6}({registers})" for registers in ("0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0", "0x800000, 0x0", "0x1", "0x0, 0x1")]
LINK_NAMES = ["x, link 0(0x1)", "x, link 0 (0x1)", "link 0(0x10)", ", link 0(0x1), ", "x, link 0(0x1,", "x, link 0(0x1"]
ACTION_NAMES = ["x, to 0x0", "to 0x0", "x, to 0x1, ", "x, to 0x2 (", "from 0x1 to 0x0", "to 0x0, to 0x0"]
"""Names of processes have at most 15 bytes. A part of one may be left before the driver's text."""


def of_process(name: str, code: int, words: str) -> model.KernelEvent:
    (one,) = events([Record(1.0, f"NVRM: Xid (PCI:0000:53:00): {code}, pid=7, name={name}, {words}")])
    return one


@pytest.mark.parametrize("words", [*OF_LINKS, LINK_6, "Words", "Words, more"])
@pytest.mark.parametrize("name", LINK_NAMES)
def test_the_name_of_a_process_chooses_no_register_of_a_link(name: str, words: str) -> None:
    plain, named = xid(74, 1, words), of_process(name, 74, words)
    assert len(name) <= 15 and judged(named) == judged(plain)
    assert nvlink4.meaning(named.detail) == nvlink4.meaning(words)


@pytest.mark.parametrize("words", [RESET, CLEARED, "Words", "Words, more"])
@pytest.mark.parametrize("name", ACTION_NAMES)
def test_the_name_of_a_process_chooses_no_action(name: str, words: str) -> None:
    plain, named = xid(154, 1, words), of_process(name, 154, words)
    assert len(name) <= 15 and incidents.action(named) == incidents.action(plain) and judged(named) == judged(plain)
    assert grouped(xid(43, 0), named, xid(43, 2)) == grouped(xid(43, 0), plain, xid(43, 2))


def test_labels_have_the_number_of_repeated_records() -> None:
    assert incidents.labels([xid(45, 1), xid(43, 2), xid(45, 3), event("gone")]) == ("Xid 45 (2)", "Xid 43", "Xid 79")
