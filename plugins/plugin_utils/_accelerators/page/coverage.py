# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections with the numbers of checked nodes, and with the numbers of verdicts in each cluster."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Content, Html, element, joined
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, folded, number, section

from .fleet import NO_ACCELERATORS, WORST_FIRST, Fleet
from .words import WORDS, mark, node_links

ROWS = (
    ("nodes", "nodes in total"),
    ("looked_at", "checked completely"),
    ("in_part", "checked in part"),
    ("not_looked_at", "could not be checked"),
    ("without_accelerators", "without accelerators, so not checked"),
)
_OPEN = 4
"""A list of up to this number of nodes is expanded."""


def coverage(fleet: Fleet) -> Html:
    counts = fleet.document["coverage"]
    rows = [element("li", element("b", number(counts[key], key)), " ", words) for key, words in ROWS]
    rule = element("p", "A node that could not be checked has the verdict unknown and never counts as fit.", class_="dim")
    return section("coverage", "Coverage", element("ul", rows, class_="figures"), rule, _failures(fleet), _gaps(fleet))


def _failures(fleet: Fleet) -> Html:
    clusters = [joined(element("b", key), ": ", each["failure"]) for key, each in fleet.clusters.items() if each["failure"]]
    inventory = [joined(element("b", "inventory"), ": ", sentence) for sentence in fleet.document["inventory_failures"]]
    found = [*inventory, *clusters]
    if not found:
        return NOTHING
    rows = element("ul", (element("li", each) for each in found), data_list="not-read")
    return joined(element("h3", "Could not be read"), rows)


def _gaps(fleet: Fleet) -> Html:
    """The nodes that were not checked completely, grouped by reason."""
    whole: dict[str, list[tuple[str, str]]] = collections.defaultdict(list)
    in_part: dict[str, list[tuple[str, str]]] = collections.defaultdict(list)
    for node in fleet.nodes:
        place = (node.cluster, node.iid)
        if node.text("not_read"):
            whole[node.text("not_read")].append(place)
        for each in node.parts("not_looked_at"):
            in_part[f"{each['what']}: {each['why']}"].append(place)
    return joined(_reasons(fleet, "Nodes that could not be checked", whole), _reasons(fleet, "Checked in part", in_part))


def _reasons(fleet: Fleet, title: str, found: t.Mapping[str, list[tuple[str, str]]]) -> Html:
    if not found:
        return NOTHING
    ordered = sorted(found.items(), key=lambda each: -len(each[1]))
    return joined(element("h3", title), (_reason(fleet, why, nodes) for why, nodes in ordered))


def _reason(fleet: Fleet, why: str, nodes: list[tuple[str, str]]) -> Html:
    return folded(joined(why, " — ", count(len(nodes), "node")), node_links(fleet, nodes), open_=len(nodes) <= _OPEN)


def verdicts(fleet: Fleet) -> Html:
    """The table of verdicts. Each cell links to its nodes, and the last row has the totals of the report."""
    head: list[Content] = [element("th", "Cluster", scope="col")]
    head += [
        element("th", mark(verdict), element("span", " ", _short(verdict), class_="w"), scope="col") for verdict in WORST_FIRST
    ]
    body = [_row(fleet, key) for key in fleet.clusters]
    total = _cells(fleet.document["verdicts"] | {NO_ACCELERATORS: fleet.document["coverage"]["without_accelerators"]}, "", "")
    foot = element("tr", element("th", "all", scope="row"), total)
    table = element("table", element("thead", element("tr", *head)), element("tbody", body), element("tfoot", foot))
    return section("verdicts", "Verdicts", element("div", table, class_="box", tabindex=0, role="region", aria_label="Verdicts"))


def _row(fleet: Fleet, key: str) -> Html:
    """A cluster's row. A cluster that could not be read must not look like a cluster without faults."""
    if fleet.clusters[key]["failure"] and not fleet.clusters[key]["nodes"]:
        return element("tr", element("th", key, scope="row"), element("td", "could not be read", colspan=len(WORST_FIRST)))
    found = collections.Counter(node.verdict for node in fleet.nodes if node.cluster == key)
    return element("tr", element("th", key, scope="row"), _cells(found, str(fleet.number(key)), f"{fleet.number(key)}-"))


def _short(verdict: str) -> str:
    return WORDS[verdict].removeprefix("unfit: ")


def _cells(found: t.Mapping[str, int], cluster: str, prefix: str) -> Html:
    return joined(element("td", _cell(found.get(verdict, 0), verdict, cluster, prefix)) for verdict in WORST_FIRST)


def _cell(many: int, verdict: str, cluster: str, prefix: str) -> Html:
    name = verdict or "none"
    shown = number(many, f"verdict-{prefix}{name}")
    if not many:
        return element("span", shown, class_="dim")
    return element("a", shown, href="#nodes", data_verdict=name, data_cluster=cluster)
