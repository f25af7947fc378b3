# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a cluster, its instance groups, and the related components in Kubernetes."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._aws.network import Network, filters
from ..._core.text import printable
from ..._hyperpod import health_agent
from ..._hyperpod.api import HyperPod
from ..._hyperpod.cluster_autoscaling.model import State as AutoScaling
from ..._hyperpod.model import Cluster
from ..._hyperpod.quotas import nodes_of
from ..._kubernetes.client import Kubernetes
from ..._kubernetes.kueue import topology_aware
from ..outside import groups_of
from . import keda
from .model import InKubernetes, Requested, ScaledGroup, State

Answer = t.Mapping[str, t.Any]
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
OF_KARPENTER = ("nodepools.karpenter.sh", "nodeclaims.karpenter.sh")
NODE_CLASSES = "/apis/karpenter.sagemaker.amazonaws.com/v1/hyperpodnodeclasses"
Connect = t.Callable[[str], Kubernetes]


def observe(api: HyperPod, network: Network, eks: Api, connect: Connect, requested: Requested) -> State:
    """
    :param connect: connects to the API server of the EKS cluster with the given ARN.
    :raises AwsError: also if the cluster does not exist.
    :raises KubernetesError: if the API server does not reply or does not accept the caller.
    """
    answer = api.call("DescribeCluster", about=f"cluster {requested.cluster_arn}", ClusterName=requested.cluster_arn)
    cluster = Cluster.from_api(answer)
    groups = _groups(answer, network, requested)
    return State(
        cluster=cluster,
        node_recovery=answer.get("NodeRecovery") or "",
        groups=groups,
        offered=_offered(network, groups.values()),
        kubernetes=_in_kubernetes(connect(cluster.eks_cluster_arn), eks, cluster, requested) if cluster.eks_cluster_arn else None,
        scales=AutoScaling.from_api(answer).on,
        nodes=sum(nodes_of(answer).values()),
    )


def _groups(answer: Answer, network: Network, requested: Requested) -> dict[str, ScaledGroup]:
    there = {each["InstanceGroupName"]: each for each in answer.get("InstanceGroups") or ()}
    return {
        name: ScaledGroup(
            name=name,
            nodes=max(group.current, group.target),
            types=group.types,
            flexible=group.flexible,
            zones=group.zones,
            deep_health_checks=tuple(there[name].get("OnStartDeepHealthChecks") or ()),
            training_plan=there[name].get("TrainingPlanArn") or "",
            spot=group.spot,
        )
        for name, group in groups_of(answer, network, requested.groups).items()
    }


def _offered(ec2: Api, groups: t.Iterable[ScaledGroup]) -> frozenset[tuple[str, str]]:
    types, zones = {name for group in groups for name in group.types}, {zone for group in groups for zone in group.zones}
    if not types or not zones:
        return frozenset()
    wanted = filters(instance_type=sorted(name.removeprefix("ml.") for name in types), location=sorted(zones))
    about = ", ".join(sorted(types))
    kind = {"LocationType": "availability-zone", **wanted}
    found = ec2.pages("DescribeInstanceTypeOfferings", "InstanceTypeOfferings", about=about, **kind)
    return frozenset((f"ml.{each['InstanceType']}", each["Location"]) for each in found)


def _in_kubernetes(kubernetes: Kubernetes, eks: Api, cluster: Cluster, requested: Requested) -> InKubernetes:
    name = cluster.eks_cluster_arn.rpartition("/")[2]
    return InKubernetes(
        agent=health_agent.version(kubernetes),
        definitions={name: served for name in OF_KARPENTER if (served := _served(kubernetes.find(DEFINITIONS + name)))},
        node_classes=_node_classes(kubernetes.find(NODE_CLASSES)),
        topology_aware=topology_aware(kubernetes.find),
        keda=keda.look(kubernetes, eks, name) if requested.keda_triggers else None,
    )


def _served(definition: Answer | None) -> tuple[str, ...]:
    versions = definition["spec"]["versions"] if definition else ()
    return tuple(sorted(printable(str(each["name"])) for each in versions if each["served"]))


def _node_classes(listed: Answer | None) -> dict[str, tuple[str, ...]]:
    items = listed["items"] if listed else ()
    return {each["metadata"]["name"]: tuple(each["spec"].get("instanceGroups") or ()) for each in items}
