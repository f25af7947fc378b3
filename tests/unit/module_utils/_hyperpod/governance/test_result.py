# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is returned about task governance."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import QUOTA, SCHEDULER
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.model import Desired, Found, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.result import result

ABOUT = {"Name": "fair", "Status": "Created", "ClusterSchedulerConfigId": "a", "ClusterSchedulerConfigArn": "b"}
KEY = "cluster_scheduler_config"


def described(**more: t.Any) -> dict[str, t.Any]:
    found = Found.from_api(SCHEDULER, {**ABOUT, **more})
    return dict(result(Desired(SCHEDULER, "arn", "fair"), State(found))[KEY])


def test_a_summary_contains_the_fields_of_a_quota() -> None:
    expected = {"exists": True, "name": "fair", f"{KEY}_id": "a", f"{KEY}_arn": "b", "version": 0, "status": "Created", "failure_reason": ""}
    assert described() == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"StatusDetails": {"FairShare": "Created"}}, {"status_details": {"FairShare": "Created"}}),
        ({"FailureReason": "no\nqueue"}, {"failure_reason": "no?queue"}),
        ({"Description": "a\x1b[1m", "ClusterSchedulerConfigVersion": 3}, {"description": "a?[1m", "version": 3}),
        ({"SchedulerConfig": {"PriorityClasses": [{"Name": "a", "Weight": 1}]}}, {"priority_classes": [{"name": "a", "weight": 1}]}),
    ],
)
def test_a_description_adds_printable_details(more: dict[str, t.Any], expected: dict[str, t.Any]) -> None:
    assert described(**more) == {**described(), **expected}


def test_an_absent_quota_is_returned_by_name() -> None:
    assert result(Desired(SCHEDULER, "arn", "fair"), State()) == {KEY: {"exists": False, "name": "fair"}}
    quota = {"exists": False, "name": "q", "team_name": "a"}
    assert result(Desired(QUOTA, "arn", "q", "a"), State()) == {"compute_quota": quota}
