# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole page, with the verdicts, what to do, and a section for each cluster."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.frame import framed, theme_button
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import Html, element, joined
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import moment

from .cluster import cluster
from .headline import headline, standing, verdicts
from .style import style
from .todo import todo
from .words import Document

NO_SCRIPT = ""
"""The page has no script of its own. ``framed`` adds the script of the theme."""


def page(document: Document) -> str:
    """:param document: the JSON report of the same run."""
    clusters = (cluster(place, key, each) for place, (key, each) in enumerate(document["clusters"].items()))
    main = element("main", todo(document), *clusters, id="main")
    skip = element("a", "Skip to the actions", href="#todo", class_="skip")
    footer = element("footer", element("p", f"Schema {document['schema']} of the report.", class_="dim"))
    return framed(f"Training: {headline(document)}", style(), NO_SCRIPT, skip, _header(document), main, footer)


def _header(document: Document) -> Html:
    when = joined(moment(document["created"]), element("span", id="age"))
    line = element("h1", headline(document), data_v=standing(document))
    return element("header", theme_button(), line, element("p", "Report of ", when, id="created"), verdicts(document))
