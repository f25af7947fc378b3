# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of a listing. A token names the last item, so that no item is skipped if items change between pages."""

from __future__ import annotations

import base64
import binascii
import datetime
import json
import typing as t

from .. import cloud
from ..action import Refusal

DEFAULT_SIZE = 10

Item = t.TypeVar("Item")


def page(
    items: t.Iterable[Item],
    *,
    key: t.Callable[[Item], tuple[str, ...]],
    size: int | None,
    token: str | None,
    descending: bool,
) -> tuple[list[Item], str | None]:
    """A page in the order of ``key``, and the token of the next page if there is one."""
    ordered = sorted(items, key=key, reverse=descending)
    if token:
        last = _read(token)
        ordered = [item for item in ordered if (key(item) < last if descending else key(item) > last)]
    size = min(size or DEFAULT_SIZE, cloud.current().settings["page_size"])
    shown = ordered[:size]
    return shown, _write(key(shown[-1])) if len(ordered) > size else None


def moment(time: datetime.datetime) -> str:
    """A time as a part of a key."""
    return time.isoformat(timespec="milliseconds")


def within(time: datetime.datetime, after: t.Any, before: t.Any) -> bool:
    """CreationTimeAfter and CreationTimeBefore."""
    return (after is None or time >= _aware(after)) and (before is None or time <= _aware(before))


def _aware(value: t.Any) -> datetime.datetime:
    if isinstance(value, (int, float)):
        return datetime.datetime.fromtimestamp(value, datetime.timezone.utc)
    return value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)


def _write(key: tuple[str, ...]) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode()


def _read(token: str) -> tuple[str, ...]:
    try:
        return tuple(json.loads(base64.urlsafe_b64decode(token.encode())))
    except (ValueError, binascii.Error) as error:
        raise Refusal("ValidationException", "Invalid NextToken") from error
