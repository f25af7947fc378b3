# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section with what to do now: the problems of all clusters, with failed clusters first."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import FAILED, PASSED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import Html, element, separated
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import section

from ..checks import SKIPPED
from ..compared import slowdown
from ..report import problems
from .words import Document

DROP = "Training is {percent} % slower than on {since}. Compare the versions, the network and the health of the nodes."
Row = tuple[str, str, str, str]
"""Cluster, checks, code, text."""


def todo(document: Document) -> Html:
    clusters = sorted(document["clusters"].items(), key=lambda each: each[1]["verdict"] != FAILED)
    found: list[Row] = [row for key, cluster in clusters for row in _of_cluster(key, cluster)]
    found += [("inventory", "", "", each) for each in document["inventory_failures"]]
    rows = element("ol", map(_row, found), class_="todo")
    return section("todo", "What to do now", rows if found else element("p", "Nothing."))


def _of_cluster(key: str, cluster: Document) -> t.Iterator[Row]:
    if cluster["why"]:
        yield key, "", "", cluster["why"]
        return
    found = problems(cluster)
    yield from ((key, *each) for each in found)
    if not found and cluster["verdict"] != PASSED:
        bad = (each for each in cluster["checks"] if each["verdict"] not in (PASSED, SKIPPED))
        yield from ((key, each["name"], "", each["text"]) for each in bad)
    if cluster["compared"] and cluster["compared"]["slower"]:
        yield key, "train", "training-slower", DROP.format(**slowdown(cluster["compared"]))


def _row(row: Row) -> Html:
    key, checks, code, text = row
    head = separated(" \u00b7 ", [element("b", key), checks, element("code", code) if code else ""])
    return element("li", element("div", head, class_="head"), element("p", text))
