# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Tags of load balancers and target groups, compared and planned in one way."""

from __future__ import annotations

from .._aws.tags import api_tags
from .._core.plan import Change, Step
from .model import Tags


def tag_steps(resource: str, arn: str, have: Tags, want: Tags | None, *, purge: bool) -> tuple[Step, ...]:
    """At most one AddTags and one RemoveTags; tags of AWS itself are never removed."""
    if want is None:
        return ()
    added = {key: value for key, value in want.items() if have.get(key) != value}
    removed = [key for key in sorted(have) if purge and key not in want and not key.startswith("aws:")]
    steps = []
    if added:
        changes = tuple(Change("update", resource, f"tags.{key}", have.get(key), added[key]) for key in sorted(added))
        steps.append(Step("AddTags", {"ResourceArns": [arn], "Tags": api_tags(added)}, changes))
    if removed:
        gone = tuple(Change("update", resource, f"tags.{key}", have[key], None) for key in removed)
        steps.append(Step("RemoveTags", {"ResourceArns": [arn], "TagKeys": removed}, gone))
    return tuple(steps)


def tags_after(have: Tags, want: Tags | None, *, purge: bool) -> dict[str, str]:
    """The tags that :func:`tag_steps` leads to."""
    if want is None:
        return dict(have)
    kept = {key: value for key, value in have.items() if not purge or key.startswith("aws:")}
    return {**kept, **want}
