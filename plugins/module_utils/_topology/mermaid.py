# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Draws the tree as a Mermaid flowchart. Names are untrusted, so codes replace the characters that have a meaning in Mermaid."""

from __future__ import annotations

import re
import typing as t

from .model import Domain, Place

ROOT, UNKNOWN = "A", "U"
TITLE, NO_TOPOLOGY = "Cluster Topology", "No topology data"
CODES = {'"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "#": "#35;", "`": "#96;"}
"""The codes with which Mermaid shows these characters in a quoted text."""


def mermaid(root: Domain) -> str:
    """The flowchart: one line per box and its parent, from the top down."""
    ids = _Ids()
    lines = ["flowchart TD", f'    {ROOT}["{TITLE}"]', *_children(root, ROOT, ids)]
    if root.places:
        lines += [f'    {ROOT} --> {UNKNOWN}["{NO_TOPOLOGY}"]', *_places(root.places, UNKNOWN, ids)]
    return "\n".join(lines) + "\n"


class _Ids:
    """Creates the identifiers of boxes, which may have few characters. An identifier that is already in use gets a number."""

    def __init__(self) -> None:
        self.taken: set[str] = {ROOT, UNKNOWN}

    def of(self, begin: str, name: str) -> str:
        plain = f"{begin}_{re.sub('[^a-zA-Z0-9]', '_', name)}"
        made, number = plain, 2
        while made in self.taken:
            made, number = f"{plain}_{number}", number + 1
        self.taken.add(made)
        return made


def _children(domain: Domain, box: str, ids: _Ids) -> t.Iterator[str]:
    for child in domain.children:
        own = ids.of(f"L{child.layer}", child.name)
        yield f'    {box} --> {own}["Layer {child.layer}: {_text(child.name)}"]'
        yield from _children(child, own, ids)
        yield from _places(child.places, own, ids)


def _places(places: t.Iterable[Place], box: str, ids: _Ids) -> t.Iterator[str]:
    for place in places:
        yield f'    {box} --> {ids.of("N", place.name)}["{_label(place)}"]'


def _label(place: Place) -> str:
    """The names of the node and its UltraServer, which has no box, because its nodes may be below several network nodes."""
    return _text(f"{place.name}, UltraServer {place.ultraserver}" if place.ultraserver else place.name)


def _text(name: str) -> str:
    return "".join(CODES.get(sign, sign) for sign in name)
