# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""From what is there to what is asked: pure. Versions, modes and addresses are those of HyperPod's prerequisites for EKS."""

from __future__ import annotations

import re
import typing as t

from ..requirement import Requirement
from .model import Eks, NodeSubnet, State

OLDEST, NEWEST = (1, 30), (1, 35)
"""Kubernetes versions that HyperPod supports, as of 2026-10."""
MODES = ("API", "API_AND_CONFIG_MAP")
OLDEST_CNI = (1, 18, 3)
ADDRESSES = {"ml.p5.48xlarge": 81}
"""That a node takes in its subnets: 50 for pods and 31 for EFA. AWS names no number for other types."""


AGENT = "its health-monitoring-agent in namespace aws-hyperpod"


def judge(state: State, subnets: t.Sequence[str], nodes: t.Mapping[str, int]) -> list[Requirement]:
    """
    :param subnets: ids of those that the nodes are to be in.
    :param nodes: how many are planned, by instance type.
    """
    there = [state.subnets[each] for each in subnets if each in state.subnets]
    chart = Requirement("HyperPod's Helm chart", state.chart.there, state.chart.told, AGENT)
    return [*_of_cluster(state.eks), chart, *_of_subnets(state.eks, subnets, there), _addresses(there, nodes)]


def _of_cluster(eks: Eks) -> t.Iterator[Requirement]:
    yield Requirement("status", eks.status == "ACTIVE", eks.status, "ACTIVE")
    version = _numbers(eks.version)
    supported = f"{_dotted(OLDEST)} to {_dotted(NEWEST)}"
    yield Requirement("version", version >= OLDEST if version <= NEWEST else None, eks.version, supported)
    yield Requirement("authentication mode", eks.authentication_mode in MODES, eks.authentication_mode, " or ".join(MODES))
    needed = f"{_dotted(OLDEST_CNI)} or newer"
    if eks.cni_version is None:
        yield Requirement("VPC CNI", None, "no add-on of EKS", needed)
    else:
        yield Requirement("VPC CNI", _numbers(eks.cni_version) >= OLDEST_CNI, eks.cni_version, needed)


def _of_subnets(eks: Eks, asked: t.Sequence[str], there: t.Sequence[NodeSubnet]) -> t.Iterator[Requirement]:
    missing = sorted(set(asked) - {each.id for each in there})
    yield Requirement("subnets", not missing, f"without {_some(missing)}" if missing else "all", "subnets that exist")
    for name, wrong, needed in (
        ("VPC", [each.id for each in there if each.vpc_id != eks.vpc_id], f"all subnets in {eks.vpc_id}, that of the EKS cluster"),
        ("private subnets", [each.id for each in there if each.public], "no route to an internet gateway"),
        ("way to S3", [each.id for each in there if not each.reaches_s3], "an endpoint of S3 or a default route"),
    ):
        yield Requirement(name, not wrong, f"not so in {_some(wrong)}" if wrong else "in all subnets", needed)


def _addresses(there: t.Sequence[NodeSubnet], nodes: t.Mapping[str, int]) -> Requirement:
    needed = sum(ADDRESSES.get(name, 1) * count for name, count in nodes.items())
    free = sum(each.free for each in there)
    unknown = sorted(name for name in nodes if name not in ADDRESSES)
    told = f"{needed} for the nodes" + (f", if {_some(unknown)} take one each" if unknown else "")
    return Requirement("addresses", free >= needed, f"{free} free", told)


def _numbers(version: str) -> tuple[int, ...]:
    """``(1, 18, 3)`` of ``v1.18.3-eksbuild.1``."""
    match = re.match(r"v?(\d+(?:\.\d+)*)", version)
    return tuple(map(int, match[1].split("."))) if match else ()


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _some(names: t.Sequence[str]) -> str:
    return ", ".join(names)
