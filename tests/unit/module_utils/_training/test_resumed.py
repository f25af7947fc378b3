# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two jobs: does the second one continue the first?"""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import Desired, Figures
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.resumed import resumed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.verdict import judge

from .logged import Job, trained

FIRST = Figures(first_step=0, losses=tuple((n, 1.0) for n in range(1, 21)), checkpoints=((10, 3.0), (20, 2.0)), dtypes=("float32",))
SECOND = Figures(first_step=20, losses=tuple((n, 1.0) for n in range(21, 41)), validation=2.0, dtypes=("float32",))
BF16 = {"dtypes": ("bfloat16",)}


@pytest.mark.parametrize(
    ("first", "second", "codes"),
    [
        ({}, {}, []),
        ({}, {"losses": ()}, []),
        ({}, {"first_step": 10}, ["steps-counted-twice"]),
        ({}, {"losses": tuple((n, 1.0) for n in range(20, 41))}, ["steps-counted-twice"]),
        ({}, {"first_step": 25, "losses": tuple((n, 1.0) for n in range(26, 41))}, ["steps-missing"]),
        ({}, {"losses": tuple((n, 1.0) for n in range(22, 41))}, ["steps-missing"]),
        ({}, {"losses": tuple((n, 1.0) for n in range(21, 41) if n != 30)}, ["steps-missing"]),
        ({}, {"losses": tuple((n, 1.0) for n in range(21, 41) if n != 39)}, ["steps-missing"]),
        ({"losses": tuple((n, 1.0) for n in range(1, 26))}, {}, []),  # steps after the last checkpoint are lost, not counted
        ({}, {"validation": 2.0 + 1.9e-6}, []),
        ({}, {"validation": 2.0 + 2.1e-6}, ["validation-differs"]),
        ({}, {"validation": 2.0 - 2.1e-6}, ["validation-differs"]),
        (BF16, {**BF16, "validation": 2.0199}, []),
        (BF16, {**BF16, "validation": 2.0201}, ["validation-differs"]),
        ({}, {**BF16, "validation": 2.0199}, []),
        ({"dtypes": ()}, {"dtypes": (), "validation": 2.01}, ["validation-differs"]),
        ({}, {"validation": None}, ["validation-unproven"]),
        ({}, {"first_step": None}, ["resume-unproven"]),
        ({"checkpoints": ()}, {}, ["resume-unproven"]),
    ],
)
def test_the_second_job_continues_the_first(first: dict[str, t.Any], second: dict[str, t.Any], codes: list[str]) -> None:
    found = resumed(dataclasses.replace(FIRST, **first), dataclasses.replace(SECOND, **second))
    assert [problem.code for problem in found] == codes
    assert all(problem.text.count(". ") == 1 and problem.text.endswith(".") for problem in found)


def figures(job: Job, steps: int, first_step: int = 0) -> Figures:
    found = judge(Desired(2, 1, steps, 60, first_step=first_step, efa=True), job.logs())
    assert (found.status, found.problems) == ("passed", ())
    return found.figures


def test_a_resumed_job_is_compared_from_logs() -> None:
    assert resumed(figures(trained(), 20), figures(trained(first=20, steps=40), 40, 20)) == ()
