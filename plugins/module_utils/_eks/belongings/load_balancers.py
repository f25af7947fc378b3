# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds load balancers that Kubernetes created for Services and Ingresses, by their tags.

The tagging API is used because it finds load balancers of all generations, and because Elastic Load Balancing cannot search by tag.
"""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._aws.tags import plain_tags
from .model import Answer, Owner, Resource

LOAD_BALANCER = "elasticloadbalancing:loadbalancer"
TYPES = {"app": "application", "net": "network", "gwy": "gateway"}
"""Types by their name in ARNs."""


def tags_of(name: str) -> tuple[tuple[str, str], ...]:
    """The tag of the controller that is part of Kubernetes, and that of the AWS Load Balancer Controller."""
    return (f"kubernetes.io/cluster/{name}", "owned"), ("elbv2.k8s.aws/cluster", name)


def read(tagging: Api, owner: Owner) -> list[Resource]:
    """Sorted by ARN. A search with several tags would return only load balancers that have all of them."""
    found: dict[str, Answer] = {}
    for key, value in tags_of(owner.name):
        wanted = {"TagFilters": [{"Key": key, "Values": [value]}], "ResourceTypeFilters": [LOAD_BALANCER]}
        for each in tagging.pages("GetResources", "ResourceTagMappingList", about=owner.about, **wanted):
            found[each["ResourceARN"]] = each
    return [_resource(owner, arn, plain_tags(found[arn].get("Tags"))) for arn in sorted(found)]


def _resource(owner: Owner, arn: str, tags: t.Mapping[str, str]) -> Resource:
    """An ARN ends with ``loadbalancer/TYPE/NAME/ID``, or with ``loadbalancer/NAME`` for the first generation."""
    parts = arn.split("/")[1:]
    kind, name = ("classic", parts[0]) if len(parts) == 1 else (TYPES.get(parts[0], parts[0]), parts[1])
    return owner.resource("load_balancer", arn, tags=tags, name=name, details={"type": kind})
