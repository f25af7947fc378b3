# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads network interfaces and other resources that may block the removal of our VPC and our security groups."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._aws.client import Api
from ..._aws.network import filters
from ..._aws.tags import plain_tags
from .ec2 import KINDS
from .model import Answer, Owner, Resource

MOST = 200
"""Maximum number of values that EC2 accepts in a filter."""


@dataclass(frozen=True)
class Surroundings:
    """What exists in our VPC besides our resources."""

    vpcs: tuple[str, ...] = ()
    """IDs of our VPCs."""
    interfaces: tuple[Answer, ...] = ()
    """Network interfaces in our VPCs, and those elsewhere that use our security groups."""
    nodegroups: t.Mapping[str, str] = field(default_factory=dict)
    """Names of the cluster's node groups, keyed by the ID of their instances."""
    others: tuple[Resource, ...] = ()
    """Resources in our VPCs that are not ours."""


def read(ec2: Api, owner: Owner, resources: t.Iterable[Resource]) -> Surroundings:
    """Makes no call if we have neither a VPC nor a security group."""
    ours = [each for each in resources if each.ours]
    vpcs = tuple(each.id for each in ours if each.kind == "vpc")
    groups = [each.id for each in ours if each.kind == "security_group" and each.details["vpc_id"] not in vpcs]
    interfaces = [*_interfaces(ec2, owner, "vpc_id", vpcs), *_interfaces(ec2, owner, "group_id", groups)]
    attached = any((each.get("Attachment") or {}).get("InstanceId") for each in interfaces)
    return Surroundings(
        vpcs=vpcs,
        interfaces=tuple(interfaces),
        nodegroups=_nodegroups(ec2, owner) if attached else {},
        others=tuple(_others(ec2, owner, vpcs)),
    )


def _interfaces(ec2: Api, owner: Owner, by: str, values: t.Sequence[str]) -> t.Iterator[Answer]:
    for start in range(0, len(values), MOST):
        wanted = filters(**{by: list(values[start : start + MOST])})
        yield from ec2.pages("DescribeNetworkInterfaces", "NetworkInterfaces", about=owner.about, **wanted)


def _nodegroups(ec2: Api, owner: Owner) -> dict[str, str]:
    """EKS tags the instances of managed node groups."""
    wanted = {"Filters": [{"Name": "tag:eks:cluster-name", "Values": [owner.name]}]}
    listed = ec2.pages("DescribeInstances", "Reservations", about=owner.about, **wanted)
    instances = [each for reservation in listed for each in reservation.get("Instances") or ()]
    return {each["InstanceId"]: plain_tags(each.get("Tags")).get("eks:nodegroup-name", "") for each in instances}


def _others(ec2: Api, owner: Owner, vpcs: t.Sequence[str]) -> t.Iterator[Resource]:
    for kind in KINDS if vpcs else ():
        if kind.of_vpc:
            yield from (each for each in kind.read(ec2, owner, kind.of_vpc, vpcs) if not each.ours)
