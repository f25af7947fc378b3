# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Gathers all refusals about a structure. For a caller that does not use ``refusals``, the first refusal ends the check as usual.

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
    """Parts of a structure were refused. Their refusals are already gathered, so this exception adds none."""


class Part:
    """A context manager for one part of a structure. If the caller gathers refusals, a refusal inside does not end the check."""

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
    """A context manager around all parts of a structure. After the last part it fails if any part was refused.

    :raises Several: if the caller gathers refusals and a part was refused.
    """
    part = Part()
    yield part
    if part.refused:
        raise Several


def made(make: t.Callable[[T], t.Any], items: t.Iterable[T]) -> list[t.Any]:
    """The results of ``make`` for all items."""
    found = []
    with parts() as part:
        for each in items:
            with part:
                found.append(make(each))
    return found


def refusals(make: t.Callable[..., t.Any], *given: t.Any) -> list[str]:
    """All refusals that ``make`` raises, in order and without duplicates."""
    gathered: list[Refused] = []
    token = _GATHERED.set(gathered)
    try:
        with Part():
            make(*given)
    finally:
        _GATHERED.reset(token)
    return list(dict.fromkeys(map(str, gathered)))
