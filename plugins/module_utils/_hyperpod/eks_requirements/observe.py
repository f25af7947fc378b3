# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads an EKS cluster, its network add-on, and the routes of subnets."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, AwsError
from ..._aws.network import filters
from ..._core.failure import Failure
from ..._kubernetes.client import Kubernetes
from .. import health_agent
from .model import Chart, Eks, NodeSubnet, State

Answer = t.Mapping[str, t.Any]
CNI = "vpc-cni"
ACTIVE = "active"
"""The state of a usable route."""
DEFAULT = ("0.0.0.0/0", "::/0")


def observe(eks: Api, ec2: Api, kubernetes: t.Callable[[], Kubernetes], name: str, subnets: t.Sequence[str]) -> State:
    """
    :param kubernetes: connects to the EKS cluster's API server.
    :raises AwsError: also if the EKS cluster does not exist.
    """
    about = f"EKS cluster {name}"
    found = eks.call("DescribeCluster", about=about, name=name)["cluster"]
    cluster = Eks(
        name=name,
        status=found.get("status", ""),
        version=found.get("version", ""),
        authentication_mode=(found.get("accessConfig") or {}).get("authenticationMode", "CONFIG_MAP"),
        vpc_id=(found.get("resourcesVpcConfig") or {}).get("vpcId", ""),
        cni_version=_cni(eks, name, about),
    )
    return State(cluster, _chart(kubernetes), _subnets(ec2, subnets))


def _chart(kubernetes: t.Callable[[], Kubernetes]) -> Chart:
    """An unreachable API server leaves the chart unknown and does not stop the other checks."""
    try:
        version = health_agent.version(kubernetes())
    except Failure as failure:
        return Chart(None, f"not checked: {str(failure).rstrip('.')}")
    return Chart(version is not None, version or "missing")


def _cni(eks: Api, name: str, about: str) -> str | None:
    try:
        return str(eks.call("DescribeAddon", about=about, clusterName=name, addonName=CNI)["addon"]["addonVersion"])
    except AwsError as error:
        if error.code == "ResourceNotFoundException":
            return None
        raise


def _subnets(ec2: Api, ids: t.Sequence[str]) -> dict[str, NodeSubnet]:
    about = ", ".join(sorted(ids))
    found = ec2.pages("DescribeSubnets", "Subnets", about=about, **filters(subnet_id=sorted(ids)))
    vpcs = sorted({each["VpcId"] for each in found})
    if not vpcs:
        return {}
    tables = ec2.pages("DescribeRouteTables", "RouteTables", about=about, **filters(vpc_id=vpcs))
    endpoints = ec2.pages("DescribeVpcEndpoints", "VpcEndpoints", about=about, **filters(vpc_id=vpcs))
    to_s3 = [each for each in endpoints if each["ServiceName"].endswith(".s3") and each.get("State", "").lower() == "available"]
    return {each["SubnetId"]: _subnet(each, _table(each, tables), to_s3) for each in found}


def _table(subnet: Answer, tables: t.Sequence[Answer]) -> Answer:
    """The route table of a subnet: its own, or else the main one of its VPC."""
    main: Answer = {}
    for table in tables:
        for association in table.get("Associations") or ():
            if association.get("SubnetId") == subnet["SubnetId"]:
                return table
            if association.get("Main") and table["VpcId"] == subnet["VpcId"]:
                main = table
    return main


def _subnet(subnet: Answer, table: Answer, to_s3: t.Sequence[Answer]) -> NodeSubnet:
    routes = [route for route in table.get("Routes") or () if route.get("State", ACTIVE) == ACTIVE]
    by_default = [
        route for route in routes if route.get("DestinationCidrBlock", route.get("DestinationIpv6CidrBlock")) in DEFAULT
    ]
    endpoint = any(
        each["VpcId"] == subnet["VpcId"]
        and (each.get("VpcEndpointType", "Gateway") != "Gateway" or table.get("RouteTableId") in (each.get("RouteTableIds") or ()))
        for each in to_s3
    )
    return NodeSubnet(
        id=subnet["SubnetId"],
        vpc_id=subnet["VpcId"],
        free=subnet.get("AvailableIpAddressCount", 0),
        public=any(str(route.get("GatewayId", "")).startswith("igw-") for route in by_default),
        reaches_s3=endpoint or bool(by_default),
    )
