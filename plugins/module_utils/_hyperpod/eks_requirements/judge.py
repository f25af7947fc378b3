# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Compares the state with HyperPod's requirements for EKS. Source: AWS's page of prerequisites for EKS. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.bad_releases import Version, dotted, version_numbers
from .cni import cni_requirement
from .model import EKS_CLUSTER, Chart, Eks, EksRequirement, NodeSubnet, State

OLDEST, NEWEST = (1, 30), (1, 35)
"""Kubernetes versions that HyperPod supports, as of 2026-10."""
ENDS: dict[Version, str] = {(1, 30): "2026-07-23", (1, 31): "2026-11-26"}
"""The end of EKS's extended support, keyed by version, from EKS's release calendar as of 2026-11."""
MODES = ("API", "API_AND_CONFIG_MAP")
ADDRESSES = {"ml.p5.48xlarge": 81}
"""IP addresses that a node uses in its subnets: 50 for Pods and 31 for EFA. AWS documents no number for other types."""


AGENT = "its health-monitoring-agent in namespace aws-hyperpod"
WITHOUT_AGENT = ("ml.g7",)
"""Families with GPUs that the agent's DaemonSet in the chart of 2026-06 does not select."""


def judge(state: State, subnets: t.Sequence[str], nodes: t.Mapping[str, int]) -> list[EksRequirement]:
    """
    :param subnets: IDs of the nodes' subnets.
    :param nodes: numbers of planned nodes, keyed by instance type.
    """
    there = [state.subnets[each] for each in subnets if each in state.subnets]
    return [*_of_cluster(state.eks), _chart(state.chart, nodes), *_of_subnets(state.eks, subnets, there), _addresses(there, nodes)]


def _of_cluster(eks: Eks) -> t.Iterator[EksRequirement]:
    known = eks.status in EKS_CLUSTER.values
    yield EksRequirement("status", eks.status in EKS_CLUSTER.settled if known else None, eks.status, ", ".join(EKS_CLUSTER.settled))
    yield _version(eks.version)
    yield EksRequirement("authentication mode", eks.authentication_mode in MODES, eks.authentication_mode, " or ".join(MODES))
    yield cni_requirement(eks.cni_version)


def _version(version: str) -> EksRequirement:
    numbers = version_numbers(version)
    met = None if not numbers or numbers > NEWEST else numbers >= OLDEST
    end = ENDS.get(numbers, "")
    note = f"EKS's extended support of Kubernetes {version} ends on {end}, and EKS then upgrades the cluster itself" if end else ""
    return EksRequirement("version", met, version, f"{dotted(OLDEST)} to {dotted(NEWEST)}", note)


def _chart(chart: Chart, nodes: t.Iterable[str]) -> EksRequirement:
    missed = sorted(name for name in nodes if name.rpartition(".")[0] in WITHOUT_AGENT)
    note = f"The agent does not run on {_some(missed)}, so HyperPod does not monitor the health of these nodes" if missed else ""
    return EksRequirement("HyperPod's Helm chart", chart.there, chart.described, AGENT, note)


def _of_subnets(eks: Eks, required: t.Sequence[str], there: t.Sequence[NodeSubnet]) -> t.Iterator[EksRequirement]:
    missing = sorted(set(required) - {each.id for each in there})
    yield EksRequirement("subnets", not missing, f"not found: {_some(missing)}" if missing else "all", "subnets that exist")
    of_cluster = f"all subnets in {eks.vpc_id}, the VPC of the EKS cluster"
    for name, wrong, needed in (
        ("VPC", [each.id for each in there if each.vpc_id != eks.vpc_id], of_cluster),
        ("private subnets", [each.id for each in there if each.public], "no route to an internet gateway"),
        ("way to S3", [each.id for each in there if not each.reaches_s3], "an S3 endpoint or a default route"),
    ):
        yield EksRequirement(name, not wrong, f"not met in {_some(wrong)}" if wrong else "in all subnets", needed)


def _addresses(there: t.Sequence[NodeSubnet], nodes: t.Mapping[str, int]) -> EksRequirement:
    needed = sum(ADDRESSES.get(name, 1) * count for name, count in nodes.items())
    free = sum(each.free for each in there)
    unknown = sorted(name for name in nodes if name not in ADDRESSES)
    needs = f"{needed} for the nodes" + (f", assuming one for each node of type {_some(unknown)}" if unknown else "")
    return EksRequirement("addresses", free >= needed, f"{free} free", needs)


def _some(names: t.Sequence[str]) -> str:
    return ", ".join(names)
