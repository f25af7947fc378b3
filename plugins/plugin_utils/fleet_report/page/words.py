# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks, words, ages and tables of the page."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import Content, Html, element, joined
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import moment

from ..standing import FINE, NOT_KNOWN, NOT_RUN, OLD, PERSON, WAITS, hours_between

Said = t.Mapping[str, t.Any]
MARKS = {PERSON: "!", NOT_KNOWN: "?", WAITS: "W", OLD: "O", FINE: "·", NOT_RUN: "-"}
WORDS = {
    PERSON: "needs a person",
    NOT_KNOWN: "not known",
    WAITS: "pending",
    OLD: "old",
    FINE: "no open finding",
    NOT_RUN: "never run",
}
OF_STATUS = {"unchanged": FINE, "changed": FINE, "degraded": WAITS, "failed": PERSON}
"""Marks of runs. The mark of each other status is that of an unknown one."""
NO_VALUE = "not known"
SOURCE = "Source"
"""The heading of the column with ``source``."""
Row = t.Sequence[Content]


def mark(state: str) -> Html:
    """A colored letter, which is hidden from screen readers. A state that is not in the table is shown as unknown."""
    known = state if state in MARKS else NOT_KNOWN
    return element("b", MARKS[known], class_="m", data_v=known, aria_hidden="true")


def marked(state: str) -> Html:
    return joined(mark(state), " ", WORDS.get(state, WORDS[NOT_KNOWN]))


def age(started: str, now: str) -> str:
    hours = hours_between(started, now)
    if hours < 2:
        return f"{max(0, round(hours * 60))} min"
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} days"


def when(started: str, now: str) -> Html:
    return joined(moment(started), f" ({age(started, now)} before this report)")


def anchor(number: int) -> str:
    """The target of a cluster's links. It has a number, because keys of clusters are untrusted."""
    return f"c{number}"


def link(document: Said, key: str) -> Html:
    """The key of a cluster, as a link if the report has the cluster."""
    if key not in document["clusters"]:
        return element("code", key)
    return element("a", element("code", key), href=f"#{anchor(list(document['clusters']).index(key))}")


def table(label: str, head: t.Sequence[Content], rows: t.Iterable[t.Sequence[Content]]) -> Html:
    """A table that scrolls on its own. The first cell of a row is its heading."""
    first = element("tr", *(element("th", each, scope="col") for each in head))
    body = [element("tr", element("th", row[0], scope="row"), *(element("td", each) for each in row[1:])) for row in rows]
    whole = element("table", element("thead", first), element("tbody", body))
    return element("div", whole, class_="box", tabindex=0, role="region", aria_label=label)


def source(facts: Said, now: str) -> Html:
    """When the run started that the numbers are from, or why there are none."""
    if facts["found"] is None:
        return unknown(facts["why"])
    old = joined(" ", marked(OLD)) if facts["old"] else ""
    doubt = joined(" ", mark(NOT_KNOWN), f" a later report {facts['why']}") if facts["why"] else ""
    return joined(when(facts["started"], now), old, doubt)


def unknown(why: str) -> Html:
    return joined(mark(NOT_KNOWN), f" {why}")


def dim(*content: Content) -> Html:
    return element("p", *content, class_="dim")
