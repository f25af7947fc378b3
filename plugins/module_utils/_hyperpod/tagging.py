# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Steps that change the tags of a resource of SageMaker."""

from __future__ import annotations

import typing as t

from .._aws.tags import Tags, api_tags
from .._core.plan import Change, Step


def tag_steps(
    resource: str, arn: str, have: Tags, want: Tags, *, purge: bool, having: t.Callable[[t.Any, Tags], t.Any]
) -> t.Iterator[Step]:
    """Tags of AWS itself are never removed.

    :param having: The state with these tags.
    """
    added = {key: value for key, value in want.items() if have.get(key) != value}
    removed = [key for key in sorted(have) if purge and key not in want and not key.startswith("aws:")]
    if added:
        told = tuple(Change("update", resource, f"tags.{key}", have.get(key), added[key]) for key in sorted(added))
        arguments = {"ResourceArn": arn, "Tags": api_tags(added)}
        yield Step("AddTags", arguments, told, lambda state: having(state, {**have, **added}))
    if removed:
        told = tuple(Change("update", resource, f"tags.{key}", have[key], None) for key in removed)
        left = {key: value for key, value in {**have, **added}.items() if key not in removed}
        yield Step("DeleteTags", {"ResourceArn": arn, "TagKeys": removed}, told, lambda state: having(state, left))
