# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired software from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._core.arn import ClusterArn
from ..._core.checks import check_unique
from ..._core.failure import Refused, refuse_option
from ..._core.settings import checked, parameters
from ..api import HyperPod
from .model import TABLE, Desired

VERSION = r"\d+\.\d+\.\d+"
IMAGE_ID = r"ami-[0-9a-fA-F]{8,17}|default"


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    groups, image_id = params["instance_groups"], params["image_id"]
    if not groups:
        raise Refused("instance_groups: missing; the module requires the groups to update.", option="instance_groups")
    check_unique("instance_groups", [group["name"] for group in groups])
    versions = {group["name"]: group["image_release_version"] or "" for group in groups}
    for name, version in versions.items():
        if version and not re.fullmatch(VERSION, version):
            refuse_option(f"instance_groups.{name}.image_release_version", version, "a version such as 1.2.3")
        if version and image_id is not None:
            refuse_option(f"instance_groups.{name}.image_release_version", version, "no version together with image_id")
    if image_id is not None and not re.fullmatch(IMAGE_ID, image_id):
        refuse_option("image_id", image_id, "an image ID such as ami-0123456789abcdef0, or default")
    return Desired(
        cluster_arn=ClusterArn.parse(params["cluster_arn"]).text,
        versions=versions,
        image_id=image_id,
        deployment=checked(TABLE, params, within=""),
        force=params["force"],
    )


def require_known(api: HyperPod, desired: Desired) -> None:
    """:raises Refused: for a field that the installed botocore does not know."""
    api.require("UpdateClusterSoftware", "InstanceGroups", *(["ImageId"] if desired.image_id else []))
    for path in parameters(TABLE, desired.deployment):
        api.require_member("UpdateClusterSoftware", path)
    for field in ("SoftwareUpdateStatus", "ImageVersionStatus", "CurrentImageReleaseVersion"):
        api.require_answer("DescribeCluster", "InstanceGroups", field)
