# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Steps that change the tags of a resource, for APIs with different operations."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._core.plan import Change, Step
from .tags import Tags, api_tags


@dataclass(frozen=True)
class Tagging:
    """The operations and parameters with which an API adds and removes tags."""

    add: str
    remove: str
    arn: str
    """The parameter that identifies the resource. A plural name takes a list."""
    tags: str = "Tags"
    keys: str = "TagKeys"
    keys_in_tags: bool = False
    """Whether each key that is removed is in a tag without a value."""
    mapping: bool = False
    """Whether the API takes tags as a mapping."""

    @property
    def operations(self) -> tuple[str, str]:
        return (self.add, self.remove)


SAGEMAKER = Tagging("AddTags", "DeleteTags", "ResourceArn")
BALANCING = Tagging("AddTags", "RemoveTags", "ResourceArns")
EKS = Tagging("TagResource", "UntagResource", "resourceArn", tags="tags", keys="tagKeys", mapping=True)
SQS = Tagging("TagQueue", "UntagQueue", "QueueUrl", mapping=True)
EC2 = Tagging("CreateTags", "DeleteTags", "Resources", keys="Tags", keys_in_tags=True)
FSX = Tagging("TagResource", "UntagResource", "ResourceARN")
EVENTS = Tagging("TagResource", "UntagResource", "ResourceARN")

Tagged = t.Callable[[t.Any, Tags], t.Any]
"""A function from a state and tags to the state in which the resource has these tags."""


def tag_steps(
    api: Tagging, resource: str, arn: str, have: Tags, want: Tags | None, *, purge: bool, tagged: Tagged
) -> t.Iterator[Step]:
    """At most one call that adds tags and one call that removes tags.

    :param want: the desired tags; None leaves all tags unchanged.
    :param purge: whether to remove all other tags, except those that AWS manages.
    """
    if want is None:
        return
    added = {key: value for key, value in sorted(want.items()) if have.get(key) != value}
    removed = [key for key in sorted(have) if purge and key not in want and not key.startswith("aws:")]
    if added:
        changes = tuple(Change("update", resource, f"tags.{key}", have.get(key), value) for key, value in added.items())
        arguments = {**_named(api, arn), api.tags: added if api.mapping else api_tags(added)}
        yield Step(api.add, arguments, changes, lambda state: tagged(state, {**have, **added}))
    if removed:
        yield removal_step(api, resource, arn, {**have, **added}, removed, tagged=tagged)


def removal_step(api: Tagging, resource: str, arn: str, have: Tags, removed: t.Sequence[str], *, tagged: Tagged) -> Step:
    changes = tuple(Change("update", resource, f"tags.{key}", have[key], None) for key in removed)
    left = {key: value for key, value in have.items() if key not in removed}
    keys = [{"Key": key} for key in removed] if api.keys_in_tags else [*removed]
    return Step(api.remove, {**_named(api, arn), api.keys: keys}, changes, lambda state: tagged(state, left))


def _named(api: Tagging, arn: str) -> dict[str, t.Any]:
    return {api.arn: [arn] if api.arn.endswith("s") else arn}
