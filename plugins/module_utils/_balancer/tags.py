# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Tags of load balancers and target groups, compared and planned in one way."""

from __future__ import annotations

import typing as t

from .._aws.tags import Tags, api_tags
from .._core.plan import Change, Step

Tagged = t.Callable[[t.Any, Tags], t.Any]
"""From a state to the same one with other tags of the resource."""


def tag_steps(
    resource: str, arn: str, have: Tags, want: Tags | None, *, purge: bool, tagged: Tagged
) -> tuple[Step, ...]:
    """At most one AddTags and one RemoveTags; tags of AWS itself are never removed."""
    if want is None:
        return ()
    added = {key: value for key, value in want.items() if have.get(key) != value}
    removed = [key for key in sorted(have) if purge and key not in want and not key.startswith("aws:")]
    steps = []
    if added:
        changes = tuple(Change("update", resource, f"tags.{key}", have.get(key), added[key]) for key in sorted(added))
        arguments = {"ResourceArns": [arn], "Tags": api_tags(added)}
        steps.append(Step("AddTags", arguments, changes, lambda state: tagged(state, {**have, **added})))
    if removed:
        steps.append(removal_step(resource, arn, {**have, **added}, removed, tagged=tagged))
    return tuple(steps)


def removal_step(resource: str, arn: str, have: Tags, removed: t.Sequence[str], *, tagged: Tagged) -> Step:
    changes = tuple(Change("update", resource, f"tags.{key}", have[key], None) for key in removed)
    left = {key: value for key, value in have.items() if key not in removed}
    arguments = {"ResourceArns": [arn], "TagKeys": [*removed]}
    return Step("RemoveTags", arguments, changes, lambda state: tagged(state, left))
