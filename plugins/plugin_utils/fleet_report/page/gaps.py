# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last sections: trends, and sources that are missing, unreadable or foreign."""

from __future__ import annotations

import collections

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import Content, Html, element, joined, separated
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, section

from ..standing import is_check
from .words import Said, age, dim, link, table

RANKS = {"unchanged": 0, "changed": 0, "degraded": 1, "failed": 2}
"""How bad a status is. Runs with other statuses are not compared."""
MOST = 200


def trends(document: Said) -> Html:
    """How many clusters became better or worse with their latest run of each verb."""
    found: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for cluster in document["clusters"].values():
        for verb, each in cluster["verbs"].items():
            found[verb][_trend(verb, each)] += 1
    words = ("worse", "better", "the same", "not known")
    rows: list[list[Content]] = [[verb, *(counts[each] for each in words)] for verb, counts in sorted(found.items())]
    note = dim("Number of clusters, by the statuses of the latest two runs. The section of each cluster has the last ten runs.")
    head = ("Playbook", *(each.capitalize() for each in words))
    shown = table("Trends", head, rows) if rows else element("p", "Not known.")
    return section("trends", "Trends", note, shown)


def _trend(verb: str, each: Said) -> str:
    ranks = [RANKS.get(one["status"]) for one in each["history"] if one["check_mode"] is is_check(verb)][-2:]
    if len(ranks) < 2 or ranks[0] is None or ranks[1] is None:
        return "not known"
    return "worse" if ranks[1] > ranks[0] else "better" if ranks[1] < ranks[0] else "the same"


def sources(document: Said) -> Html:
    store = document["store"]
    calls = ", ".join(f"{name} {many}" for name, many in store["calls"].items())
    read = f"{store['objects_read']} objects read"
    about = separated(" · ", [store["address"], count(store["reports"], "report"), read, calls and f"calls of S3: {calls}"])
    return section("sources", "Sources", element("p", about), _problems(document), _others(document), _ages(document))


def _problems(document: Said) -> Html:
    found = document["problems"]
    if not found:
        return element("p", "Every source that this report needs could be read.")
    rows = [(link(document, each["cluster"]) if each["cluster"] else "", each["source"], each["why"]) for each in found[:MOST]]
    more = f" The list has the first {MOST} of {len(found)}." if len(found) > MOST else ""
    title = element("h3", f"Not used — {count(len(found), 'source')}")
    note = dim(f"A source that is not used counts as not known.{more}")
    return joined(title, note, table("Not used", ("Cluster", "Source", "Reason"), rows))


def _others(document: Said) -> Html:
    found = document["not_in_inventory"]
    if not found:
        return element("p", "The inventory has every cluster of the report store.")
    now = document["created"]
    rows = [element("li", element("code", each["cluster"]), f", latest report {_ago(each['latest'], now)}") for each in found]
    title = f"Clusters of the report store that the inventory lacks — {len(found)}"
    return joined(element("h3", title), element("ul", rows, data_list="not-in-inventory"))


def _ago(latest: str, now: str) -> str:
    return f"{age(latest, now)} ago" if latest else "at an unknown time"


def _ages(document: Said) -> Html:
    limits = {verb: each["old_after_hours"] for cluster in document["clusters"].values() for verb, each in cluster["verbs"].items()}
    rows = [element("li", f"{verb} {hours:.0f} h") for verb, hours in sorted(limits.items())]
    return joined(element("h3", "Age after which a report is old"), element("ul", rows, class_="inline"))
