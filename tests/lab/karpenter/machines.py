# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Karpenter's side towards AWS: the cluster, its groups, and the nodes that are asked for and given back."""

from __future__ import annotations

import typing as t

from lab.kubernetes.hyperpod_nodes import TYPE, ZONE, accelerators
from lab.kubernetes.kubelets import Machine

from .placing import ARCH, Offer, meets, quantity

Answer = t.Mapping[str, t.Any]


class Machines:
    """Of the HyperPod cluster that an EKS cluster belongs to."""

    def __init__(self, sagemaker: t.Any, ec2: t.Any, eks_arn: str) -> None:
        self.sagemaker = sagemaker
        self.zones: dict[str, str] = {}
        self.ec2 = ec2
        self.eks_arn = eks_arn
        self.arn = ""

    def groups(self) -> dict[str, Answer] | None:
        """Instance groups by name; None while no cluster has the autoscaler."""
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
        """Nodes of a group as a NodePool would have them."""
        template = pool["spec"]["template"]
        own = (template.get("metadata") or {}).get("labels") or {}
        made = []
        for place in self.placed(group):
            labels = {TYPE: group["InstanceType"], ZONE: place["zone"], ARCH: "amd64", **own}
            if meets(labels, template["spec"]["requirements"]):
                taints = template["spec"].get("taints") or ()
                made.append(Offer(group["InstanceGroupName"], labels, taints, resources(group["InstanceType"])))
        return made

    def nodes(self) -> dict[str, Answer]:
        pages = self.sagemaker.get_paginator("list_cluster_nodes").paginate(ClusterName=self.arn)
        return {each["InstanceId"]: each for page in pages for each in page["ClusterNodeSummaries"]}

    def add(self, group: str, token: str) -> str:
        """Why there is no node more; empty where there will be one."""
        wanted = [{"InstanceGroupName": group, "IncrementTargetCountBy": 1}]
        answer = self.sagemaker.batch_add_cluster_nodes(ClusterName=self.arn, NodesToAdd=wanted, ClientToken=token)
        return "; ".join(f"{each['ErrorCode']}: {each.get('Message', '')}" for each in answer["Failed"])

    def remove(self, instance_id: str) -> None:
        self.sagemaker.batch_delete_cluster_nodes(ClusterName=self.arn, NodeIds=[instance_id])


def resources(instance_type: str) -> dict[str, float]:
    """What a node of this type has for pods."""
    machine = Machine("", resources=accelerators(instance_type))
    return {name: quantity(value) for name, value in machine.capacity.items()}
