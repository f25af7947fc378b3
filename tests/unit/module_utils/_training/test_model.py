# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requirements of a job, and the status of its problems."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import Desired, Problem, status


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([], "passed"),
        (["log-not-read"], "not_run"),
        (["log-not-read", "deadline"], "failed"),
        (["deadline"], "failed"),
        (["a-later-code"], "failed"),
    ],
)
def test_the_status_follows_from_the_problems(codes: list[str], expected: str) -> None:
    assert status([Problem(code, "x") for code in codes]) == expected


def test_ranks_are_counted() -> None:
    assert Desired(nodes=3, processes=8, steps=1, deadline=1).ranks == 24
