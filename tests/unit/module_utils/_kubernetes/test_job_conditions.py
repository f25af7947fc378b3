# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a job, from its conditions."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_conditions import conditions_of, outcome


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        (None, ""),
        ([{"type": "Suspended", "status": "True"}], ""),
        ([{"type": "Complete", "status": "True"}], "succeeded"),
        ([{"type": "Completed", "status": "True"}], "succeeded"),
        ([{"type": "Created", "status": "True"}, {"type": "Succeeded", "status": "True"}], "succeeded"),
        ([{"type": "Succeeded", "status": "False"}, {"type": "Failed", "status": "Unknown"}], ""),
        ([{"type": "Succeeded", "status": "True"}, {"type": "Failed", "status": "True"}], "failed"),
    ],
)
def test_only_conditions_that_hold_end_a_job(conditions: object, expected: str) -> None:
    assert outcome({"status": {"conditions": conditions}}) == expected


def test_conditions_that_hold_are_keyed_by_type() -> None:
    failed = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}
    assert conditions_of({"status": {"conditions": [failed, {"type": "Running", "status": "False"}]}}) == {"Failed": failed}
    assert conditions_of({}) == {}
