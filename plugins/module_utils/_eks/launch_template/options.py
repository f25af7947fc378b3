# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired launch template from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._aws.tags import CLUSTER_TAG, check_tags, desired_tags
from ..._core.checks import check_id, check_length, check_number, check_unique
from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY
from ..._kubernetes.eks import cluster_name
from .model import Desired

NAME = r"[a-zA-Z0-9().\-/_]{3,128}"
TYPE = r"[a-z][a-z0-9-]*\.[a-z0-9-]+"
KEY = r"(arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:(key|alias)/[\w/-]+|alias/[\w/-]+|[0-9a-f-]{36}|mrk-[0-9a-f]{32})"
SMALLEST_VOLUME, LARGEST_VOLUME = 50, 65536
"""GiB. A Deep Learning Container has about 20 GB, and an image is pulled and unpacked on the same volume."""
MOST_GROUPS = 16
"""The highest quota of security groups of a network interface."""
LONGEST_GROUP_NAME = 255
MOST_TAGS = 40
"""EC2 accepts 50 tags, and EKS and EC2 Auto Scaling add some of their own."""
NEEDED = ("instance_type", "cluster_security_group_id")
"""Options that state=present requires."""


def desired(params: t.Mapping[str, t.Any], region: str | None, *, check_mode: bool) -> Desired:
    """:raises Refused: for the first invalid option."""
    cluster = params["eks_cluster"]
    named = cluster_name(cluster, region)
    name = params["name"]
    if not re.fullmatch(NAME, name):
        refuse_option("name", name, "3 to 128 letters, digits and characters ( ) . - / _")
    arn = cluster if cluster.startswith("arn:") else None
    if params["state"] == "absent":
        return Desired(name=name, cluster=named, cluster_arn=arn, present=False)
    for option in NEEDED:
        if not params[option]:
            raise Refused(f"{option}: missing; state=present requires it.", option=option)
    return Desired(
        name=name,
        cluster=named,
        cluster_arn=arn,
        instance_type=_instance_type(params["instance_type"]),
        cluster_security_group=_group("cluster_security_group_id", params["cluster_security_group_id"], check_mode=check_mode),
        security_groups=_groups(params, check_mode=check_mode),
        efa=params["efa"],
        reservation=_id(params, "capacity_reservation_id", "cr"),
        placement_group=_placement_group(params),
        volume_size=check_number("volume_size", params["volume_size"], SMALLEST_VOLUME, LARGEST_VOLUME),
        volume_kms_key=_key(params["volume_kms_key_id"]),
        local_storage=params["local_storage"],
        hop_limit=check_number("metadata_hop_limit", params["metadata_hop_limit"], 1, 2),
        image=_id(params, "image_id", "ami"),
        tags=_tags(params["tags"]),
        purge_tags=params["purge_tags"],
        instance_tags=_instance_tags(params["instance_tags"]),
    )


def _instance_type(name: str) -> str:
    if not re.fullmatch(TYPE, name) or name.startswith("ml."):
        refuse_option("instance_type", name, "an instance type of EC2, such as p5.48xlarge")
    return name


def _groups(params: t.Mapping[str, t.Any], *, check_mode: bool) -> tuple[str, ...]:
    given = params["security_group_ids"]
    check_unique("security_group_ids", [each for each in given if each != KNOWN_AFTER_APPLY])
    groups = {params["cluster_security_group_id"], *(_group("security_group_ids", each, check_mode=check_mode) for each in given)}
    if len(groups) > MOST_GROUPS:
        why = "the cluster security group is one of them"
        refuse_option("security_group_ids", len(groups), f"at most {MOST_GROUPS} groups for each network interface", why)
    return tuple(sorted(groups))


def _group(option: str, value: str, *, check_mode: bool) -> str:
    return value if check_mode and value == KNOWN_AFTER_APPLY else check_id(option, value, "sg")


def _id(params: t.Mapping[str, t.Any], option: str, kind: str) -> str | None:
    value = params[option]
    return check_id(option, value, kind) if value else t.cast("str | None", value)


def _placement_group(params: t.Mapping[str, t.Any]) -> str | None:
    name, reservation = params["placement_group"], params["capacity_reservation_id"]
    if name and reservation:
        why = "capacity_reservation_id is also given, and instances can use the capacity only in its own placement group"
        refuse_option("placement_group", name, "either placement_group or capacity_reservation_id", why)
    if name:
        check_length("placement_group", name, LONGEST_GROUP_NAME)
    return t.cast("str | None", name)


def _key(value: str | None) -> str | None:
    if value and not re.fullmatch(KEY, value):
        refuse_option("volume_kms_key_id", value, "the ID, alias or ARN of a KMS key, such as alias/eks-nodes")
    return value


def _tags(given: t.Mapping[str, t.Any] | None) -> dict[str, str] | None:
    if CLUSTER_TAG in (given or {}):
        refuse_option("tags", CLUSTER_TAG, "other keys", "the module sets this tag to the ARN of eks_cluster")
    return desired_tags(given, cluster_arn=None)


def _instance_tags(given: t.Mapping[str, t.Any] | None) -> dict[str, str] | None:
    if given is None:
        return None
    tags = {str(key): str(value) for key, value in given.items()}
    check_tags(tags, option="instance_tags")
    if len(tags) > MOST_TAGS:
        refuse_option("instance_tags", len(tags), f"at most {MOST_TAGS} tags")
    return tags
