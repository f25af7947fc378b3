# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Looks at a cluster, its instance groups, and at what runs in Kubernetes beside them."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._aws.network import Network, filters
from ..._core.text import printable
from ..._kubernetes.client import Kubernetes
from ..._kubernetes.kueue import topology_aware
from .. import health_agent
from ..api import HyperPod
from ..model import Cluster
from .model import Asked, InKubernetes, ScaledGroup, State

Answer = t.Mapping[str, t.Any]
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
OF_KARPENTER = ("nodepools.karpenter.sh", "nodeclaims.karpenter.sh")
NODE_CLASSES = "/apis/karpenter.sagemaker.amazonaws.com/v1/hyperpodnodeclasses"
Connect = t.Callable[[str], Kubernetes]


def observe(api: HyperPod, network: Network, connect: Connect, asked: Asked) -> State:
    """
    :param connect: to the API server of the EKS cluster with an ARN.
    :raises AwsError: also for a cluster that does not exist.
    :raises KubernetesError: for an API server that does not answer, or does not know the caller.
    """
    answer = api.call("DescribeCluster", about=f"cluster {asked.cluster_arn}", ClusterName=asked.cluster_arn)
    cluster = Cluster.from_api(answer)
    groups = _groups(answer, cluster, network, asked)
    return State(
        cluster=cluster,
        node_recovery=answer.get("NodeRecovery") or "",
        groups=groups,
        offered=_offered(network, groups.values()),
        kubernetes=_in_kubernetes(connect(cluster.eks_cluster_arn)) if cluster.eks_cluster_arn else None,
    )


def _groups(answer: Answer, cluster: Cluster, network: Network, asked: Asked) -> dict[str, ScaledGroup]:
    there = [each for each in answer.get("InstanceGroups") or () if each["InstanceGroupName"] in asked.groups]
    subnets_of = {group.name: cluster.subnets_of(group) for group in cluster.groups}
    known = network.subnets({subnet for each in there for subnet in subnets_of[each["InstanceGroupName"]]})
    found = {}
    for each in there:
        name = each["InstanceGroupName"]
        flexible = (each.get("InstanceRequirements") or {}).get("DesiredInstanceTypes") or ()
        current = each.get("CurrentCount", 0)
        found[name] = ScaledGroup(
            name=name,
            nodes=max(current, each.get("TargetCount", current)),
            types=tuple(flexible) or (each.get("InstanceType", ""),),
            flexible=bool(flexible),
            zones=tuple(sorted({known[subnet].zone for subnet in subnets_of[name] if subnet in known})),
            deep_health_checks=tuple(each.get("OnStartDeepHealthChecks") or ()),
            training_plan=each.get("TrainingPlanArn") or "",
        )
    return found


def _offered(ec2: Api, groups: t.Iterable[ScaledGroup]) -> frozenset[tuple[str, str]]:
    types, zones = {name for group in groups for name in group.types}, {zone for group in groups for zone in group.zones}
    if not types or not zones:
        return frozenset()
    wanted = filters(instance_type=sorted(name.removeprefix("ml.") for name in types), location=sorted(zones))
    about = ", ".join(sorted(types))
    kind = {"LocationType": "availability-zone", **wanted}
    found = ec2.pages("DescribeInstanceTypeOfferings", "InstanceTypeOfferings", about=about, **kind)
    return frozenset((f"ml.{each['InstanceType']}", each["Location"]) for each in found)


def _in_kubernetes(kubernetes: Kubernetes) -> InKubernetes:
    return InKubernetes(
        agent=health_agent.version(kubernetes),
        definitions={name: served for name in OF_KARPENTER if (served := _served(kubernetes.find(DEFINITIONS + name)))},
        node_classes=_node_classes(kubernetes.find(NODE_CLASSES)),
        topology_aware=topology_aware(kubernetes.find),
    )


def _served(definition: Answer | None) -> tuple[str, ...]:
    versions = definition["spec"]["versions"] if definition else ()
    return tuple(sorted(printable(str(each["name"])) for each in versions if each["served"]))


def _node_classes(listed: Answer | None) -> dict[str, tuple[str, ...]]:
    items = listed["items"] if listed else ()
    return {each["metadata"]["name"]: tuple(each["spec"].get("instanceGroups") or ()) for each in items}
