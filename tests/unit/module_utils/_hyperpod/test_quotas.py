# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The quotas that a plan affects, and whether they suffice."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.quotas import (
    Planned,
    Use,
    by_cluster,
    nodes_of,
    read,
    used,
    uses,
)

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def45"
P5, G5 = "ml.p5.48xlarge", "ml.g5.8xlarge"
ALL, ALL_SPOT = (f"Total number of {kind}instances allowed across SageMaker HyperPod clusters" for kind in ("", "Spot "))
ONE = "Maximum number instances allowed per SageMaker HyperPod cluster"
VOLUME = "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance"


class Quota:
    def __init__(self, value: float, *, code: str = "L-1", adjustable: bool = True) -> None:
        self.value, self.code, self.adjustable = value, code, adjustable


class Quotas:
    """Values of Service Quotas by name."""

    def __init__(self) -> None:
        self.known: dict[str, Quota] = {}
        self.requested: list[str] = []

    def named(self, service: str, names: t.Sequence[str]) -> dict[str, Quota]:
        assert service == "sagemaker"
        self.requested += names
        return {name: self.known[name] for name in names if name in self.known}

    def pending(self, quota: Quota) -> float | None:
        return 64.0 if quota.code == "L-1" else None


def params(*planned: tuple[str, int, bool], cluster_nodes: int = 0, volume: int = 0) -> dict[str, t.Any]:
    nodes = [{"instance_type": name, "count": count, "spot": spot} for name, count, spot in planned]
    return {"planned": nodes or None, "cluster_nodes": cluster_nodes, "volume_size_in_gb": volume}


def group(name: str, current: int, target: int | None = None, **more: t.Any) -> dict[str, t.Any]:
    return {"InstanceType": name, "CurrentCount": current, "TargetCount": current if target is None else target, **more}


def test_counts_of_a_type_are_summed() -> None:
    found = Planned.from_options(params((P5, 2, False), (P5, 3, False), (P5, 1, True), cluster_nodes=8, volume=500))
    assert found == Planned({(P5, False): 5, (P5, True): 1}, 8, 500)
    assert Planned.from_options(params()) == Planned({}) == Planned({}, 0, 0)


@pytest.mark.parametrize(
    ("given", "option"),
    [
        (params(("p5", 1, False)), "planned.instance_type"),
        (params((P5, -1, False)), "planned.count"),
        (params((P5, 10**6, False)), "planned.count"),
        (params(cluster_nodes=-1), "cluster_nodes"),
        (params(cluster_nodes=10**6), "cluster_nodes"),
        (params(volume=-1), "volume_size_in_gb"),
        (params(volume=16385), "volume_size_in_gb"),
    ],
)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str) -> None:
    with pytest.raises(Refused, match=f"^{option}: "):
        Planned.from_options(given)
    assert Planned.from_options(params((P5, 0, False), volume=16384)).volume_size == 16384


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({}, {}),
        ({"InstanceGroups": [group(P5, 2, 3), group(P5, 4, 1)]}, {(P5, False): 7}),
        ({"RestrictedInstanceGroups": [group(P5, 1)], "InstanceGroups": [group(P5, 2)]}, {(P5, False): 3}),
        ({"InstanceGroups": [group(P5, 1, CapacityRequirements={"Spot": {}}), group(P5, 2)]}, {(P5, True): 1, (P5, False): 2}),
        ({"InstanceGroups": [group(P5, 2, CapacityRequirements={"OnDemand": {}})]}, {(P5, False): 2}),
        ({"InstanceGroups": [{"InstanceRequirements": {"CurrentInstanceTypes": [G5, P5]}, "CurrentCount": 1}]}, {(G5, False): 1}),
        ({"InstanceGroups": [{"TargetCount": 1}]}, {("unknown", False): 1}),
    ],
)
def test_the_nodes_of_a_cluster_are_counted_by_type(answer: dict[str, t.Any], expected: dict[tuple[str, bool], int]) -> None:
    assert nodes_of(answer) == expected


def answer(stub: t.Any, *arns: str) -> None:
    """Each of these clusters has two nodes."""
    about = {"ClusterName": "ml", "ClusterStatus": "InService"}
    summaries = [{**about, "ClusterArn": arn, "CreationTime": datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)} for arn in arns]
    stub.add_response("list_clusters", {"ClusterSummaries": summaries})
    for arn in arns:
        stub.add_response("describe_cluster", {**about, "ClusterArn": arn, "InstanceGroups": [group(P5, 2)]}, {"ClusterName": arn})


def test_the_nodes_of_all_clusters_are_counted(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    arns = [f"{ARN}{number}" for number in (1, 2)]
    for _turn in range(2):
        answer(stub, *arns)
    assert by_cluster(HyperPod(client)) == {arn: {(P5, False): 2} for arn in arns}
    assert used(HyperPod(client)) == {(P5, False): 4}


@pytest.mark.parametrize(
    ("planned", "there", "expected"),
    [
        (Planned({}), {}, [Use(ALL, 0, 0)]),
        (Planned({(P5, False): 2}), {(P5, False): 3, (G5, False): 1, ("ml.old", False): 0}, [
            Use(f"{G5} for cluster usage", 1, 0), Use(f"{P5} for cluster usage", 3, 2), Use(ALL, 4, 2),
        ]),
        (Planned({(P5, True): 2}), {(P5, False): 3, (P5, True): 1}, [
            Use(f"{P5} for cluster usage", 3, 0), Use(f"{P5} for cluster spot instance usage", 1, 2), Use(ALL, 4, 2), Use(ALL_SPOT, 1, 2),
        ]),
        (Planned({}, 8, 500), {}, [Use(ALL, 0, 0), Use(ONE, 0, 8), Use(VOLUME, 0, 500)]),
    ],
)
def test_affected_quotas_are_listed_with_their_use(planned: Planned, there: dict[tuple[str, bool], int], expected: list[Use]) -> None:
    assert uses(planned, there) == expected


@pytest.mark.parametrize(
    ("value", "code", "pending", "enough"),
    [(5.0, "L-1", None, True), (4.0, "L-1", 64.0, False), (4.0, "L-2", None, False), (6.0, "L-1", None, True)],
)
def test_a_pending_request_is_looked_up_if_a_quota_is_too_low(
    stubbed: t.Any, value: float, code: str, pending: float | None, enough: bool
) -> None:
    client, stub = stubbed("sagemaker")
    answer(stub, f"{ARN}6")
    quotas = Quotas()
    quotas.known = {f"{P5} for cluster usage": Quota(value, code=code)}
    found = read(HyperPod(client), quotas, Planned({(P5, False): 3}))
    of_all = {"name": ALL, "quota_code": "", "used": 2, "planned": 3, "applied": None, "pending": None, "adjustable": False, "enough": None}
    of_type = {"used": 2, "planned": 3, "applied": value, "pending": pending, "adjustable": True, "enough": enough}
    assert found == {"quotas": [{"name": f"{P5} for cluster usage", "quota_code": code, **of_type}, of_all], "enough": enough}
    assert quotas.requested == [f"{P5} for cluster usage", ALL]
