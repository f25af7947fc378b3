# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole page, with the figures, jobs and boxes of each cluster."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import FREE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.frame import framed, theme_button
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Html, element, joined, separated
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, moment, section

from .boxes import boxes
from .lists import blocks, changes, counts, jobs, source, ultraservers
from .script import SCRIPT
from .style import UNKNOWN, style

Said = t.Mapping[str, t.Any]


def page(document: Said) -> str:
    """:param document: the JSON of the same run."""
    clusters = document["clusters"].items()
    parts = (_cluster(place, key, each) for place, (key, each) in enumerate(clusters))
    not_read = (element("p", f"The inventory could not be read completely: {each}") for each in document["inventory_failures"])
    main = element("main", *not_read, *parts, id="main")
    return framed(f"Topology: {headline(document)}", style(), SCRIPT, _header(document), main, _footer(document))


def headline(document: Said) -> str:
    found = document["clusters"].values()
    nodes, unknown = sum(len(each["nodes"]) for each in found), sum(len(each["untold"]) for each in found)
    spread = sum(1 for each in found for job in each["jobs"] if job["last"] > 1)
    failed = [key for key, each in document["clusters"].items() if each["failure"]]
    parts = [
        f"{count(nodes, 'node')} in {count(len(found), 'cluster')}",
        count(spread, "spread job") if spread else _none_spread(nodes, unknown, len(failed)),
        f"{count(unknown, 'node')} without topology data" if unknown else "",
        f"{count(len(failed), 'cluster')} could not be read" if failed else "",
    ]
    return f"{', '.join(filter(None, parts))}."


def _none_spread(nodes: int, unknown: int, failed: int) -> str:
    if not unknown and not failed:
        return "no job is spread"
    return "no job is known to be spread" if unknown < nodes else "it is unknown whether jobs are spread"


def standing(document: Said) -> str:
    """The mark of the headline: ``FREE`` if all clusters were read and all nodes have topology data, otherwise ``UNKNOWN``."""
    found = document["clusters"].values()
    whole = bool(found) and not any(each["failure"] or each["untold"] for each in found) and not document["inventory_failures"]
    return FREE if whole else UNKNOWN


def _header(document: Said) -> Html:
    when = joined(moment(str(document["created"])), element("span", id="age"))
    links = (element("li", element("a", key, href=f"#c{place}")) for place, key in enumerate(document["clusters"]))
    nav = element("nav", element("ul", links), aria_label="Clusters") if document["clusters"] else NOTHING
    line = element("h1", headline(document), data_v=standing(document))
    return element("header", theme_button(), line, element("p", "Read at ", when, id="created"), nav)


def _cluster(place: int, key: str, cluster: Said) -> Html:
    if cluster["failure"]:
        return section(f"c{place}", key, element("p", cluster["failure"]))
    names = sorted({job for node in cluster["nodes"].values() for job in node["jobs"]})
    numbers = {name: number for number, name in enumerate(names)}
    figures = (counts(key, cluster), blocks(cluster), ultraservers(cluster), jobs(cluster, numbers))
    return section(f"c{place}", key, *figures, boxes(cluster, numbers), changes(cluster), source(cluster))


def _footer(document: Said) -> Html:
    rows = [
        element("li", separated(" · ", [element("b", key), *(str(each[name]) for name in ("account", "region", "arn"))]))
        for key, each in document["clusters"].items()
    ]
    return element("footer", element("ul", rows), element("p", f"Schema {document['schema']} of the map.", class_="dim"))
