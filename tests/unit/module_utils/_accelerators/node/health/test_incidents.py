# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of one GPU that belong together, and what a record means by itself."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import model
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import incidents
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.xid_verdicts import Judged

from .bare import event

CLEARED = "GPU recovery action changed from 0x1 (Reset) to 0x0 (None)"
RESET = "GPU recovery action changed from 0x0 (None) to 0x1 (Reset)"


def judged(one: model.KernelEvent) -> Judged | None:
    return incidents.judged(one, 595)


def xid(code: int, at: float, detail: str = "Words") -> model.KernelEvent:
    return event("xid", code, at=at, detail=detail)


def of(*events: model.KernelEvent) -> list[tuple[tuple[int, float], list[int]]]:
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
def test_the_cause_of_what_happens_within_a_minute(events: list[model.KernelEvent], expected: object) -> None:
    assert of(*events) == expected


def test_a_gpu_that_has_gone_counts_as_79() -> None:
    assert incidents.code_of(event("gone", 0)) == 79 and incidents.code_of(event("xid", 31)) == 31


@pytest.mark.parametrize(("detail", "action"), [(RESET, 1), (CLEARED, 0), ("to 0x2, then to 0x10", 16), ("Words", None), ("to 0x", None)])
def test_the_action_that_the_driver_names(detail: str, action: int | None) -> None:
    assert incidents.action(xid(154, 1, detail)) == action


def nvlink5(status: str, *, fatal: str = "Fatal") -> str:
    return f"SAW_MVB {fatal} XC0 i0 Link 08 (0x00000000 {status})"


BY_REGISTERS = "its registers ask for a reset, which is a reboot of the node"
STRANGE, MILD = "the driver calls it fatal, and its registers are not known", "the driver calls it not fatal, and its registers are not known"
NEEDS = Judged("unfit-reboot", "hardware", "the driver says that the GPU needs it", "unfit-replace")


@pytest.mark.parametrize(
    ("code", "detail", "expected"),
    [
        (144, nvlink5("0x2"), Judged("unfit-reboot", "fabric", BY_REGISTERS, "unfit-replace")),
        (144, nvlink5("0x1"), None),
        (144, nvlink5("0x4000"), Judged("unfit-reboot", "fabric", STRANGE, "unfit-replace")),
        (144, nvlink5("0x4000", fatal="Nonfatal"), Judged("watch", "fabric", MILD)),
        (145, "RLW_REMAP Nonfatal XC0 i0 Link 08 (0x00000004 0x1)", Judged("fit", "workload", "an application that used the link has to start anew")),
        (150, "Words", Judged("unfit-reboot", "fabric", BY_REGISTERS, "unfit-replace")),
        (154, RESET, NEEDS),
        (154, CLEARED, None),
        (154, "Words", None),
        (74, "NVLink: fatal error detected on link 6(0x800000, 0x0)", None),
        (63, "Words", None),
    ],
)
def test_a_record_by_itself(code: int, detail: str, expected: Judged | None) -> None:
    assert judged(xid(code, 1, detail)) == expected


def test_an_nvlink_error_that_is_no_note() -> None:
    found = judged(xid(74, 1, "NVLink: fatal error detected on link 6(0x10000, 0x0)"))
    assert found and (found.verdict, found.cause) == ("watch", "fabric")


def test_labels_count_what_came_more_than_once() -> None:
    assert incidents.labels([xid(45, 1), xid(43, 2), xid(45, 3), event("gone")]) == ("Xid 45 (2)", "Xid 43", "Xid 79")
