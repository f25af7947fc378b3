# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the nodes from Kubernetes, then their instances from EC2. Kubelets and controllers write the nodes: they are untrusted."""

from __future__ import annotations

import re
import typing as t

from ..._aws.client import Api
from ..._aws.network import filters
from ..._core.text import printable
from ..._kubernetes.client import Kubernetes, Object
from ..._kubernetes.nodes import devices, labels
from .model import Instance, Reported, State

PROVIDER_ID = re.compile(r"aws:///([a-z0-9-]{1,40})/(i-[0-9a-f]{8}(?:[0-9a-f]{9})?)")
"""The provider ID of an EC2 instance, with its zone. Nodes of HyperPod and Fargate, and hybrid nodes, have other forms."""
NODE_GROUP = "eks.amazonaws.com/nodegroup"
"""The label of a node in a managed node group."""
TAG = "eks:nodegroup-name"
OF_CLUSTER, CLUSTER_TAGS = "kubernetes.io/cluster/", ("eks:cluster-name", "aws:eks:cluster-name", "eks:eks-cluster-name")
"""The prefix of a tag whose rest names a cluster, and tags whose values do. EKS sets the last one in Auto Mode."""
OWNERS = ("owned", "shared")
EFA = ("efa", "efa-only")
"""The types of network interfaces with EFA."""
MOST = 200
"""The maximum number of values of a filter."""
LONGEST = 200


def observe(kubernetes: Kubernetes, ec2: Api, cluster: str) -> State:
    """
    :raises AwsError: if EC2 refuses the request.
    :raises KubernetesError: also if the caller may not list nodes.
    """
    items = kubernetes.items(labels.NODES)
    known = devices.nodes_of(items, {})
    nodes = tuple(sorted((reported(each, known) for each in items), key=lambda each: each.name))
    return State(cluster, nodes, instances(ec2, sorted({each.instance_id for each in nodes} - {""})))


def reported(item: Object, known: t.Mapping[str, devices.Node]) -> Reported:
    meta, spec = item["metadata"], item.get("spec") or {}
    node, marks = known[meta["name"]], meta.get("labels") or {}
    match = PROVIDER_ID.fullmatch(str(spec.get("providerID") or ""))
    zone, instance_id = match.groups() if match else ("", "")
    return Reported(
        name=meta["name"],
        provider_id=_line(spec.get("providerID")),
        instance_id=instance_id,
        zone=zone,
        instance_type=_line(marks.get(labels.TYPE)),
        node_group=_line(marks.get(NODE_GROUP)),
        gpus=node.gpus,
        ready=not node.known.not_ready,
        unschedulable=node.known.unschedulable,
        taints=node.known.taints,
    )


def instances(ec2: Api, ids: t.Sequence[str]) -> dict[str, Instance]:
    """The instances that exist, keyed by ID. The call uses a filter, because one unknown ID would fail the whole call."""
    found: dict[str, Instance] = {}
    for start in range(0, len(ids), MOST):
        part = list(ids[start : start + MOST])
        listed = ec2.pages("DescribeInstances", "Reservations", about="the nodes' instances", **filters(instance_id=part))
        found |= {each["InstanceId"]: _instance(each) for reservation in listed for each in reservation["Instances"]}
    return found


def _instance(answer: t.Mapping[str, t.Any]) -> Instance:
    tags = {each["Key"]: each["Value"] for each in answer.get("Tags") or ()}
    owned = {key[len(OF_CLUSTER) :] for key, value in tags.items() if key.startswith(OF_CLUSTER) and value in OWNERS}
    interfaces = [each.get("InterfaceType") for each in answer.get("NetworkInterfaces") or ()]
    return Instance(
        id=answer["InstanceId"],
        instance_type=answer["InstanceType"],
        zone=answer["Placement"]["AvailabilityZone"],
        state=answer["State"]["Name"],
        efa_interfaces=sum(1 for each in interfaces if each in EFA),
        node_group=printable(tags.get(TAG, ""))[:LONGEST],
        clusters=frozenset({*owned, *(tags[key] for key in CLUSTER_TAGS if key in tags)}),
    )


def _line(value: t.Any) -> str:
    return printable(value or "")[:LONGEST]
