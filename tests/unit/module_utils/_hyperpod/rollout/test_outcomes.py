# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Only a cluster for which the playbook ran to its end is done."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.outcomes import Result, outcomes


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (None, "pending"),  # the run was refused, or interrupted before the cluster
        (Result("unchanged", ended=True), "done"),
        (Result("changed", ended=True), "done"),
        (Result("changed"), "pending"),
        (Result("unchanged"), "pending"),
        (Result("degraded", ended=True), "degraded"),
        (Result("degraded"), "pending"),
        (Result("failed"), "failed"),
        (Result("failed", ended=True), "failed"),
        (Result("skipped", locked=True, ended=True), "locked"),
        (Result("degraded", locked=True, ended=True), "locked"),
        (Result("skipped", ended=True), "pending"),
        (Result("splendid", ended=True), "pending"),
    ],
)
def test_the_outcome_of_a_cluster(result: Result | None, expected: str) -> None:
    assert outcomes(["a"], {"a": result} if result else {}) == {"a": expected}
