# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads an EKS cluster from the EKS API: its API server's endpoint, and how callers get access."""

from __future__ import annotations

import base64
import re
import typing as t
from dataclasses import dataclass

from .._aws.client import Api
from .._core.failure import Failure, refuse_option
from .._core.text import printable

Answer = t.Mapping[str, t.Any]
BY_CONFIG_MAP = "CONFIG_MAP"
"""The authenticationMode of a cluster that ignores access entries."""
_EKS = re.compile(r"(?:arn:aws[a-z-]*:eks:(?P<region>[a-z0-9-]+):\d{12}:cluster/)?(?P<name>[0-9A-Za-z][A-Za-z0-9_-]{0,99})")


def cluster_name(cluster: str, region: str | None, *, option: str = "eks_cluster") -> str:
    """
    :param cluster: a name or an ARN.
    :raises Refused: for an invalid name or ARN, and for a cluster of another Region.
    """
    match = _EKS.fullmatch(cluster)
    if match is None:
        refuse_option(option, cluster, "the name or the ARN of an EKS cluster")
    if match["region"] not in (None, region):
        refuse_option(option, cluster, f"an EKS cluster in {region}", "it is in another Region")
    return match["name"]


def describe(api: Api, name: str) -> Answer:
    """:raises AwsError: also if the cluster does not exist."""
    found: Answer = api.call("DescribeCluster", about=f"EKS cluster {name}", name=name)["cluster"]
    return found


@dataclass(frozen=True)
class ApiServer:
    host: str
    authority: bytes
    """The certificate of the API server's certificate authority."""
    login: str
    """The next step if the API server does not authenticate the caller."""


def api_server(found: Answer) -> ApiServer:
    """
    :param found: the reply of DescribeCluster.
    :raises Failure: if the cluster has no API server, or does not have it yet.
    """
    name, endpoint, authority = found["name"], found.get("endpoint"), (found.get("certificateAuthority") or {}).get("data")
    if not endpoint or authority is None:
        status = printable(str(found.get("status") or "unknown"))
        raise Failure(
            f"EKS cluster {name} has no API server; the cluster's status is {status}. If the status is CREATING, run "
            f"again once it is ACTIVE. Otherwise, see aws eks describe-cluster --name {name}."
        )
    return ApiServer(str(endpoint), base64.b64decode(authority), _login(name, found.get("accessConfig") or {}))


def _login(name: str, access: Answer) -> str:
    """The next step of a caller without access. EKS refuses access entries for a cluster that uses only its ConfigMap."""
    if access.get("authenticationMode") == BY_CONFIG_MAP:
        return (
            f"EKS cluster {name} grants access by ConfigMap aws-auth only (authenticationMode {BY_CONFIG_MAP}). Have an "
            "administrator add the ARN of the caller's role to mapRoles of aws-auth in namespace kube-system. Or enable access "
            f"entries, which cannot be undone: aws eks update-cluster-config --name {name} --access-config "
            "authenticationMode=API_AND_CONFIG_MAP, then aws eks create-access-entry."
        )
    return (
        f"EKS cluster {name} requires an access entry for the caller. Run aws eks create-access-entry --cluster-name {name} "
        "--principal-arn with the ARN of the caller's role, and give the entry a policy or groups."
    )
