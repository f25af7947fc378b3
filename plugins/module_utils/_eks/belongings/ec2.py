# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads resources of EC2 by their tags, and everything in VPCs."""

from __future__ import annotations

import dataclasses
import functools
import typing as t
from dataclasses import dataclass

from ..._aws.client import Api
from ..._aws.tags import CLUSTER_TAG, plain_tags
from ..launch_template.observe import NO_TEMPLATE
from ..launch_template.settings import Settings
from .model import Answer, Owner, Resource, unless_gone

Details = dict[str, t.Any]


def _no_status(_answer: Answer) -> str:
    return ""


@dataclass(frozen=True)
class Kind:
    """A kind of resource, and the operation that describes it."""

    kind: str
    operation: str
    key: str
    """Key of the reply."""
    id: str
    details: t.Callable[[Answer], Details]
    name: str = ""
    """Member with the name; if it is empty, the tag Name has the name."""
    status: t.Callable[[Answer], str] = _no_status
    filters: str = "Filters"
    """The parameter for filters."""
    paged: bool = True
    of_vpc: str = "vpc-id"
    """The filter for the resources of a VPC; empty if they do not block the removal of a VPC."""

    def read(self, ec2: Api, owner: Owner, by: str, values: t.Sequence[str]) -> list[Resource]:
        wanted = {self.filters: [{"Name": by, "Values": list(values)}]}
        if self.paged:
            listed = ec2.pages(self.operation, self.key, about=owner.about, **wanted)
        else:
            listed = ec2.call(self.operation, about=owner.about, **wanted).get(self.key) or []
        return [self._resource(owner, each) for each in listed]

    def _resource(self, owner: Owner, answer: Answer) -> Resource:
        tags, identifier = plain_tags(answer.get("Tags")), answer[self.id]
        name, status = answer[self.name] if self.name else tags.get("Name", ""), self.status(answer)
        return owner.resource(self.kind, identifier, tags=tags, name=name, status=status, details=self.details(answer))


def _state(answer: Answer) -> str:
    return answer.get("State") or ""


def _attached(answer: Answer) -> Answer:
    """The attachment of an internet gateway, which has at most one."""
    return next(iter(answer.get("Attachments") or ()), {})


def _nat_gateway(answer: Answer) -> Details:
    addresses = answer.get("NatGatewayAddresses") or ()
    return {
        "vpc_id": answer.get("VpcId") or "",
        "subnet_id": answer.get("SubnetId") or "",
        "allocation_id": next((each["AllocationId"] for each in addresses if each.get("AllocationId")), ""),
        "network_interface_ids": sorted(each["NetworkInterfaceId"] for each in addresses if each.get("NetworkInterfaceId")),
    }


def _elastic_ip(answer: Answer) -> Details:
    names = {"public_ip": "PublicIp", "association_id": "AssociationId", "network_interface_id": "NetworkInterfaceId"}
    return {ours: answer.get(name) or "" for ours, name in names.items()}


def _route_table(answer: Answer) -> Details:
    associations = answer.get("Associations") or ()
    return {
        "vpc_id": answer.get("VpcId") or "",
        "main": any(each.get("Main") for each in associations),
        "association_ids": sorted(each["RouteTableAssociationId"] for each in associations if not each.get("Main")),
    }


def _vpc_endpoint(answer: Answer) -> Details:
    return {
        "vpc_id": answer.get("VpcId") or "",
        "type": answer.get("VpcEndpointType") or "",
        "service_name": answer.get("ServiceName") or "",
        "subnet_ids": sorted(answer.get("SubnetIds") or ()),
        "network_interface_ids": sorted(answer.get("NetworkInterfaceIds") or ()),
    }


def _volume(answer: Answer) -> Details:
    attachment: Answer = next(iter(answer.get("Attachments") or ()), {})
    return {
        "size": answer.get("Size"),
        "type": answer.get("VolumeType") or "",
        "availability_zone": answer.get("AvailabilityZone") or "",
        "instance_id": attachment.get("InstanceId") or "",
        "delete_on_termination": bool(attachment.get("DeleteOnTermination")),
    }


def _subnet(answer: Answer) -> Details:
    return {"vpc_id": answer["VpcId"], "availability_zone": answer["AvailabilityZone"], "cidr_block": answer["CidrBlock"]}


TEMPLATES = Kind(
    *("launch_template", "DescribeLaunchTemplates", "LaunchTemplates", "LaunchTemplateId"),
    details=lambda answer: {"default_version": answer.get("DefaultVersionNumber"), "instance_type": "", "volume_size": None},
    name="LaunchTemplateName",
    of_vpc="",
)
KINDS = (
    TEMPLATES,
    Kind(
        *("placement_group", "DescribePlacementGroups", "PlacementGroups", "GroupName"),
        details=lambda answer: {"strategy": answer.get("Strategy") or ""},
        name="GroupName",
        status=_state,
        paged=False,
        of_vpc="",
    ),
    Kind(
        *("security_group", "DescribeSecurityGroups", "SecurityGroups", "GroupId"),
        details=lambda answer: {"vpc_id": answer.get("VpcId") or ""},
        name="GroupName",
    ),
    Kind(
        *("vpc", "DescribeVpcs", "Vpcs", "VpcId"),
        details=lambda answer: {"cidr_block": answer["CidrBlock"]},
        status=_state,
        of_vpc="",
    ),
    Kind(*("subnet", "DescribeSubnets", "Subnets", "SubnetId"), details=_subnet, status=_state),
    Kind(
        *("internet_gateway", "DescribeInternetGateways", "InternetGateways", "InternetGatewayId"),
        details=lambda answer: {"vpc_id": _attached(answer).get("VpcId") or ""},
        status=lambda answer: _state(_attached(answer)),
        of_vpc="attachment.vpc-id",
    ),
    Kind(
        *("nat_gateway", "DescribeNatGateways", "NatGateways", "NatGatewayId"),
        details=_nat_gateway,
        status=_state,
        filters="Filter",
    ),
    Kind(
        *("elastic_ip", "DescribeAddresses", "Addresses", "AllocationId"),
        details=_elastic_ip,
        paged=False,
        of_vpc="",
    ),
    Kind(*("route_table", "DescribeRouteTables", "RouteTables", "RouteTableId"), details=_route_table),
    Kind(*("vpc_endpoint", "DescribeVpcEndpoints", "VpcEndpoints", "VpcEndpointId"), details=_vpc_endpoint, status=_state),
)
VOLUMES = Kind(*("ebs_volume", "DescribeVolumes", "Volumes", "VolumeId"), details=_volume, status=_state, of_vpc="")


def read(ec2: Api, owner: Owner) -> t.Iterator[Resource]:
    """The resources with the tag of the cluster, and the volumes that Kubernetes created."""
    for kind in KINDS:
        found = [each for each in kind.read(ec2, owner, f"tag:{CLUSTER_TAG}", [owner.arn]) if each.ours]
        yield from _with_defaults(ec2, found) if kind is TEMPLATES else found
    yield from VOLUMES.read(ec2, owner, f"tag:kubernetes.io/cluster/{owner.name}", ["owned"])


def _with_defaults(ec2: Api, templates: t.Iterable[Resource]) -> t.Iterator[Resource]:
    """The launch templates with values of their default versions. A template that is removed during the calls is omitted."""
    for each in templates:
        wanted = {"LaunchTemplateId": each.id, "Versions": ["$Default"]}
        read_version = functools.partial(
            ec2.call, "DescribeLaunchTemplateVersions", about=f"launch template {each.name}", **wanted
        )
        answer = unless_gone(read_version, NO_TEMPLATE)
        if answer is None:
            continue
        version: Answer = next(iter(answer["LaunchTemplateVersions"]), {})
        settings = Settings.from_api(version.get("LaunchTemplateData") or {})
        values = {"instance_type": settings.instance_type, "volume_size": settings.volume_size}
        yield dataclasses.replace(each, details={**each.details, **values})
