# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a verdict, which becomes the reason of a drain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.judge import Health
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import (
    CONFIG,
    FIT,
    HARDWARE,
    REBOOT,
    REPLACE,
    UNKNOWN,
    WATCH,
    Problem,
    worst,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program.verdict import load, save, verdict


def fit_and_reason(*problems: Problem) -> tuple[bool, str]:
    found = verdict(Health(worst(each.verdict for each in problems), problems, (), (), ()), 1.0)
    return found.fit, found.unfit


def problem(verdict: str, code: str = "gpu-lost", part: str = "", cause: str = HARDWARE) -> Problem:
    return Problem(code, verdict, cause, "Text of the kernel, Action:Replace", part, evidence="Action:Reboot")


@pytest.mark.parametrize(
    ("problems", "expected"),
    [
        ([], (True, "")),
        ([problem(WATCH)], (False, "")),
        ([problem(UNKNOWN)], (False, "")),
        ([problem(REBOOT, cause=CONFIG)], (False, "")),
        ([problem(REBOOT)], (False, "unfit-reboot: gpu-lost")),
        ([problem(REPLACE, part="GPU 1"), problem(REBOOT, "efa-down", "rdmap0s0")],
         (False, "unfit-replace: gpu-lost of GPU 1, efa-down of rdmap0s0")),
        ([problem(REPLACE, cause=CONFIG), problem(REBOOT)], (False, "unfit-reboot: gpu-lost")),
    ],
)  # fmt: skip
def test_only_problems_that_make_the_node_unfit_are_in_the_reason(problems: list[Problem], expected: tuple[bool, str]) -> None:
    assert fit_and_reason(*problems) == expected


@pytest.mark.parametrize(
    ("problems", "expected"),
    [
        ([], False),
        ([problem(WATCH, "gpu-xid")], False),
        ([problem(REBOOT, "gpu-xid")], True),
        ([problem(REBOOT, "gpu-xid"), problem(REBOOT, "gpu-lost")], False),
        ([problem(REBOOT, "gpu-xid"), problem(WATCH, "gpu-lost")], True),
        ([replace(problem(REBOOT, "gpu-xid"), folded=("gpu-lost",))], False),
        ([replace(problem(REBOOT, "gpu-xid"), folded=("nvlink-down",))], True),
    ],
    ids=["fit", "watch", "log", "also seen", "also seen and watched", "folded into it", "another part folded into it"],
)
def test_a_verdict_by_the_log_alone_is_marked(problems: list[Problem], expected: bool) -> None:
    health = Health(worst(each.verdict for each in problems), tuple(problems), (), (), ())
    assert verdict(health, 1.0).log_led == expected


@pytest.mark.parametrize("part", ["Action:Replace", "aCTION:reboot"])
def test_the_reason_contains_no_action_of_hyperpod(part: str) -> None:
    assert fit_and_reason(problem(REBOOT, part=part)) == (False, "unfit-reboot")


def test_a_reason_is_short_and_printable() -> None:
    _fit, words = fit_and_reason(problem(REBOOT, part='a"\nb'), *(problem(REBOOT, part=f"GPU {number}") for number in range(99)))
    assert words.startswith("unfit-reboot: gpu-lost of a??b, ") and len(words) == 150


def test_a_saved_verdict_is_valid_for_five_minutes(tmp_path: Path) -> None:
    found = verdict(Health(FIT, (), (), (), ()), 100.0)
    save(found, str(tmp_path / "verdict"))
    assert [load(str(tmp_path / "verdict"), now) for now in (100, 400, 401, 99)] == [found, found, None, None]
    assert load(str(tmp_path / "none"), 100) is None


@pytest.mark.parametrize("words", ["", "{", "[]", '{"at": 100}', "[" * 200_000], ids=["empty", "half", "a list", "a part", "too deep"])
def test_a_damaged_verdict_counts_as_none(words: str, tmp_path: Path) -> None:
    (tmp_path / "verdict").write_text(words)
    assert load(str(tmp_path / "verdict"), 100) is None
