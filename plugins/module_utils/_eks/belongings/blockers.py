# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What blocks the removal of our resources. Makes no calls."""

from __future__ import annotations

import re
import typing as t

from ..._core.text import printable
from .model import Answer, Blocker, Owner, Resource
from .network import Surroundings

GONE = ("deleted", "deleting")
"""States of gateways and endpoints that do not block."""
GUARDDUTY = re.compile(r"com\.amazonaws\.[a-z0-9-]+\.guardduty-data(-fips)?")
GUARDDUTY_GROUP = "GuardDutyManagedSecurityGroup-"
KUBERNETES_GROUP = "k8s-"
"""Start of the names of security groups that Kubernetes creates for load balancers."""
COMMANDS = {
    "subnet": "delete-subnet --subnet-id",
    "security_group": "delete-security-group --group-id",
    "internet_gateway": "detach-internet-gateway --internet-gateway-id",
    "nat_gateway": "delete-nat-gateway --nat-gateway-id",
    "route_table": "delete-route-table --route-table-id",
    "vpc_endpoint": "delete-vpc-endpoints --vpc-endpoint-ids",
}
"""The commands of ``aws ec2`` that remove a resource from a VPC."""
NODES = {
    "eks_nodegroup": ("node group", "delete-nodegroup", "--nodegroup-name"),
    "fargate_profile": ("Fargate profile", "delete-fargate-profile", "--fargate-profile-name"),
}
"""Nouns, commands of ``aws eks`` and their parameter. EKS does not delete a cluster that has one of these."""
MAKERS: tuple[tuple[t.Pattern[str], str, str, str], ...] = (
    (
        re.compile(r"ELB (?P<id>\S+)"),
        "load_balancer",
        "load balancer",
        "delete its Service or Ingress while the cluster exists; otherwise delete the load balancer",
    ),
    (
        re.compile(r"EFS mount target for (?P<of>fs-\w+) \((?P<id>fsmt-\w+)\)"),
        "efs_mount_target",
        "EFS mount target",
        "delete the mount target: aws efs delete-mount-target --mount-target-id {id}",
    ),
    (
        re.compile(r"AWS Lambda VPC ENI-(?P<id>\S+)"),
        "lambda_function",
        "Lambda function",
        "delete the function, or remove it from the VPC, and wait until Lambda has deleted its interfaces",
    ),
)
"""Descriptions of interfaces that services create, with kind, noun and next step of what they belong to."""


def blockers(
    owner: Owner,
    resources: t.Sequence[Resource],
    around: Surroundings,
    file_systems: t.Mapping[str, str],
    hyperpod: t.Iterable[str],
) -> list[Blocker]:
    """
    :param file_systems: IDs of file systems that are not ours, keyed by the ID of their network interfaces.
    :param hyperpod: ARNs of HyperPod clusters that run on the EKS cluster.
    """
    ours = {(each.kind, each.id): each for each in resources if each.ours}
    cluster = ours.get(("eks_cluster", owner.name))
    found = [*_of_hyperpod(owner, hyperpod), *_of_nodes(owner, resources, cluster), *_of_vpc(around, cluster)]
    groups = {each.id for each in resources if each.kind == "eks_nodegroup" and (each.ours or cluster is not None)}
    found += _of_interfaces(_Interfaces(owner, ours, groups, around, file_systems), around.interfaces)
    return sorted(found, key=lambda each: (each.kind, each.id))


def _of_hyperpod(owner: Owner, arns: t.Iterable[str]) -> t.Iterator[Blocker]:
    """EKS deletes a cluster under a HyperPod cluster, whose nodes then run and cost money without Kubernetes."""
    for each in arns:
        command = f"ansible-playbook mlfleet.hyperpod.cluster -e hyperpod_cluster_remove={each}"
        step = f"delete it, with --limit to its definition: {command}"
        yield Blocker("hyperpod_cluster", each, f"HyperPod cluster {each} runs on {owner.about}", step)


def _of_nodes(owner: Owner, resources: t.Iterable[Resource], cluster: Resource | None) -> t.Iterator[Blocker]:
    for each in resources:
        if cluster is not None and each.kind in NODES and not each.ours:
            noun, command, parameter = NODES[each.kind]
            text = f"{noun} {printable(each.id)} belongs to {owner.about}, and EKS does not delete a cluster with a {noun}"
            step = f"delete it: aws eks {command} --cluster-name {owner.name} {parameter} {printable(each.id)}"
            yield Blocker(each.kind, each.id, text, step)


def _of_vpc(around: Surroundings, cluster: Resource | None) -> t.Iterator[Blocker]:
    of_cluster = cluster.details["security_group_id"] if cluster is not None else ""
    for each in around.others:
        by_vpc = (each.kind == "security_group" and each.name == "default") or bool(each.details.get("main"))
        if by_vpc or each.status.lower() in GONE or each.id == of_cluster:
            continue
        named = f" ({each.name})" if each.name else ""
        text = f"{_noun(each.kind)} {each.id}{named} is in VPC {each.details['vpc_id']}, but does not have the cluster's tag"
        yield Blocker(each.kind, each.id, text, _step(each))


def _noun(kind: str) -> str:
    return {"vpc_endpoint": "VPC endpoint", "nat_gateway": "NAT gateway"}.get(kind, kind.replace("_", " "))


def _step(other: Resource) -> str:
    command = f"aws ec2 {COMMANDS[other.kind]} {other.id}"
    if other.kind == "internet_gateway":
        command += f" --vpc-id {other.details['vpc_id']}"
    if GUARDDUTY.fullmatch(other.details.get("service_name", "")):
        return f"disable the automated agent of GuardDuty Runtime Monitoring for the cluster, then delete the endpoint: {command}"
    if other.kind == "security_group" and other.name.startswith(GUARDDUTY_GROUP):
        return f"delete the VPC endpoint of GuardDuty first, then the group: {command}"
    if other.kind == "security_group" and other.name.startswith(KUBERNETES_GROUP):
        return f"delete the Services and Ingresses in Kubernetes while the cluster exists; otherwise delete the group: {command}"
    return f"remove it from the VPC: {command}"


class _Interfaces:
    """Finds the resource that a network interface belongs to."""

    def __init__(
        self,
        owner: Owner,
        ours: t.Mapping[tuple[str, str], Resource],
        groups: t.Collection[str],
        around: Surroundings,
        file_systems: t.Mapping[str, str],
    ) -> None:
        self.owner = owner
        self.ours = ours
        self.groups = groups
        """Names of node groups that go, or that are reported."""
        self.nodegroups = around.nodegroups
        self.file_systems = file_systems
        self.reported = {name for each in (*ours.values(), *around.others) for name in each.interfaces}
        """Interfaces that disappear with one of our resources, or that belong to a reported blocker."""

    def is_ours(self, interface: Answer) -> bool:
        if interface["NetworkInterfaceId"] in self.reported:
            return True
        if ("eks_cluster", self.owner.name) in self.ours and interface.get("Description") == f"Amazon EKS {self.owner.name}":
            return True
        instance = (interface.get("Attachment") or {}).get("InstanceId") or ""
        return self.nodegroups.get(instance, "") in self.groups

    def maker(self, interface: Answer) -> tuple[str, str, str, str]:
        """Kind, ID, noun and next step of the resource that the interface belongs to, or of the interface itself."""
        identifier, description = interface["NetworkInterfaceId"], printable(interface.get("Description") or "")
        file_system = self.file_systems.get(identifier)
        if file_system is not None:
            step = f"keep the VPC, or delete the file system: aws fsx delete-file-system --file-system-id {file_system}"
            return "file_system", file_system, "file system", step
        for pattern, kind, noun, step in MAKERS:
            match = pattern.fullmatch(description)
            if match is not None:
                return kind, match["id"], noun, step.format(id=match["id"])
        instance = (interface.get("Attachment") or {}).get("InstanceId")
        if instance:
            command = f"aws ec2 terminate-instances --instance-ids {instance}"
            return "instance", instance, "instance", f"delete the NodePool if Karpenter started it, or terminate it: {command}"
        by_service = bool(interface.get("RequesterManaged")) or interface.get("Status") != "available"
        step = f"delete it: aws ec2 delete-network-interface --network-interface-id {identifier}"
        if by_service:
            step = f"delete the resource that uses it; its description is {description or 'empty'}"
        return "network_interface", identifier, "network interface", step


def _of_interfaces(of: _Interfaces, interfaces: t.Iterable[Answer]) -> t.Iterator[Blocker]:
    """One blocker for each resource, with all its interfaces."""
    found: dict[tuple[str, str], tuple[str, str, list[Answer]]] = {}
    for each in interfaces:
        if not of.is_ours(each):
            kind, identifier, noun, step = of.maker(each)
            found.setdefault((kind, identifier), (noun, step, []))[2].append(each)
    for (kind, identifier), (noun, step, its) in found.items():
        places = sorted({f"{each['SubnetId']} of VPC {each['VpcId']}" for each in its})
        names = sorted(each["NetworkInterfaceId"] for each in its)
        using = "" if names == [identifier] else f" through network interface{'s' if len(names) > 1 else ''} {', '.join(names)}"
        yield Blocker(kind, identifier, f"{noun} {identifier} uses {' and '.join(places)}{using}", step)
