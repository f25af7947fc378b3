# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers and keys of GPUs, counters of the previous check, and the time that a node needs to settle."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import model
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import settling
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.look import grown
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.memory import Memory, Stamp
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import VERDICTS, at_least, worst
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.profile import Profile

from .bare import address, event, gpu, look, pci, sample, state


@pytest.mark.parametrize(("uptime", "verdict"), [(0, "unknown"), (299, "unknown"), (300, "unfit-replace")])
def test_a_missing_device_is_unknown_until_the_node_has_settled(uptime: int, verdict: str) -> None:
    assert look(state(uptime_seconds=uptime)).once_settled("unfit-replace") == verdict


def test_gpus_are_numbered_by_their_address() -> None:
    seen = state([gpu(2)], pci=(pci("gpu", 4), pci("efa", 1)), lost={address(5): "Unknown Error"})
    memory = Memory("i-1", gpus={address(0): "S0", address(7): "S2", "": "S9"})
    checked = look(seen, memory=memory)
    assert checked.addresses == tuple(map(address, (0, 2, 4, 5))), "a GPU that moved has only its new address"
    assert checked.part(address(4)) == f"GPU 2 ({address(4)})"
    assert checked.part(address(7)) == f"GPU {address(7)}"
    assert [checked.key(address(number)) for number in (2, 0, 4)] == ["S2", "S0", address(4)]
    assert look(state([gpu(2, serial="")])).key(address(2)) == address(2)


def test_a_node_without_a_document_has_no_gpus() -> None:
    assert look(state(None)).gpus == () and look(state(None)).addresses == ()


@pytest.mark.parametrize(
    ("last", "seconds"),
    [
        (None, None),
        (sample(uptime=999.0), 1.0),
        (sample(uptime=0.0), 1000.0),
        (sample(uptime=1000.0), None),
        (sample(uptime=1001.0), None),
        (sample(boot_id="last"), None),
    ],
)
def test_only_a_previous_check_of_this_boot_counts(last: t.Any, seconds: float | None) -> None:
    assert look(state(), memory=Memory("i-1", sample=last)).before() == (None if seconds is None else (last, seconds))


def test_grown_lists_the_increased_counters() -> None:
    assert list(grown({"b": 1, "a": 1, "same": 2, "less": 5}, {"b": 3, "a": 2, "same": 2, "less": 4, "new": 9})) == [("a", 1), ("b", 2)]


FAILED = "RmInitAdapter failed"


@pytest.mark.parametrize(
    ("events", "pci_address", "words"),
    [
        ((), "", ""),
        ((event("driver", detail=f"{FAILED} 1"), event("driver", detail=f"{FAILED} 2", number=1)), "", f"{FAILED} 2"),
        ((event("driver", detail=f"{FAILED} 1"), event("driver", detail=f"{FAILED} 2", number=1)), address(0), f"{FAILED} 1"),
        ((event("driver", detail=f"{FAILED} 1", pci=""),), address(0), f"{FAILED} 1"),
        ((event("driver", detail=f"{FAILED} 1", number=1),), address(0), ""),
        ((event("driver", detail="NVRM: other words"), event("xid", detail=FAILED)), "", ""),
    ],
)
def test_the_last_reason_of_a_failed_initialization_counts(events: tuple[model.KernelEvent, ...], pci_address: str, words: str) -> None:
    assert look(state(log=model.KernelLog(events))).uninitialized(pci_address) == words


@pytest.mark.parametrize(("stamp", "missing"), [(None, "gap"), (Stamp("this", 99.0), "gap"), (Stamp("this", 100.0), ""), (Stamp("last", 100.0), "gap")])
def test_missing_lines_count_since_the_node_was_fit(stamp: Stamp | None, missing: str) -> None:
    log = model.KernelLog((), (model.Hole(100.0, "gap"),))
    assert look(state(log=log), memory=Memory("i-1", stamp=stamp)).log_missing == missing and not log.complete


@pytest.mark.parametrize(
    ("answer", "profile", "seconds"),
    [
        ({"settles_in": 20}, None, 20),
        ({"settles_in": 300}, None, 300),
        ({"settles_in": 301}, None, 300),
        ({"settles_in": 301}, {"settle_seconds": 400}, 301),
        ({"settles_in": 301}, {"settle_seconds": None}, 300),
        ({"settles_in": 20}, {"settle_seconds": 5}, 5),
        ({"settles_in": 1}, None, 1),
        ({"settles_in": 0}, None, 0),
        ({"settles_in": -5}, None, 0),
        ({"settles_in": "20"}, None, 0),
        ({}, None, 0),
        (None, None, 0),
        ([20], None, 0),
    ],
)
def test_the_time_to_settle_is_bounded_whatever_a_node_reports(answer: t.Any, profile: t.Any, seconds: int) -> None:
    assert settling.settles_in(answer, profile) == seconds


def test_default_thresholds() -> None:
    assert Profile() == Profile(300, 600, 30, 10, 100, 100, 15, 16, ())


def test_verdicts_are_ordered_from_best_to_worst() -> None:
    assert VERDICTS == ("fit", "watch", "unknown", "unfit-reboot", "unfit-replace")
    assert worst([]) == "fit" and worst(["watch", "unfit-reboot", "unknown"]) == "unfit-reboot"
    assert at_least("unknown", "unknown") and at_least("unfit-reboot", "unknown") and not at_least("watch", "unknown")
