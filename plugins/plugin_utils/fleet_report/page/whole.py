# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole page. It shows only what the document has."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.filter_script import SCRIPT
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.frame import framed, theme_button
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import Html, element, joined
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, moment

from ..standing import FINE, NOT_KNOWN, OLD, PERSON, STANDINGS, WAITS
from . import access, gaps, now, runs, subjects
from .style import style
from .words import Said

SECTIONS: t.Mapping[str, t.Callable[[Said], Html]] = {
    "Clusters": now.coverage,
    "Now": now.person,
    "Runs": runs.runs,
    "Access": access.access,
    "Health": subjects.health,
    "Topology": subjects.topology,
    "Quotas": subjects.quotas,
    "Cost": subjects.cost,
    "Drift": subjects.drift,
    "Findings": now.codes,
    "Trends": gaps.trends,
    "Sources": gaps.sources,
    "Each cluster": runs.clusters,
}
ANCHORS = (
    *("coverage", "now", "runs", "access", "health", "topology", "quotas", "cost", "drift"),
    *("findings", "trends", "sources", "clusters"),
)


def page(document: Said) -> str:
    """:param document: the JSON of the same run."""
    main = element("main", (make(document) for make in SECTIONS.values()), id="main")
    footer = element("footer", element("p", f"Schema {document['schema']} of the fleet report.", class_="dim"))
    return framed(f"Fleet: {headline(document)}", style(), SCRIPT, _header(document), main, footer)


def headline(document: Said) -> str:
    many, counts = len(document["clusters"]), document["standings"]
    if document["store"]["failure"]:
        return "Nothing is known: the report store could not be read."
    if not any(each["verbs"] for each in document["clusters"].values()):
        return f"Nothing is known about {count(many, 'cluster')}: the report store has no report of them."
    parts = [
        f"{counts[PERSON]} of {count(many, 'cluster')} need{'s' if counts[PERSON] == 1 else ''} a person" if counts[PERSON] else "",
        f"{counts[NOT_KNOWN]} not known" if counts[NOT_KNOWN] else "",
        f"{counts[WAITS]} pending" if counts[WAITS] else "",
        f"{counts[OLD]} with old reports" if counts[OLD] else "",
        f"{count(counts[FINE], 'cluster')} without open findings" if counts[FINE] else "",
        "the inventory is incomplete" if document["inventory_failures"] else "",
    ]
    return f"{', '.join(filter(None, parts))}."


def standing(document: Said) -> str:
    """The mark of the headline: that of the worst cluster, and not good if anything is missing."""
    counts = document["standings"]
    worst = next((name for name in STANDINGS if counts[name]), NOT_KNOWN)
    gaps_found = bool(document["inventory_failures"] or document["store"]["failure"])
    return NOT_KNOWN if gaps_found and worst != PERSON else worst


def _header(document: Said) -> Html:
    when = joined(moment(document["created"]), element("span", id="age"))
    links = (element("li", element("a", name, href=f"#{anchor}")) for name, anchor in zip(SECTIONS, ANCHORS))
    line = element("h1", headline(document), data_v=standing(document))
    nav = element("nav", element("ul", links), aria_label="Sections")
    skip = element("a", "Skip to the content", href="#main", class_="skip")
    return element("header", skip, theme_button(), line, element("p", "Created at ", when, id="created"), nav)
