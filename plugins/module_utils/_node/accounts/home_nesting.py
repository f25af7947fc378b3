# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Homes inside other homes. The owner of the outer home could replace the inner home with a folder that has different keys."""

from __future__ import annotations

import posixpath
import typing as t

Homes = t.Mapping[str, str]
"""Homes, keyed by the owner's name."""


def within(inner: Homes, outer: Homes) -> list[tuple[str, str]]:
    """Pairs of owners. The first owner's home is the home of the second owner, or is inside it."""
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
    """``path`` in normal form, so that different spellings of one folder are equal. Paths in passwd may have any spelling."""
    return posixpath.normpath("/" + path.lstrip("/"))


def _upwards(path: str) -> t.Iterator[str]:
    while path != "/":
        yield path
        path = posixpath.dirname(path)
