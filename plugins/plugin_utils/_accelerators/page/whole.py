# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page, in the order in which it is read at three in the morning. Pure."""

from __future__ import annotations

from .compared import changes, skew
from .coverage import coverage, verdicts
from .findings import findings, waivers
from .fleet import Fleet, Said
from .headline import headline, worst
from .markup import NOTHING, Html, element, joined, separated
from .matrix import matrix
from .measured import measured
from .nodes import nodes
from .script import SCRIPT, source_hash
from .style import style
from .todo import common, todo
from .words import count, moment

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


def page(document: Said) -> str:
    """:param document: the JSON report of the same run."""
    fleet = Fleet(document)
    parts = (todo, common, coverage, verdicts, matrix, findings, waivers, measured, skew, changes, nodes)
    main = element("main", *(part(fleet) for part in parts), id="main")
    skip = element("a", "To what to do", href="#todo", class_="skip")
    body = element("body", skip, _header(fleet), main, _footer(fleet), element("script", Html(SCRIPT)))
    return f"<!DOCTYPE html>\n{element('html', _head(fleet), body, lang='en').markup}\n"


def _head(fleet: Fleet) -> Html:
    sheet = style()
    policy = [
        "default-src 'none'",
        f"style-src {source_hash(sheet)}",
        f"script-src {source_hash(SCRIPT)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content="; ".join(policy)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"Accelerators: {headline(fleet)}"),
        element("style", Html(sheet)),
    )


def _header(fleet: Fleet) -> Html:
    theme = element("button", "Light / dark", type="button", id="theme", hidden=True)
    when = joined(moment(str(fleet.document["created"])), element("span", id="age"))
    told = element("p", f"Accelerators of {count(len(fleet.clusters), 'cluster')}, looked at ", when, id="created")
    links = element("ul", (element("li", element("a", words, href=f"#{anchor}")) for anchor, words in _SECTIONS))
    line = element("h1", headline(fleet), data_v=worst(fleet) or "none")
    return element("header", theme, line, told, element("nav", links, aria_label="Sections"))


def _footer(fleet: Fleet) -> Html:
    rows = [
        element("li", separated(" · ", [element("b", key), *(str(each[name]) for name in ("account", "region", "arn"))]))
        for key, each in fleet.clusters.items()
    ]
    clusters = joined(element("h2", "Clusters"), element("ul", rows)) if rows else NOTHING
    return element("footer", clusters, element("p", f"Schema {fleet.document['schema']} of the report.", class_="dim"))
