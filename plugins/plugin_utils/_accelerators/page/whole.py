# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole page, with the most urgent sections first."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.filter_script import SCRIPT
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.frame import framed, theme_button
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Html, element, joined, separated
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, moment

from .compared import changes, skew
from .coverage import coverage, verdicts
from .findings import findings, waivers
from .fleet import Fields, Fleet
from .headline import headline, worst
from .matrix import matrix
from .measured import measured
from .nodes import nodes
from .style import style
from .todo import common, todo

_SECTIONS = (
    ("todo", "What to do"),
    ("coverage", "Coverage"),
    ("verdicts", "Verdicts"),
    ("matrix", "GPUs"),
    ("findings", "Findings"),
    ("waived", "Waived"),
    ("nccl", "NCCL"),
    ("skew", "Versions"),
    ("changes", "Changes"),
    ("nodes", "Nodes"),
)


def page(document: Fields) -> str:
    """:param document: the JSON report of the same run."""
    fleet = Fleet(document)
    parts = (todo, common, coverage, verdicts, matrix, findings, waivers, measured, skew, changes, nodes)
    main = element("main", *(part(fleet) for part in parts), id="main")
    skip = element("a", "Skip to the actions", href="#todo", class_="skip")
    return framed(f"Accelerators: {headline(fleet)}", style(), SCRIPT, skip, _header(fleet), main, _footer(fleet))


def _header(fleet: Fleet) -> Html:
    when = joined(moment(str(fleet.document["created"])), element("span", id="age"))
    created = element("p", f"Accelerators of {count(len(fleet.clusters), 'cluster')}, checked ", when, id="created")
    links = element("ul", (element("li", element("a", words, href=f"#{anchor}")) for anchor, words in _SECTIONS))
    line = element("h1", headline(fleet), data_v=worst(fleet) or "none")
    return element("header", theme_button(), line, created, element("nav", links, aria_label="Sections"))


def _footer(fleet: Fleet) -> Html:
    rows = [
        element("li", separated(" · ", [element("b", key), *(str(each[name]) for name in ("account", "region", "arn"))]))
        for key, each in fleet.clusters.items()
    ]
    clusters = joined(element("h2", "Clusters"), element("ul", rows)) if rows else NOTHING
    return element("footer", clusters, element("p", f"Schema {fleet.document['schema']} of the report.", class_="dim"))
