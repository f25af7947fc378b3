# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What HyperPod requires of an EKS cluster and its subnets."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.model import (
    Chart,
    Eks,
    EksRequirement,
    NodeSubnet,
    State,
)

EKS = Eks("pods", "ACTIVE", "1.34", "API", "vpc-1", "v1.19.2-eksbuild.1")
CHART = Chart(True, "found")
FIRST = NodeSubnet("subnet-1", "vpc-1", 100, public=False, reaches_s3=True)
SECOND = NodeSubnet("subnet-2", "vpc-1", 20, public=False, reaches_s3=True)


def requirements(eks: Eks = EKS, *subnets: NodeSubnet, chart: Chart = CHART, nodes: dict[str, int] | None = None) -> dict[str, EksRequirement]:
    there = {each.id: each for each in subnets or (FIRST, SECOND)}
    found = judge(State(eks, chart, there), ["subnet-1", "subnet-2"], nodes or {})
    return {each.name: each for each in found}


def test_a_suitable_cluster_meets_all_requirements() -> None:
    found = requirements()
    cni = found["VPC CNI"]
    assert cni.needed.startswith("1.18.3 or newer, except 1.22.1 to 1.22.3, ")
    assert list(found.values()) == [
        EksRequirement("status", True, "ACTIVE", "ACTIVE"),
        EksRequirement("version", True, "1.34", "1.30 to 1.35"),
        EksRequirement("authentication mode", True, "API", "API or API_AND_CONFIG_MAP"),
        EksRequirement("VPC CNI", True, "v1.19.2-eksbuild.1", cni.needed),
        EksRequirement("HyperPod's Helm chart", True, "found", "its health-monitoring-agent in namespace aws-hyperpod"),
        EksRequirement("subnets", True, "all", "subnets that exist"),
        EksRequirement("VPC", True, "in all subnets", "all subnets in vpc-1, the VPC of the EKS cluster"),
        EksRequirement("private subnets", True, "in all subnets", "no route to an internet gateway"),
        EksRequirement("way to S3", True, "in all subnets", "an S3 endpoint or a default route"),
        EksRequirement("addresses", True, "120 free", "0 for the nodes"),
    ]


@pytest.mark.parametrize(
    ("change", "name", "met"),
    [
        ({"status": "UPDATING"}, "status", False),
        ({"version": "1.29"}, "version", False),
        ({"version": "1.30"}, "version", True),
        ({"version": "1.35"}, "version", True),
        ({"version": "1.36"}, "version", None),
        ({"authentication_mode": "API_AND_CONFIG_MAP"}, "authentication mode", True),
        ({"authentication_mode": "CONFIG_MAP"}, "authentication mode", False),
        ({"cni_version": None}, "VPC CNI", None),
        ({"cni_version": "v1.18.3-eksbuild.1"}, "VPC CNI", True),
        ({"cni_version": "v1.18.2-eksbuild.9"}, "VPC CNI", False),
        ({"cni_version": "v1.9.4-eksbuild.1"}, "VPC CNI", False),
    ],
)
def test_the_cluster_is_judged(change: dict[str, t.Any], name: str, met: bool | None) -> None:
    found = requirements(dataclasses.replace(EKS, **change))
    assert found.pop(name).met is met and all(each.met for each in found.values())


@pytest.mark.parametrize("there", [False, None])
def test_the_chart_is_judged(there: bool | None) -> None:
    assert requirements(chart=Chart(there, "x"))["HyperPod's Helm chart"].met is there


@pytest.mark.parametrize(
    ("change", "name"), [({"vpc_id": "vpc-2"}, "VPC"), ({"public": True}, "private subnets"), ({"reaches_s3": False}, "way to S3")]
)
def test_each_subnet_is_judged(change: dict[str, t.Any], name: str) -> None:
    found = requirements(EKS, FIRST, dataclasses.replace(SECOND, **change))
    assert (found[name].met, found[name].found) == (False, "not met in subnet-2")
    assert [each for each in found if not found[each].met] == [name]


def test_a_missing_subnet_is_reported() -> None:
    found = requirements(EKS, FIRST)
    assert (found["subnets"].met, found["subnets"].found) == (False, "not found: subnet-2")
    assert found["addresses"].found == "100 free"


@pytest.mark.parametrize(
    ("nodes", "met", "needed"),
    [
        ({"ml.p5.48xlarge": 1}, True, "81 for the nodes"),
        ({"ml.p5.48xlarge": 2}, False, "162 for the nodes"),
        ({"ml.p5.48xlarge": 1, "ml.m5.large": 39}, True, "120 for the nodes, assuming one for each node of type ml.m5.large"),
        ({"ml.g5.xlarge": 60, "ml.c5.large": 61}, False, "121 for the nodes, assuming one for each node of type ml.c5.large, ml.g5.xlarge"),
    ],
)
def test_free_addresses_are_compared_with_the_declared_nodes(nodes: dict[str, int], met: bool, needed: str) -> None:
    found = requirements(nodes=nodes)["addresses"]
    assert (found.met, found.needed) == (met, needed)
    assert found.to_result() == {"name": "addresses", "met": met, "found": "120 free", "needed": needed, "note": ""}


def of_version(version: str, *types: str) -> dict[str, EksRequirement]:
    eks = Eks("ml", "ACTIVE", version, "API", "vpc-1", "v1.21.2-eksbuild.1")
    return {each.name: each for each in judge(State(eks, Chart(True, "1.0")), [], dict.fromkeys(types, 1))}


@pytest.mark.parametrize(("version", "met"), [("1.29", False), ("1.30", True), ("1.35", True), ("1.36", None), ("1.37", None), ("", None)])
def test_an_unlisted_version_is_unknown(version: str, met: bool | None) -> None:
    assert of_version(version)["version"].met is met


@pytest.mark.parametrize(("status", "met"), [("ACTIVE", True), ("UPDATING", False), ("FAILED", False), ("SPLENDID", None)])
def test_an_unlisted_status_is_unknown(status: str, met: bool | None) -> None:
    eks = Eks("ml", status, "1.34", "API", "vpc-1", None)
    (found,) = [each for each in judge(State(eks, Chart(True, "1.0")), [], {}) if each.name == "status"]
    assert found.met is met


@pytest.mark.parametrize(("version", "date"), [("1.30", "2026-07-23"), ("1.31", "2026-11-26"), ("1.32", "")])
def test_the_end_of_eks_support_is_reported_with_the_version(version: str, date: str) -> None:
    note = of_version(version)["version"].note
    assert bool(note) == bool(date) and date in note


@pytest.mark.parametrize(("instance_type", "noted"), [("ml.g7.2xlarge", True), ("ml.g7e.2xlarge", False), ("ml.p5.48xlarge", False)])
def test_instance_types_without_the_agent_are_reported_with_the_chart(instance_type: str, noted: bool) -> None:
    assert (instance_type in of_version("1.34", instance_type)["HyperPod's Helm chart"].note) == noted
