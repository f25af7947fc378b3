# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the log groups of a cluster. EKS and Container Insights create them without tags, and they outlive the cluster."""

from __future__ import annotations

import functools
import typing as t

from ..._aws.client import Api
from .model import Answer, Owner, Resource, unless_gone

NOT_FOUND = "ResourceNotFoundException"


def read(logs: Api, owner: Owner) -> t.Iterator[Resource]:
    control_plane, insights = f"/aws/eks/{owner.name}/cluster", f"/aws/containerinsights/{owner.name}/"
    for prefix, exact in ((control_plane, True), (insights, False)):
        listed = logs.pages("DescribeLogGroups", "logGroups", about=f"log groups {prefix}", logGroupNamePrefix=prefix)
        for group in listed:
            if not exact or group["logGroupName"] == prefix:
                found = unless_gone(functools.partial(_group, logs, owner, group), NOT_FOUND)
                if found is not None:
                    yield found


def _group(logs: Api, owner: Owner, group: Answer) -> Resource:
    name, arn = group["logGroupName"], group["arn"].removesuffix(":*")
    tags = logs.call("ListTagsForResource", about=f"log group {name}", resourceArn=arn).get("tags") or {}
    details = {"stored_bytes": group.get("storedBytes"), "retention_days": group.get("retentionInDays")}
    return owner.resource("log_group", name, tags=tags, name=name, details=details)
