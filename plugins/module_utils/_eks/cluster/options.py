# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired cluster from a module's options."""

from __future__ import annotations

import ipaddress
import re
import typing as t

from ..._aws.tags import desired_tags
from ..._core.checks import check_id, check_network, check_number, check_unique
from ..._core.failure import Refused, refuse_option
from ..._kubernetes.eks import cluster_name
from ..common import check_role
from . import fields
from .model import Desired
from .ranges import cover_internet
from .versions import numbers

FEWEST_SUBNETS, MOST_GROUPS = 2, 5
SERVICES = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
SHORTEST, LONGEST = 12, 24
"""Lengths of the prefix of ``service_ipv4_cidr``."""
_KEY = re.compile(r"arn:aws[a-z-]*:kms:(?P<region>[a-z0-9-]+):\d{12}:key/[0-9a-z-]+")
_CLOSED = "ranges of your own networks, such as 203.0.113.0/24"


def desired(params: t.Mapping[str, t.Any], region: str | None) -> Desired:
    """:raises Refused: for the first invalid option."""
    cluster, version = params["eks_cluster"], params["version"]
    if version is not None:
        _check_version(version)
    _check_ids(params)
    _check_ranges(params)
    if params["role_arn"] is not None:
        check_role("role_arn", params["role_arn"])
    if params["encryption_key_arn"] is not None:
        _check_key(params["encryption_key_arn"], region)
    if params["service_ipv4_cidr"] is not None:
        _check_services(params["service_ipv4_cidr"])
    check_unique("logging", params["logging"] or ())
    return Desired(
        name=cluster_name(cluster, region),
        arn=cluster if cluster.startswith("arn:") else "",
        present=params["state"] == "present",
        version=version,
        settings=fields.given(params),
        accept_insights=tuple(params["accept_insights"]),
        tags=desired_tags(params["tags"], cluster_arn=None),
        purge_tags=params["purge_tags"],
        wait=params["wait"],
    )


def _check_version(version: str) -> None:
    if not numbers(version) or not re.fullmatch(r"1\.\d{2,3}", version):
        refuse_option("version", version, 'a version with major and minor number, such as "1.35" in quotes')


def _check_ids(params: t.Mapping[str, t.Any]) -> None:
    subnets, groups = params["subnet_ids"], params["security_group_ids"]
    for option, ids, kind in (("subnet_ids", subnets, "subnet"), ("security_group_ids", groups, "sg")):
        check_unique(option, ids or ())
        for each in ids or ():
            check_id(option, each, kind)
    if subnets is not None and len(subnets) < FEWEST_SUBNETS:
        refuse_option("subnet_ids", subnets, f"{FEWEST_SUBNETS} or more subnets in different Availability Zones")
    if groups is not None:
        check_number("security_group_ids", len(groups), 0, MOST_GROUPS)


def _check_ranges(params: t.Mapping[str, t.Any]) -> None:
    """An open API server is refused even if the cluster already has one; the omitted option leaves that unchanged."""
    option, public, ranges = "public_access_cidrs", params["endpoint_public_access"], params["public_access_cidrs"]
    if public is False and params["endpoint_private_access"] is False:
        why = "endpoint_public_access is also false, so the API server could not be reached"
        refuse_option("endpoint_private_access", False, "true", why)
    if ranges is None:
        return
    check_unique(option, [check_network(option, each) for each in ranges])
    if ranges and public is False:
        refuse_option(option, ranges, "no value", "endpoint_public_access is false")
    if not ranges and public is not False:
        refuse_option(option, ranges, _CLOSED, "without ranges, EKS opens the API server to the whole internet")
    if cover_internet(ranges):
        refuse_option(option, ranges, _CLOSED, "it opens the API server to the whole internet")


def _check_key(key: str, region: str | None) -> None:
    match = _KEY.fullmatch(key)
    if match is None:
        allowed = "the ARN of a KMS key such as arn:aws:kms:us-west-2:111111111111:key/01234567-89ab-cdef-0123-456789abcdef"
        refuse_option("encryption_key_arn", key, allowed)
    if region is not None and match["region"] != region:
        refuse_option("encryption_key_arn", key, f"a KMS key in {region}", "the key must be in the Region of the cluster")


def _check_services(cidr: str) -> None:
    allowed = f"a network in {', '.join(SERVICES)} with a prefix of {SHORTEST} to {LONGEST} bits"
    network = ipaddress.ip_network(check_network("service_ipv4_cidr", cidr))
    inside = isinstance(network, ipaddress.IPv4Network) and any(network.subnet_of(ipaddress.IPv4Network(each)) for each in SERVICES)
    if not inside or not SHORTEST <= network.prefixlen <= LONGEST:
        refuse_option("service_ipv4_cidr", cidr, allowed)


def check_creation(desired: Desired) -> None:
    """:raises Refused: for options that a new cluster requires or does not allow."""
    want, resource = desired.settings, desired.resource
    if desired.arn:
        why = "no such cluster exists, and a new cluster has no ARN yet"
        refuse_option("eks_cluster", desired.arn, "the name of the new cluster", why)
    for option in ("role_arn", "subnet_ids"):
        if option not in want:
            raise Refused(f"{option}: missing; {resource} does not exist, and its creation requires this option.", option=option)
    public, private = (want.get(each.option) for each in (fields.PUBLIC, fields.PRIVATE))
    if public is not False and not want.get(fields.CIDRS.option):
        raise Refused(
            f"public_access_cidrs: missing; {resource} would be open to the whole internet. Set public_access_cidrs, or "
            "endpoint_public_access=false and endpoint_private_access=true.",
            option="public_access_cidrs",
        )
    if public is False and not private:
        why = "endpoint_public_access is false, so the API server could not be reached"
        refuse_option("endpoint_private_access", False, "true", why)
    if want.get(fields.MODE.option) == fields.MODES[0] and not want.get(fields.CREATOR.option):
        why = f"authentication_mode is {fields.MODES[0]}, which has no other first administrator"
        refuse_option("bootstrap_creator_admin", False, "true", why)
