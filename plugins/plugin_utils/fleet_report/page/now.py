# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first sections: how the fleet is, what needs a person now, and open findings by code."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import FAILURE, PENDING
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Html, element, joined, separated
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, folded, number, section

from ..standing import FINE, NOT_KNOWN, OLD, PERSON, STANDINGS, WAITS
from .words import Said, age, dim, link, mark, marked, table

MOST = 20
"""Maximum number of findings of one cluster that this section shows. The section of the cluster has all of them."""
OF_KIND = {FAILURE: PERSON, PENDING: WAITS}


def coverage(document: Said) -> Html:
    counts = document["standings"]
    rows = [element("li", element("b", number(counts[name], name)), " ", marked(name)) for name in STANDINGS]
    rule = dim(
        "Each cluster counts once, with its worst state. A cluster without a readable recent report counts as not known, and "
        "never as a cluster without findings."
    )
    return section("coverage", "Clusters", element("ul", rows, class_="figures"), rule, _not_read(document))


def _not_read(document: Said) -> Html:
    store = [f"report store: {document['store']['failure']}"] if document["store"]["failure"] else []
    found = [*store, *(f"inventory: {each}" for each in document["inventory_failures"])]
    if not found:
        return NOTHING
    rows = element("ul", (element("li", each) for each in found), data_list="not-read")
    return joined(element("h3", "Could not be read"), rows, dim("Clusters of these parts are missing in this report."))


def person(document: Said) -> Html:
    """The clusters with the standing ``PERSON``, then the other clusters that are not good."""
    found = document["clusters"].items()
    need = [_needs(document, key, each) for key, each in found if each["standing"] == PERSON]
    unknown = [(key, each) for key, each in found if each["standing"] == NOT_KNOWN]
    parts = [
        *need,
        _names(document, "Not known", unknown),
        _names(document, "Pending: a later run completes it", [(key, each) for key, each in found if each["standing"] == WAITS]),
        _names(document, "Old: run the playbook again", [(key, each) for key, each in found if each["standing"] == OLD]),
    ]
    return section("now", "What needs a person now", *(parts if need else (_none(document), *parts)))


def _none(document: Said) -> Html:
    if not document["clusters"]:
        return element("p", "Nothing is known: the inventory has no cluster.")
    if document["standings"][FINE] == len(document["clusters"]):
        return element("p", "Nothing in the latest reports.")
    return element("p", "No finding in the reports that could be read. The clusters below are not known to be without findings.")


def _needs(document: Said, key: str, cluster: Said) -> Html:
    own = [each for each in cluster["findings"] if each["kind"] == FAILURE and not each["old"]]
    more = [element("li", f"and {len(own) - MOST} more")] if len(own) > MOST else []
    rows = [element("li", _finding(each, document["created"])) for each in own[:MOST]]
    return joined(
        element("h3", mark(PERSON), " ", link(document, key), " ", element("small", cluster["why"])),
        element("ul", *rows, *more, class_="found"),
    )


def _finding(each: Said, now: str) -> Html:
    where = separated(" ", [each["node"] and element("code", each["node"]), each["subject"] and element("code", each["subject"])])
    next_step = joined(" ", element("span", each["next_step"], class_="dim")) if each["next_step"] else NOTHING
    since = f"{age(each['since'], now)}{'' if each['since_is_known'] else '+'}"
    source = element("small", f" {each['verb']}, {age(each['started'], now)} ago, open for {since}", class_="dim")
    return joined(separated(" ", [element("b", each["code"]), where, each["text"]]), next_step, source)


def _names(document: Said, title: str, found: t.Sequence[tuple[str, Said]]) -> Html:
    if not found:
        return NOTHING
    rows = [element("li", link(document, key), ": ", each["why"]) for key, each in found]
    return folded(f"{title} — {count(len(found), 'cluster')}", element("ul", rows), open_=len(found) <= MOST)


def codes(document: Said) -> Html:
    """The open findings by code."""
    now = document["created"]
    rows = [
        (
            joined(mark(OF_KIND.get(each["kind"], OLD)), " ", each["code"]),
            each["kind"],
            each["count"],
            separated(", ", [*(link(document, key) for key in each["clusters"][:MOST]), _more(len(each["clusters"]) - MOST)]),
            ", ".join(each["verbs"]),
            _ages(each, now),
        )
        for each in document["findings"]
    ]
    note = dim("The age is the time since the first of the consecutive reports that have the finding. With +, it may be older.")
    head = ("Code", "Kind", "Findings", "Clusters", "Playbooks", "Age")
    shown = table("Open findings", head, rows) if rows else element("p", "None in the reports that could be read.")
    return section("findings", "Open findings by code", note, shown)


def _ages(found: Said, now: str) -> str:
    newest, oldest = (age(found[name], now) for name in ("newest", "oldest"))
    older = "" if found["oldest_is_known"] else "+"
    return f"{oldest}{older}" if newest == oldest else f"{newest} to {oldest}{older}"


def _more(left: int) -> str:
    return f"and {left} more" if left > 0 else ""
