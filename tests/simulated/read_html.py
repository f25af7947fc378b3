# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small parser of HTML pages for tests: elements, their texts, and a check that all are closed."""

from __future__ import annotations

import html.parser
from dataclasses import dataclass, field

VOID = {"br", "input", "meta"}


@dataclass
class Element:
    name: str
    attributes: dict[str, str]
    parts: list[str | Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    def all(self) -> list[Element]:
        """This element and all its descendants."""
        return [self, *(found for part in self.parts if isinstance(part, Element) for found in part.all())]

    def having(self, attribute: str) -> list[Element]:
        return [found for found in self.all() if attribute in found.attributes]

    def named(self, *names: str) -> list[Element]:
        return [found for found in self.all() if found.name in names]

    def at(self, anchor: str) -> Element:
        (found,) = (each for each in self.all() if each.attributes.get("id") == anchor)
        return found

    def number(self, key: str) -> int:
        """The only number of this name."""
        (found,) = (each for each in self.having("data-n") if each.attributes["data-n"] == key)
        return int(found.text)


def read(page: str) -> Element:
    """The page's root. Fails if an element is not closed, or closed in the wrong place."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert len(reader.open) == 1, f"not closed: {[each.name for each in reader.open[1:]]}"
    return reader.open[0]


class _Reader(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _value in attrs]
        assert len(names) == len(set(names)), f"{tag} has an attribute twice"
        found = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].parts.append(found)
        if tag not in VOID:
            self.open.append(found)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"{tag} is closed in {self.open[-1].name}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")
