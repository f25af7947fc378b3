# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Homes within homes: the owner of the outer one can put another folder, with keys, in the place of the inner one."""

from __future__ import annotations

import posixpath
import typing as t

Homes = t.Mapping[str, str]
"""By the owner's name."""


def within(inner: Homes, outer: Homes) -> list[tuple[str, str]]:
    """Pairs of owners: the home of the first is, or lies in, the home of the second."""
    owners: dict[str, list[str]] = {}
    for name, home in outer.items():
        owners.setdefault(normal(home), []).append(name)
    return [
        (name, owner)
        for name, home in inner.items()
        for folder in _upwards(normal(home))
        for owner in owners.get(folder, ())
        if owner != name
    ]


def normal(path: str) -> str:
    """``path`` without what makes two spellings of one folder; passwd holds what others wrote."""
    return posixpath.normpath("/" + path.lstrip("/"))


def _upwards(path: str) -> t.Iterator[str]:
    while path != "/":
        yield path
        path = posixpath.dirname(path)
