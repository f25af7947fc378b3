# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The returned values, and the next step for each quota that is too low or unknown."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.model import Planned, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.ec2_quota.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.model import Quota

ASKED: list[str] = []


def vpcs(*, adjustable: bool = True) -> Quota:
    return Quota("vpc", "L-F678F1CE", "VPCs per Region", 5.0, adjustable)


def pending(value: float | None):
    def read(quota: Quota) -> float | None:
        ASKED.append(quota.code)
        return value

    return read


@pytest.mark.parametrize(
    ("quota", "open_request", "step"),
    [
        (
            vpcs(), None,
            "Request 6 in Service Quotas, for example with mlfleet.hyperpod.service_quota (service_code: vpc, name: VPCs per Region), "
            "and run again after AWS has granted it.",
        ),
        (vpcs(), 6.0, "Wait until AWS has decided on the request for 6, then run again."),
        (vpcs(), 5.5, "The open request for 5.5 is less than the required 6. Wait until AWS has decided on it, then request 6."),
        (vpcs(adjustable=False), None, "AWS does not increase this quota. Plan for at most 2."),
    ],
)  # fmt: skip
def test_the_next_step_for_a_quota_that_is_too_low(quota: Quota, open_request: float | None, step: str) -> None:
    found = result(Planned(vpcs=3), State(quotas={quota.code: quota}, vpcs=3), pending(open_request))
    assert found["sufficient"] is False
    assert found["quotas"] == [{
        "name": "VPCs per Region", "service_code": "vpc", "code": "L-F678F1CE", "unit": "count", "zone": "", "instance_types": [],
        "value": 5.0, "adjustable": quota.adjustable, "used": 3, "planned": 3, "sufficient": False, "pending": open_request,
        "next_step": step,
    }]  # fmt: skip


def test_requests_are_read_only_for_quotas_that_are_too_low() -> None:
    ASKED.clear()
    known = State(quotas={"L-F678F1CE": vpcs()}, vpcs=1)
    (row,) = result(Planned(vpcs=1), known, pending(9.0))["quotas"]
    assert (row["sufficient"], row["pending"], row["next_step"], ASKED) == (True, None, "", [])
    (row,) = result(Planned(vpcs=1), State(), pending(9.0))["quotas"]
    assert (row["service_code"], row["code"], row["value"], row["adjustable"], row["sufficient"], ASKED) == ("", "", None, False, None, [])
    assert row["next_step"].startswith("Service Quotas does not list L-F678F1CE")


def test_unknown_counts_are_null() -> None:
    quota = Quota("ec2", "L-417A185B", "Running On-Demand P instances", 192.0, True)
    plan = Planned({("p5.48xlarge", "on_demand"): 1, ("p9.48xlarge", "on_demand"): 1})
    (row,) = result(plan, State(quotas={quota.code: quota}, vcpus={"p5.48xlarge": 192}), pending(None))["quotas"]
    assert (row["used"], row["planned"], row["sufficient"], row["instance_types"]) == (None, None, None, ["p5.48xlarge", "p9.48xlarge"])
    assert row["next_step"].startswith("EC2 does not describe p9.48xlarge in this Region")


@pytest.mark.parametrize(
    ("used", "listed", "expected"), [(1, True, True), (5, True, False), (1, False, None), (None, True, True)]
)
def test_all_quotas_together(used: int | None, listed: bool, expected: bool | None) -> None:
    """Two quotas: the second is listed or unknown."""
    clusters = {"L-1194D53C": Quota("eks", "L-1194D53C", "Clusters", 100.0, True)} if listed else {}
    quotas = {"L-F678F1CE": vpcs(), **clusters}
    plan = Planned(vpcs=1, eks_clusters=1) if used is not None else Planned()
    assert result(plan, State(quotas=quotas, vpcs=used or 0), pending(None))["sufficient"] is expected


def test_one_that_is_too_low_outweighs_an_unknown_one() -> None:
    assert result(Planned(vpcs=1, eks_clusters=1), State(quotas={"L-F678F1CE": vpcs()}, vpcs=5), pending(None))["sufficient"] is False
