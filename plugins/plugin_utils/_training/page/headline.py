# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The headline, and a line for each cluster."""

from __future__ import annotations

import collections

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import FAILED, NOT_RUN, PASSED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Html, element, joined

from ..checks import SKIPPED
from ..report import IN_PART, summary
from .words import WORDS, Document, known, marked


def headline(document: Document) -> str:
    unread = ["Part of the inventory could not be read."] if document["inventory_failures"] else []
    return " ".join([_sentence(document), *unread])


def standing(document: Document) -> str:
    """The verdict on all clusters, which decides the color of the headline."""
    found = {_verdict(each) for each in document["clusters"].values()}
    if FAILED in found:
        return FAILED
    return PASSED if found == {PASSED} and not document["inventory_failures"] else NOT_RUN


def verdicts(document: Document) -> Html:
    rows = (element("li", _line(place, key, each)) for place, (key, each) in enumerate(document["clusters"].items()))
    return element("ul", rows, class_="verdicts")


def words(cluster: Document) -> str:
    return summary(_verdict(cluster), cluster["unverified"])


def _sentence(document: Document) -> str:
    clusters = document["clusters"]
    if not clusters:
        return "No cluster was verified."
    if len(clusters) == 1:
        ((key, cluster),) = clusters.items()
        return f"{key}: {words(cluster)}."
    counts = collections.Counter(map(_verdict, clusters.values()))
    shown = [f"{counts[each]} {WORDS[each]}" for each in (FAILED, NOT_RUN, PASSED) if counts[each]]
    in_part = sum(1 for each in clusters.values() if words(each) == IN_PART)
    return f"{len(clusters)} clusters: {', '.join(shown)}{f' ({in_part} in part)' if in_part else ''}."


def _verdict(cluster: Document) -> str:
    """The verdict on a cluster. A cluster cannot be skipped."""
    verdict = known(cluster["verdict"])
    return NOT_RUN if verdict == SKIPPED else verdict


def _line(place: int, key: str, cluster: Document) -> Html:
    skipped = [each["name"] for each in cluster["checks"] if each["verdict"] == SKIPPED]
    without = f" (skipped: {', '.join(skipped)})" if skipped else ""
    link = element("a", element("b", key), href=f"#c{place}")
    return joined(marked(_verdict(cluster), f"{words(cluster)}{without}"), ": ", link, _why(cluster))


def _why(cluster: Document) -> Html:
    return element("span", f" {cluster['why']}", class_="dim") if cluster["why"] else NOTHING
