# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HTML as values. Only this module turns text into markup and escapes it, so that no caller can forget to escape."""

from __future__ import annotations

import html
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable

_VOID = frozenset({"br", "input", "meta"})


@dataclass(frozen=True)
class Html:
    """Markup; created only by the functions of this file, never directly from a report's text."""

    markup: str


Content = Html | str | int | t.Iterable[Html]
Value = str | int | bool | None
NOTHING = Html("")


def element(tag: str, /, *content: Content, **attributes: Value) -> Html:
    """An element. ``class_`` becomes class, and ``data_v`` becomes data-v.

    An attribute with None or False is omitted, and an attribute with True has no value.
    """
    start = "".join(_attribute(key, value) for key, value in attributes.items())
    if tag in _VOID:
        return Html(f"<{tag}{start}>")
    return Html(f"<{tag}{start}>{joined(*content).markup}</{tag}>")


def joined(*content: Content) -> Html:
    return Html("".join(_markup(each) for each in content))


def separated(separator: str, parts: t.Iterable[Content]) -> Html:
    """The parts with the separator in between. Empty parts are omitted."""
    found = [made for made in (_markup(each) for each in parts) if made]
    return Html(_markup(separator).join(found))


def text(value: object) -> str:
    """The value as one escaped line, without control characters and direction marks."""
    return html.escape(printable(value), quote=True)


def _markup(content: Content) -> str:
    if isinstance(content, Html):
        return content.markup
    if isinstance(content, (str, int)):
        return text(content)
    return "".join(each.markup for each in content)


def _attribute(key: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value)}"'
