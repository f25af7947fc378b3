# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the IAM roles of a cluster. IAM cannot search by tag, so the roles have a path."""

from __future__ import annotations

import functools
import typing as t

from ..._aws.client import Api
from ..._aws.tags import plain_tags
from .model import Answer, Owner, Resource, unless_gone

PATH = "/hyperpod-eks/"
"""The path of the roles of all EKS clusters of this collection."""
NOT_FOUND = "NoSuchEntity"


def read(iam: Api, owner: Owner) -> t.Iterator[Resource]:
    """The roles with the tag of the cluster. A role that is removed during the calls is omitted."""
    for role in iam.pages("ListRoles", "Roles", about=f"roles with the path {PATH}", PathPrefix=PATH):
        found = unless_gone(functools.partial(_role, iam, owner, role), NOT_FOUND)
        if found is not None:
            yield found


def _role(iam: Api, owner: Owner, role: Answer) -> Resource | None:
    name = role["RoleName"]
    about, named = f"role {name}", {"RoleName": name}
    tags = plain_tags(iam.pages("ListRoleTags", "Tags", about=about, **named))
    if not owner.owns(tags):
        return None
    attached = iam.pages("ListAttachedRolePolicies", "AttachedPolicies", about=about, **named)
    inline = iam.pages("ListRolePolicies", "PolicyNames", about=about, **named)
    details = {
        "arn": role["Arn"],
        "attached_policies": sorted(each["PolicyArn"] for each in attached),
        "inline_policies": sorted(inline),
    }
    return owner.resource("iam_role", name, tags=tags, name=name, details=details)
