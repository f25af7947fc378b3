# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Components of pages."""

from __future__ import annotations

import re

from .markup import Content, Html, element, joined

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?Z")


def count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def moment(said: str) -> Html:
    found = _MOMENT.fullmatch(said)
    if not found:
        return joined(said)
    return element("time", f"{found[1]} {found[2]} UTC", datetime=said)


def section(anchor: str, title: Content, *content: Content) -> Html:
    head = element("h2", title, id=f"{anchor}-title")
    return element("section", head, *content, id=anchor, aria_labelledby=f"{anchor}-title")


def folded(summary: Content, *content: Content, open_: bool = False, class_: str | None = None) -> Html:
    return element("details", element("summary", summary), *content, open=open_, class_=class_)


def number(value: int, key: str) -> Html:
    """A number from the document, with a key by which programs find it."""
    return element("span", value, data_n=key)
