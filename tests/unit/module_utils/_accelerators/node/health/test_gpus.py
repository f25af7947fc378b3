# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules about the values of a GPU, at their limits."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import model
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import gpus
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.memory import Memory
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import Problem

from .bare import NO_LINK, UNKNOWN_TYPE, address, event, gpu, look, pci, sample, state

WATCH, UNKNOWN, REBOOT, REPLACE = "watch", "unknown", "unfit-reboot", "unfit-replace"


def found(*listed: model.Gpu, last: t.Any = None, **values: t.Any) -> list[Problem]:
    return list(gpus.problems(look(state(listed, **values), memory=Memory("i-1", sample=last))))


def one(code: str, verdict: str, words: str, evidence: str = "", again: str = "", **more: t.Any) -> Problem:
    part = f"GPU 0 ({address(0)})"
    return Problem(code, verdict, more.pop("cause", "hardware"), f"{part} {words}", part, "S0", evidence, again, **more)


RESET = one("gpu-reset-required", REBOOT, "needs a reset.", "GPU requires reset", REPLACE)
LOST = "does not answer the driver."
PARTLY = "has values that the driver could not read."
DECIDES = "has unreadable values that decide whether the GPU is fit."
DENIED = "Insufficient Permissions"
THREE = {"a": "ERR!", "b": "ERR!", "c": "ERR!"}
ACTION = "a recovery action"
VALUES: list[tuple[dict[str, t.Any], Problem]] = [
    ({"broken": {"util": "GPU requires reset"}}, RESET),
    ({"broken": {**THREE, "d": "GPU requires reset now"}}, RESET),
    ({"broken": THREE}, one("gpu-lost", REBOOT, LOST, "a: ERR!; b: ERR!; c: ERR!", REPLACE)),
    ({"broken": {**THREE, "d": "ERR!"}}, one("gpu-lost", REBOOT, LOST, "a: ERR!; b: ERR!; c: ERR!", REPLACE)),
    ({"broken": {"a": "GPU is lost"}}, one("gpu-lost", REBOOT, LOST, "a: GPU is lost", REPLACE)),
    ({"broken": {"a": "ERR!", "b": "ERR!"}}, one("gpu-unreadable", WATCH, PARTLY, "a: ERR!; b: ERR!")),
    ({"broken": dict.fromkeys("abcd", DENIED)}, one("gpu-unreadable", UNKNOWN, PARTLY, f"a: {DENIED}; b: {DENIED}; c: {DENIED}")),
    ({"unread": {"fan/speed": "warm"}}, one("gpu-unreadable", WATCH, PARTLY, "speed: warm")),
    ({"unread": {"fan/speed": DENIED}}, one("gpu-unreadable", UNKNOWN, PARTLY, f"speed: {DENIED}")),
    ({"unread": {"a": "x"}, "broken": {"b": DENIED}}, one("gpu-unreadable", WATCH, PARTLY, f"b: {DENIED}; a: x")),
    *(
        ({"unread": {path: "?", "fan/speed": "warm"}}, one("gpu-unreadable", UNKNOWN, DECIDES, f"{path.rpartition('/')[2]}: ?"))
        for path in (
            "gpu_recovery_action",
            "gpu_reset_status/reset_required",
            "remapped_rows/remapped_row_pending",
            "retired_pages/pending_retirement",
            "ecc_errors/aggregate/sram_threshold_exceeded",
            "ecc_errors/channel_repair_pending",
            "ecc_errors/tpc_repair_pending",
            "ecc_errors/unrepairable_memory",
            "ecc_errors",
        )
    ),
    ({"recovery_action": "Unknown"}, one("gpu-recovery-action", UNKNOWN, f"may need {ACTION}: the driver reports an unknown action.", "Unknown", REPLACE)),
    ({"recovery_action": "Reset"}, one("gpu-recovery-action", REBOOT, "needs a recovery action, according to the driver.", "Reset", REPLACE)),
    ({"reset_required": True}, one("gpu-reset-required", REBOOT, "needs a reset.", "reset_required: Yes", REPLACE)),
    ({"reset_required": True, "recovery_action": None}, one("gpu-reset-required", REBOOT, "needs a reset.", "reset_required: Yes", REPLACE)),
    ({"margin": 0}, one("gpu-hot", WATCH, "has reached its temperature limit.", "gpu_temp_tlimit: 0 C")),
    ({"margin": -1}, one("gpu-hot", WATCH, "has reached its temperature limit.", "gpu_temp_tlimit: -1 C")),
]


@pytest.mark.parametrize(
    ("broken", "apart", "lost"),
    [
        (THREE, "ab", True),
        (THREE, "abc", False),
        ({**THREE, "d": "ERR!", "e": "ERR!"}, "abcde", False),
        ({**THREE, "d": "ERR!"}, "abc", True),
        ({**THREE, "d": DENIED}, "abc", False),
        ({**THREE, "d": "GPU is lost"}, "abcd", True),
    ],
)
def test_a_gpu_with_errors_only_in_other_sections_is_not_lost(broken: dict[str, str], apart: str, lost: bool) -> None:
    seen = state([gpu(broken=broken)])
    assert seen.smi
    document = dataclasses.replace(seen.smi, apart={address(0): frozenset(apart)})
    evidence = "a: ERR!; b: ERR!; c: ERR!"
    problem = one("gpu-lost", REBOOT, LOST, evidence, REPLACE) if lost else one("gpu-unreadable", WATCH, PARTLY, evidence)
    assert list(gpus.problems(look(dataclasses.replace(seen, smi=document)))) == [problem]


@pytest.mark.parametrize(("values", "problem"), VALUES)
def test_a_bad_value_of_a_gpu_is_a_problem(values: dict[str, t.Any], problem: Problem) -> None:
    assert found(gpu(**values)) == [problem]


@pytest.mark.parametrize("values", [{}, {"margin": 1}, {"margin": None}, {"recovery_action": None}, {"reset_required": None}, {"recovery_action": "NONE"}])
def test_good_and_absent_values_are_no_problem(values: dict[str, t.Any]) -> None:
    assert found(gpu(**values)) == []


SPARE = {"max": 3, "high": 2, "partial": 4, "low": 0, "none": 1}
SPARED = ", partial: 4 bank(s), none: 1 bank(s)"
ROWS_WAIT = "waits for a reset to remap a row of its memory. Reboot the node when it is idle; jobs may continue until then."
PAGE_WAITS = "waits for a reset to retire a page of its memory. Reboot the node when it is idle; jobs may continue until then."
PAGES = "has retired too many pages of its memory."
REPAIR = one("gpu-repair-pending", REBOOT, "waits for a reset to repair its memory.", "repair_pending: Yes", REPLACE, live=True)
MEMORY: list[tuple[dict[str, t.Any], Problem]] = [
    (
        {"rows": model.Rows(0, 1, True, True, SPARE)},
        one("gpu-rows-failed", REPLACE, "could not remap a row of its memory.", f"remapped_row_failure: Yes{SPARED}"),
    ),
    (
        {"rows": model.Rows(0, 1, True, False, SPARE)},
        one("gpu-rows-pending", WATCH, ROWS_WAIT, f"remapped_row_pending: Yes{SPARED}", REPLACE, live=True),
    ),
    ({"unrepairable": True, "repair_pending": True}, one("gpu-memory-unrepairable", REPLACE, "has irreparable memory.", "unrepairable_memory: Yes")),
    ({"repair_pending": True}, REPAIR),
    (
        {"sram_threshold_exceeded": True},
        one("gpu-sram", REPLACE, "has more SRAM errors than NVIDIA's threshold allows.", "sram_threshold_exceeded: Yes"),
    ),
    ({"pages_retired": 16, "page_pending": True}, one("gpu-pages-retired", REPLACE, PAGES, "double_bit_retirement: 16")),
    ({"pages_retired": 15, "page_pending": True}, one("gpu-rows-pending", WATCH, PAGE_WAITS, "pending_retirement: Yes", REPLACE, live=True)),
]


@pytest.mark.parametrize(("memory", "problem"), MEMORY)
def test_a_bad_value_of_the_memory_is_a_problem(memory: dict[str, t.Any], problem: Problem) -> None:
    assert found(gpu(memory=memory)) == [problem]


@pytest.mark.parametrize("memory", [{"rows": None}, {"pages_retired": 15}, {"rows": model.Rows(9, 9, False, None, SPARE)}, {"page_pending": False}])
def test_values_of_the_memory_below_the_limits_are_no_problem(memory: dict[str, t.Any]) -> None:
    assert found(gpu(memory=memory)) == []


@pytest.mark.parametrize(
    ("record", "folded"),
    [(event("xid", 154), ("Xid 154",)), (event("xid", 154, number=1), ()), (event("xid", 31), ()), (event("sxid", 154), ())],
)
def test_only_the_record_that_announces_a_recovery_action_is_folded(record: model.KernelEvent, folded: tuple[str, ...]) -> None:
    (problem,) = found(gpu(recovery_action="Reset"), log=model.KernelLog((record,)))
    assert problem.folded == folded


HELD, HEAT = "is slowed down by the hardware under load.", "is slowed down by its driver because of heat under load."


@pytest.mark.parametrize(
    ("micro", "evidence", "words"),
    [
        ({"hw_slowdown": 10_000_000}, "hw_slowdown", HELD),
        ({"hw_slowdown": 9_999_999}, "", ""),
        ({"sw_thermal_slowdown": 10_000_000}, "sw_thermal_slowdown", HEAT),
        (
            {"sw_thermal_slowdown": 99_000_000, "hw_thermal_slowdown": 99_000_000, "hw_power_brake_slowdown": 99_000_000},
            "hw_thermal_slowdown, hw_power_brake_slowdown, sw_thermal_slowdown",
            HELD,
        ),
        ({"sw_power_cap": 99_000_000}, "", ""),
    ],
)
def test_a_gpu_held_back_for_a_tenth_of_the_time_is_a_problem(micro: dict[str, int], evidence: str, words: str) -> None:
    """The checks are 100 s apart, so the limit is 10,000,000 µs."""
    last = sample(held_back_us={"GPU-0": dict.fromkeys(micro, 5)})
    now = gpu(held_back_us={name: 5 + count for name, count in micro.items()})
    expected = [one("gpu-held-back", WATCH, words, evidence)] if evidence else []
    assert found(now, last=last) == expected
    assert found(dataclasses.replace(now, utilization=0), last=last) == []
    assert found(now, last=None) == []


@pytest.mark.parametrize(
    ("before", "now", "evidence"),
    [
        (("hw_slowdown",), ("hw_slowdown",), "hw_slowdown"),
        (("hw_slowdown",), ("hw_thermal_slowdown",), ""),
        (("sw_thermal_slowdown",), ("sw_thermal_slowdown",), ""),
        ((), ("hw_slowdown",), ""),
    ],
)
def test_without_counters_the_same_reason_in_two_checks_is_a_problem(before: tuple[str, ...], now: tuple[str, ...], evidence: str) -> None:
    problems = found(gpu(held_back=now), last=sample(held_back={"GPU-0": before}))
    assert problems == ([one("gpu-held-back", WATCH, HELD, evidence)] if evidence else [])


@pytest.mark.parametrize(("widths", "narrow"), [((8, 16, 16, 16), [0]), ((8, 16, 16), []), ((16, 8, 8, 8), []), ((None, 16, 16, 16), []), ((None,), [])])
def test_a_gpu_is_narrow_if_three_others_are_wider(widths: tuple[int | None, ...], narrow: list[int]) -> None:
    listed = [gpu(number, link=dataclasses.replace(NO_LINK, width=width)) for number, width in enumerate(widths)]
    words = "has 8 PCIe lanes, but 3 other GPUs of the node have 16."
    assert found(*listed) == [one("gpu-pcie-width", WATCH, words, "current_link_width: 8x", REBOOT, live=True) for _number in narrow]


def dcgm(status: str = "fail", *, test: str = "Memory", index: int | None = 0, text: str = "It failed.", severity: int | None = None) -> model.DcgmResult:
    return model.DcgmResult(test, index, status, text, severity)


FAILS = "fails DCGM test Memory."
DCGM: list[tuple[model.DcgmResult, list[Problem]]] = [
    (dcgm("warn"), []),
    (dcgm(severity=0), []),
    (dcgm(text="The GPU is IN USE by another"), []),
    (dcgm(text="Profiling is paused"), []),
    *((dcgm(severity=severity), [one("gpu-dcgm", WATCH, FAILS, "It failed.")]) for severity in (None, 1, 3, 4)),
    *((dcgm(severity=severity), [one("gpu-dcgm", REBOOT, FAILS, "It failed.", REPLACE)]) for severity in (2, 6)),
    (dcgm(severity=5), [one("gpu-dcgm", WATCH, FAILS, "It failed.", cause="config")]),
    *(
        (dcgm(test=f"{test} Check"), [one("gpu-dcgm", WATCH, f"fails DCGM test {test} Check.", "It failed.", cause="config")])
        for test in ("Persistence", "Environment", "Graphics", "Permissions", "Denylist", "Blacklist")
    ),
    (dcgm(test="Persistence", severity=1), [one("gpu-dcgm", WATCH, "fails DCGM test Persistence.", "It failed.")]),
    *(
        (dcgm(index=index), [Problem("gpu-dcgm", WATCH, "hardware", "The node fails DCGM test Memory.", key="Memory", evidence="It failed.")])
        for index in (None, 1)
    ),
    *(
        (
            dcgm(status),
            [Problem("gpu-dcgm", UNKNOWN, "hardware", "DCGM test Memory ended with an unknown status.", key="Memory", evidence=evidence)],
        )
        for status, evidence in (("skipped", "skipped"), ("", "no status"))
    ),
]


@pytest.mark.parametrize(("result", "problems"), DCGM)
def test_failed_dcgm_tests_are_problems(result: model.DcgmResult, problems: list[Problem]) -> None:
    assert found(gpu(), dcgm=(result,)) == problems


NOT_KNOWN, OFF = "is listed by the kernel, but not by the driver.", "is missing from the PCIe bus."


@pytest.mark.parametrize(
    ("on_bus", "by_driver", "lost", "remembered", "words"),
    [
        ((0, 1), (0, 1), {}, (), {}),
        ((0, 1), (1,), {}, (), {0: NOT_KNOWN}),
        ((1,), (1,), {}, (0,), {0: OFF}),
        ((0, 1), None, {}, (), {}),
        ((1,), None, {}, (0,), {0: OFF}),
        ((0, 1), (1,), {0: "Unknown Error"}, (), {}),
    ],
)
def test_missing_and_lost_gpus_are_problems(on_bus: t.Any, by_driver: t.Any, lost: dict[int, str], remembered: t.Any, words: dict[int, str]) -> None:
    gone = {address(number): why for number, why in lost.items()}
    seen = state(None if by_driver is None else [gpu(number) for number in by_driver], pci=tuple(pci("gpu", number) for number in on_bus), lost=gone)
    memory = Memory("i-1", gpus={address(number): f"S{number}" for number in remembered})
    problems = list(gpus.problems(look(seen, memory=memory)))
    assert [each.text for each in problems if each.code == "gpu-missing"] == [f"GPU {number} ({address(number)}) {text}" for number, text in words.items()]
    assert [(each.text, each.evidence, each.verdict, each.again) for each in problems if each.code == "gpu-lost"] == [
        (f"GPU {number} ({address(number)}) {LOST}", why, REBOOT, REPLACE) for number, why in lost.items()
    ]


@pytest.mark.parametrize(("present", "lost", "missing"), [(2, (), ""), (1, (), "1 of 2"), (1, (5,), ""), (0, (5,), "1 of 2"), (3, (), "")])
def test_fewer_gpus_than_expected_are_a_problem(present: int, lost: tuple[int, ...], missing: str) -> None:
    seen = state([gpu(number) for number in range(present)], lost={address(number): "Unknown Error" for number in lost})
    problems = [each for each in gpus.problems(look(seen, wanted=dataclasses.replace(UNKNOWN_TYPE, gpus=2, source="EC2"))) if each.code == "gpu-missing"]
    text = f"{missing} GPUs are present (expected by EC2)."
    assert problems == ([Problem("gpu-missing", REBOOT, "hardware", text, again=REPLACE)] if missing else [])
