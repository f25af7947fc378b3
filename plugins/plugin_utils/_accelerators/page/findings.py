# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section with the findings, grouped by cause and code, and the section with the waived findings."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import FIT, WATCH
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Html, element, joined, separated
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, folded, moment, number, section

from .fleet import WORST_FIRST, Fields, Fleet, Node, known
from .words import CAUSES, WORDS, mark, node_link

Place = tuple[str, str]
"""The cause and the code of a finding."""


@dataclass(frozen=True)
class Found:
    node: Node
    fields: Fields

    @property
    def verdict(self) -> str:
        return known(str(self.fields["verdict"]))

    @property
    def severity(self) -> int:
        return WORST_FIRST.index(self.verdict)


def findings(fleet: Fleet) -> Html:
    found = _of(fleet, "problems")
    causes = sorted({each.fields["cause"] for each in found}, key=_cause_order)
    parts = [_cause(fleet, cause, [each for each in found if each.fields["cause"] == cause]) for cause in causes]
    title = joined("Findings ", number(len(found), "problems"))
    return section("findings", title, parts if parts else element("p", "None."))


def waivers(fleet: Fleet) -> Html:
    found = _of(fleet, "waived")
    rows = [_waived(fleet, each) for each in found]
    text = "These faults exist, but they make no node unfit until their waivers expire."
    body = [element("p", text, class_="dim"), element("ul", rows, class_="found")] if rows else [element("p", "None.")]
    return section("waived", joined("Waived ", number(len(found), "waived")), body)


def anchor(place: int) -> str:
    return f"f{place}"


def places(fleet: Fleet) -> dict[Place, int]:
    """A number for each combination of cause and code. Links to the combination contain the number."""
    found = {(str(each.fields["cause"]), str(each.fields["code"])) for each in _of(fleet, "problems")}
    return {place: index for index, place in enumerate(sorted(found))}


def _of(fleet: Fleet, name: str) -> list[Found]:
    return [Found(node, fields) for node in fleet.nodes for fields in node.parts(name)]


def _cause_order(cause: str) -> tuple[int, str]:
    return (list(CAUSES).index(cause) if cause in CAUSES else len(CAUSES), cause)


def _cause(fleet: Fleet, cause: str, found: list[Found]) -> Html:
    codes: dict[str, list[Found]] = collections.defaultdict(list)
    for each in found:
        codes[str(each.fields["code"])].append(each)
    ordered = sorted(codes.items(), key=lambda item: (min(each.severity for each in item[1]), item[0]))
    anchors = places(fleet)
    parts = [_code(fleet, code, group, anchor(anchors[str(cause), code])) for code, group in ordered]
    title = element("h3", CAUSES.get(cause, cause), " ", number(len(found), f"cause-{cause}"))
    return element("div", title, *parts, class_="findings", data_cause=cause)


def _code(fleet: Fleet, code: str, found: list[Found], place: str) -> Html:
    """The findings with one code. They are expanded if the worst verdict is unfit or unknown, because those are read first."""
    ordered = sorted(found, key=lambda each: each.severity)
    verdict = ordered[0].verdict
    nodes = len({each.node.number for each in found})
    worst = "makes no node unfit" if verdict == FIT else f"worst: {WORDS[verdict]}"
    counted = f"{count(len(found), 'finding')} on {count(nodes, 'node')}, {worst}"
    summary = joined(mark(verdict), " ", element("code", code), " ", element("span", counted, class_="dim"))
    texts: dict[tuple[str, str], list[Found]] = collections.defaultdict(list)
    for each in ordered:
        texts[each.verdict, str(each.fields["text"])].append(each)
    rows = [_text(fleet, shown, text, group) for (shown, text), group in texts.items()]
    body = element("ul", rows, class_="found")
    opened = ordered[0].severity < WORST_FIRST.index(WATCH)
    return element("details", element("summary", summary), body, open=opened, id=place)


def _text(fleet: Fleet, verdict: str, text: str, found: list[Found]) -> Html:
    rows = element("ul", (_where(fleet, each) for each in found), class_="where")
    return element("li", mark(verdict), " ", text, rows)


def _where(fleet: Fleet, each: Found) -> Html:
    head = separated(" · ", [node_link(fleet, each.node.cluster, each.node.iid), each.node.text("host"), str(each.fields["part"])])
    evidence = element("div", element("q", each.fields["evidence"]), class_="evidence") if each.fields["evidence"] else NOTHING
    followed = [element("li", str(line)) for line in each.fields["folded"]]
    more = folded(f"consequences ({len(followed)})", element("ul", followed)) if followed else NOTHING
    return element("li", head, evidence, more, data_key=str(each.fields["key"]))


def _waived(fleet: Fleet, each: Found) -> Html:
    until = joined("until ", element("b", moment(str(each.fields["until"]))), ": ", str(each.fields["why"]))
    head: list[t.Any] = [mark(each.verdict), " ", element("code", each.fields["code"]), " ", element("span", until)]
    return element("li", *head, element("div", each.fields["text"]), element("ul", _where(fleet, each), class_="where"))
