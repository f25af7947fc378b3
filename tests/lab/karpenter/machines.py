# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Karpenter's calls to AWS: the cluster, its groups, and requested and returned nodes."""

from __future__ import annotations

import itertools
import math
import typing as t

from lab.kubernetes.hyperpod_nodes import GROUP, TYPE, ZONE, accelerators
from lab.kubernetes.kubelets import Machine

from .objects import POOL
from .placing import ARCH, Offer, meets, quantity

Answer = t.Mapping[str, t.Any]
PRICES = {"ml.m5.large": 0.138, "ml.g5.8xlarge": 3.06, "ml.g5.12xlarge": 7.09, "ml.p4d.24xlarge": 25.91, "ml.p5.48xlarge": 66.05}
"""Approximate US dollars per hour, to choose the cheapest node. Types without a price come last."""


class Machines:
    """Machines of the HyperPod cluster on an EKS cluster."""

    def __init__(self, sagemaker: t.Any, ec2: t.Any, eks_arn: str) -> None:
        self.sagemaker = sagemaker
        self.zones: dict[str, str] = {}
        self.ec2 = ec2
        self.eks_arn = eks_arn
        self.arn = ""

    def groups(self) -> dict[str, Answer] | None:
        """Instance groups by name; None if no cluster has the autoscaler."""
        for summary in self.sagemaker.list_clusters()["ClusterSummaries"]:
            found = self.sagemaker.describe_cluster(ClusterName=summary["ClusterArn"])
            if found.get("Orchestrator", {}).get("Eks", {}).get("ClusterArn") != self.eks_arn:
                continue
            if found.get("AutoScaling", {}).get("Status") == "InService":
                self.arn = found["ClusterArn"]
                own = found["VpcConfig"]["Subnets"]
                return {each["InstanceGroupName"]: {"Subnets": own, **each} for each in found["InstanceGroups"]}
        return None

    def placed(self, group: Answer) -> list[dict[str, str]]:
        """Subnets of a group, with their zones."""
        subnets = (group.get("OverrideVpcConfig") or {}).get("Subnets") or group["Subnets"]
        unknown = [each for each in subnets if each not in self.zones]
        for each in self.ec2.describe_subnets(SubnetIds=unknown)["Subnets"] if unknown else ():
            self.zones[each["SubnetId"]] = each["AvailabilityZone"]
        return [{"id": each, "zone": self.zones[each], "zoneId": self.zones[each]} for each in subnets]

    def offers(self, group: Answer, pool: Answer) -> list[Offer]:
        """Offers of nodes of a group for a NodePool."""
        template = pool["spec"]["template"]
        own = (template.get("metadata") or {}).get("labels") or {}
        made = []
        for instance_type, place in itertools.product(types_of(group), self.placed(group)):
            labels = {TYPE: instance_type, ZONE: place["zone"], ARCH: "amd64", **own, POOL: pool["metadata"]["name"]}
            if meets(labels, template["spec"]["requirements"]):
                taints = template["spec"].get("taints") or ()
                made.append(Offer(group["InstanceGroupName"], labels, taints, resources(instance_type)))
        return made

    def nodes(self) -> dict[str, Answer]:
        pages = self.sagemaker.get_paginator("list_cluster_nodes").paginate(ClusterName=self.arn)
        return {each["InstanceId"]: each for page in pages for each in page["ClusterNodeSummaries"]}

    def add(self, group: Answer, labels: t.Mapping[str, str], token: str) -> str:
        """Request a node in a group; return the error code, empty on success."""
        choice = {"AvailabilityZones": [labels[ZONE]]} if len(self.placed(group)) > 1 else {}
        choice |= {"InstanceTypes": [labels[TYPE]]} if len(types_of(group)) > 1 else {}
        wanted = [{"InstanceGroupName": group["InstanceGroupName"], "IncrementTargetCountBy": 1, **choice}]
        answer = self.sagemaker.batch_add_cluster_nodes(ClusterName=self.arn, NodesToAdd=wanted, ClientToken=token)
        return "; ".join(f"{each['ErrorCode']}: {each.get('Message', '')}" for each in answer["Failed"])

    def remove(self, instance_id: str) -> None:
        self.sagemaker.batch_delete_cluster_nodes(ClusterName=self.arn, NodeIds=[instance_id])


def types_of(group: Answer) -> list[str]:
    """Types of its instances: one, except for a flexible group."""
    flexible = (group.get("InstanceRequirements") or {}).get("DesiredInstanceTypes") or ()
    return [group["InstanceType"]] if "InstanceType" in group else list(flexible)


def cheapest_first(offers: t.Iterable[Offer]) -> list[Offer]:
    return sorted(offers, key=lambda offer: PRICES.get(offer.instance_type, math.inf))


def resources(instance_type: str) -> dict[str, float]:
    """Resources of a node of this type for pods."""
    machine = Machine("", resources=accelerators(instance_type))
    return {name: quantity(value) for name, value in machine.capacity.items()}


def offer_of(claim: Answer) -> Offer:
    """The offer from which a NodeClaim was created."""
    labels = claim["metadata"]["labels"]
    own = {each["key"]: each["values"][0] for each in claim["spec"]["requirements"]}
    return Offer(labels[GROUP], own, claim["spec"]["taints"], resources(own[TYPE]))
