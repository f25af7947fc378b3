# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Tags as a mapping (in options) and as a list of pairs (in AWS's API), and the ownership of resources by tags."""

from __future__ import annotations

import typing as t

from .._core.arn import ClusterArn
from .._core.failure import Refused, refuse_option

CLUSTER_TAG = "mlfleet.hyperpod/cluster"
"""The value of this tag is the ARN of the cluster that the resource belongs to."""

Tags = t.Mapping[str, str]

_MOST_TAGS = 50


def api_tags(tags: Tags) -> list[dict[str, str]]:
    """The tags in the form that AWS accepts, sorted."""
    return [{"Key": key, "Value": value} for key, value in sorted(tags.items())]


def plain_tags(tags: t.Iterable[Tags] | None) -> dict[str, str]:
    """The tags of AWS's reply, which omits empty lists and empty values."""
    return {tag["Key"]: tag.get("Value", "") for tag in tags or ()}


def collection_tags(arn: ClusterArn, component: str) -> dict[str, str]:
    """The two tags that mark the resources of this collection."""
    return {CLUSTER_TAG: arn.text, "mlfleet.hyperpod/component": component}


def desired_tags(tags: t.Mapping[str, t.Any] | None, *, cluster_arn: str | None) -> dict[str, str] | None:
    """The tags to ensure, including the owner's tag. None, which leaves all tags unchanged, if there are neither tags nor an owner.

    :raises Refused: for a tag that AWS does not accept.
    """
    if cluster_arn is not None:
        ClusterArn.parse(cluster_arn)
    if tags is None and cluster_arn is None:
        return None
    result = {str(key): str(value) for key, value in (tags or {}).items()}
    if cluster_arn is not None:
        result[CLUSTER_TAG] = cluster_arn
    check_tags(result)
    if len(result) > _MOST_TAGS:
        refuse_option("tags", len(result), f"at most {_MOST_TAGS} tags")
    return result


def check_tags(tags: Tags, *, option: str = "tags") -> None:
    """:raises Refused: for a key or value that AWS does not accept."""
    for key, value in tags.items():
        if key.startswith("aws:") or not 1 <= len(key) <= 128:
            refuse_option(option, key, "keys of 1 to 128 characters that do not begin with aws:")
        if len(value) > 256:
            refuse_option(f"{option}.{key}", value, "values of at most 256 characters")


def owned(tags: Tags, cluster_arn: str | None) -> bool:
    """Whether a resource with these tags belongs to the cluster. True for every resource if ``cluster_arn`` is None."""
    return cluster_arn is None or tags.get(CLUSTER_TAG) == cluster_arn


def require_owned(resource: str, tags: Tags, *, cluster_arn: str | None, adopt: bool) -> None:
    """Refuse to change a resource of another owner.

    :raises Refused: if the owner's tag is missing and ``adopt`` is not set, or if the tag names another cluster.
    """
    if owned(tags, cluster_arn):
        return
    if CLUSTER_TAG in tags:
        raise Refused(
            f"{resource} belongs to {tags[CLUSTER_TAG]}, and adopt does not change this. Choose a different name."
        )
    if not adopt:
        raise Refused(
            f"{resource} exists without the tag {CLUSTER_TAG}={cluster_arn}. "
            "Choose a different name, or set adopt to add the tag."
        )
