# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Common parts of the Describe operations of all resources."""

from __future__ import annotations

import datetime
import typing as t

from .. import cloud
from ..action import Refusal


def page(name: str, items: list[dict[str, t.Any]], marker: str, size: int) -> dict[str, t.Any]:
    """A page; the marker is the index of the next item."""
    start = int(marker or "0") if (marker or "0").isdigit() else 0
    size = size or cloud.current().settings["elb_page_size"]
    following = {"NextMarker": str(start + size)} if len(items) > start + size else {}
    return {name: items[start : start + size], **following}


def chosen(items: t.Iterable[t.Any], key: str, wanted: list[str], code: str) -> list[t.Any]:
    """The items whose attribute is among the wanted values, or all items if none are wanted.

    :raises Refusal: with the code if one is missing.
    """
    items = list(items)
    if not wanted:
        return items
    found = [item for item in items if getattr(item, key) in wanted]
    missing = set(wanted) - {getattr(item, key) for item in found if not _is_invisible(item)}
    if missing:
        raise Refusal(code, f"One or more resources not found: {', '.join(sorted(missing))}")
    return found


def _is_invisible(item: t.Any) -> bool:
    age = datetime.datetime.now(datetime.timezone.utc) - item.created
    return item.unseen(age.total_seconds(), cloud.current().settings["elb_unseen_seconds"])
