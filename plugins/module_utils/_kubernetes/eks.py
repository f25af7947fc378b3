# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""An EKS cluster as EKS tells of it: where its API server is, and who may reach it."""

from __future__ import annotations

import re
import typing as t

from .._aws.client import Api
from .._core.failure import refuse_option

Answer = t.Mapping[str, t.Any]
_EKS = re.compile(r"(?:arn:aws[a-z-]*:eks:(?P<region>[a-z0-9-]+):\d{12}:cluster/)?(?P<name>[0-9A-Za-z][A-Za-z0-9_-]{0,99})")


def cluster_name(cluster: str, region: str | None, *, option: str = "eks_cluster") -> str:
    """
    :param cluster: name or ARN.
    :raises Refused: for what is neither, and for a cluster of another Region.
    """
    match = _EKS.fullmatch(cluster)
    if match is None:
        refuse_option(option, cluster, "the name or the ARN of an EKS cluster")
    if match["region"] not in (None, region):
        refuse_option(option, cluster, f"an EKS cluster in {region}", "it is in another Region than asked")
    return match["name"]


def describe(api: Api, name: str) -> Answer:
    """:raises AwsError: also for a cluster that is not there."""
    found: Answer = api.call("DescribeCluster", about=f"EKS cluster {name}", name=name)["cluster"]
    return found


def result(found: Answer) -> dict[str, t.Any]:
    """As a module returns it; None for what a cluster that is being made does not have yet."""
    vpc = found.get("resourcesVpcConfig") or {}
    return {
        "name": found["name"],
        "arn": found["arn"],
        "status": found.get("status"),
        "version": found.get("version"),
        "endpoint": found.get("endpoint"),
        "certificate_authority": (found.get("certificateAuthority") or {}).get("data"),
        "authentication_mode": (found.get("accessConfig") or {}).get("authenticationMode"),
        "vpc": {
            "vpc_id": vpc.get("vpcId"),
            "subnets": list(vpc.get("subnetIds") or ()),
            "security_groups": list(vpc.get("securityGroupIds") or ()),
            "cluster_security_group": vpc.get("clusterSecurityGroupId"),
            "endpoint_public_access": vpc.get("endpointPublicAccess"),
            "endpoint_private_access": vpc.get("endpointPrivateAccess"),
            "public_access_cidrs": list(vpc.get("publicAccessCidrs") or ()),
        },
    }
