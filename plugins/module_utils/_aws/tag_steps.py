# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Steps that change the tags of a resource; APIs of AWS differ in how they are called."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._core.plan import Change, Step
from .tags import Tags, api_tags


@dataclass(frozen=True)
class Tagging:
    """How an API adds and removes tags."""

    add: str
    remove: str
    arn: str
    """Parameter that names the resource, or in the plural resources."""
    tags: str = "Tags"
    keys: str = "TagKeys"

    @property
    def operations(self) -> tuple[str, str]:
        return (self.add, self.remove)


SAGEMAKER = Tagging("AddTags", "DeleteTags", "ResourceArn")
BALANCING = Tagging("AddTags", "RemoveTags", "ResourceArns")
EKS = Tagging("TagResource", "UntagResource", "resourceArn", tags="tags", keys="tagKeys")
"""Accepts tags as a mapping."""

Tagged = t.Callable[[t.Any, Tags], t.Any]
"""From a state to the same one with other tags of the resource."""


def tag_steps(
    api: Tagging, resource: str, arn: str, have: Tags, want: Tags | None, *, purge: bool, tagged: Tagged
) -> t.Iterator[Step]:
    """At most one call for added tags, and one for removed tags.

    :param want: None leaves all tags as they are.
    :param purge: removes all other tags, except those of AWS.
    """
    if want is None:
        return
    added = {key: value for key, value in sorted(want.items()) if have.get(key) != value}
    removed = [key for key in sorted(have) if purge and key not in want and not key.startswith("aws:")]
    if added:
        changes = tuple(Change("update", resource, f"tags.{key}", have.get(key), value) for key, value in added.items())
        arguments = {**_named(api, arn), api.tags: added if api is EKS else api_tags(added)}
        yield Step(api.add, arguments, changes, lambda state: tagged(state, {**have, **added}))
    if removed:
        yield removal_step(api, resource, arn, {**have, **added}, removed, tagged=tagged)


def removal_step(api: Tagging, resource: str, arn: str, have: Tags, removed: t.Sequence[str], *, tagged: Tagged) -> Step:
    changes = tuple(Change("update", resource, f"tags.{key}", have[key], None) for key in removed)
    left = {key: value for key, value in have.items() if key not in removed}
    return Step(api.remove, {**_named(api, arn), api.keys: [*removed]}, changes, lambda state: tagged(state, left))


def _named(api: Tagging, arn: str) -> dict[str, t.Any]:
    return {api.arn: [arn] if api.arn.endswith("s") else arn}
