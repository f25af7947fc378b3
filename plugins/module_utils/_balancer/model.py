# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Names, ownership and the checks of options that all parts of the balancer share."""

from __future__ import annotations

import hashlib
import ipaddress
import re
import typing as t

from .._core.arn import ClusterArn
from .._core.failure import Refused, refuse_option

CLUSTER_TAG = "mlfleet.hyperpod/cluster"

Tags = t.Mapping[str, str]

_NAME = re.compile(r"^(?!internal-)[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?$")
_RESOURCE_ID = re.compile(r"^(subnet|sg|vpc)-([0-9a-f]{8}|[0-9a-f]{17})$")
_KEY_LENGTH = 16
_MOST_TAGS = 50


def balancer_name(key: str, arn: str) -> str:
    """Name of the load balancer and of the target group of one cluster, at most 28 of the 32 characters allowed.

    The hash keeps two clusters apart whose keys begin alike, and the same key in two accounts.
    """
    return "hp-" + name_suffix(key, arn)


def security_group_name(key: str, arn: str) -> str:
    """Name of the security group of the load balancer of one cluster."""
    return "mlfleet-hyperpod-" + name_suffix(key, arn)


def name_suffix(key: str, arn: str) -> str:
    """``<key>-<hash>`` with what a load balancer's name may hold."""
    readable = re.sub(r"[^A-Za-z0-9-]", "-", key)[:_KEY_LENGTH].strip("-")
    digest = hashlib.sha256(arn.encode()).hexdigest()[:8]
    return "-".join(part for part in (readable, digest) if part)


def owned(tags: Tags, cluster_arn: str | None) -> bool:
    """Whether a resource with these tags belongs to the cluster; without an owner to ask for, everything does."""
    return cluster_arn is None or tags.get(CLUSTER_TAG) == cluster_arn


def require_owned(resource: str, tags: Tags, *, cluster_arn: str | None, adopt: bool) -> None:
    """Refuse to change what somebody else made.

    :raises Refused: when the owner's tag is missing and ``adopt`` is off, or when another cluster's is there.
    """
    if owned(tags, cluster_arn):
        return
    if CLUSTER_TAG in tags:
        raise Refused(
            f"{resource} belongs to {tags[CLUSTER_TAG]}; choose another name, adopt does not take it from there."
        )
    if not adopt:
        raise Refused(
            f"{resource} exists and does not carry the tag {CLUSTER_TAG}={cluster_arn}; "
            "choose another name, or set adopt to take it over."
        )


def wanted_tags(tags: t.Mapping[str, t.Any] | None, *, cluster_arn: str | None) -> dict[str, str] | None:
    """The tags to ensure, the owner's among them; None when nothing was said about tags.

    :raises Refused: for a tag that AWS does not take.
    """
    if cluster_arn is not None:
        ClusterArn.parse(cluster_arn)
    if tags is None and cluster_arn is None:
        return None
    result = {str(key): str(value) for key, value in (tags or {}).items()}
    if cluster_arn is not None:
        result[CLUSTER_TAG] = cluster_arn
    for key, value in result.items():
        if key.startswith("aws:") or not 1 <= len(key) <= 128:
            refuse_option("tags", key, "a key has 1 to 128 characters and does not begin with aws:")
        if len(value) > 256:
            refuse_option(f"tags.{key}", value, "a value has at most 256 characters")
    if len(result) > _MOST_TAGS:
        refuse_option("tags", len(result), f"a resource has at most {_MOST_TAGS} tags")
    return result


def check_name(option: str, name: str) -> str:
    """The name of a load balancer or target group."""
    if not _NAME.match(name):
        refuse_option(
            option,
            name,
            "1 to 32 letters, digits and hyphens, with no hyphen at either end and not beginning with internal-",
        )
    return name


def check_id(option: str, value: str, kind: str) -> str:
    """An id such as ``subnet-0123456789abcdef0``; ``kind`` is the part before the hyphen."""
    match = _RESOURCE_ID.match(value)
    if match is None or match.group(1) != kind:
        refuse_option(option, value, f"it must look like {kind}-0123456789abcdef0")
    return value


def check_number(option: str, value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        refuse_option(option, value, f"allowed is {low} to {high}")
    return value


def check_port(option: str, value: int) -> int:
    return check_number(option, value, 1, 65535)


def check_ipv4(option: str, value: str) -> str:
    try:
        return str(ipaddress.IPv4Address(value))
    except ValueError:
        refuse_option(option, value, "it must be an IPv4 address such as 10.1.2.3")


def check_network(option: str, value: str) -> str:
    """A network in CIDR form, refused when bits beyond the prefix are set: AWS would store another one."""
    try:
        return str(ipaddress.ip_network(value))
    except ValueError:
        refuse_option(option, value, "it must be a network such as 10.1.0.0/16, with no bits set beyond its prefix")


def check_unique(option: str, values: t.Iterable[t.Any]) -> None:
    seen: set[t.Any] = set()
    for value in values:
        if value in seen:
            refuse_option(option, value, "each may be given once")
        seen.add(value)
