# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""All refusals of a structure instead of the first one, for callers that gather them; for others nothing changes.

Standard library only, Python 3.9 syntax: this file also runs on cluster nodes.
"""

from __future__ import annotations

import contextlib
import contextvars
import typing as t

from .failure import Refused

T = t.TypeVar("T")
_GATHERED: contextvars.ContextVar[list[Refused] | None] = contextvars.ContextVar("gathered", default=None)


class Several(Refused):
    """Parts of a structure were refused; their own refusals are gathered already."""


class Part:
    """``with`` around a part whose refusal must not hide refusals of the other parts."""

    def __init__(self) -> None:
        self.refused = False

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: t.Any, error: t.Any, _traceback: t.Any) -> bool:
        gathered = _GATHERED.get()
        if gathered is None or not isinstance(error, Refused):
            return False
        self.refused = True
        if not isinstance(error, Several):
            gathered.append(error)
        return True


@contextlib.contextmanager
def parts() -> t.Iterator[Part]:
    """Around all parts of a structure; fails at its end if a part was refused.

    :raises Several: to the caller that gathers.
    """
    part = Part()
    yield part
    if part.refused:
        raise Several


def made(make: t.Callable[[T], t.Any], items: t.Iterable[T]) -> list[t.Any]:
    """``make`` of each item."""
    found = []
    with parts() as part:
        for each in items:
            with part:
                found.append(make(each))
    return found


def refusals(make: t.Callable[..., t.Any], *given: t.Any) -> list[str]:
    """The refusals of ``make``, in order and without duplicates."""
    gathered: list[Refused] = []
    token = _GATHERED.set(gathered)
    try:
        with Part():
            make(*given)
    finally:
        _GATHERED.reset(token)
    return list(dict.fromkeys(map(str, gathered)))
