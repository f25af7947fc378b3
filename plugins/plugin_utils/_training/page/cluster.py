# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section of one cluster."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import FAILED, PASSED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Html, element, joined, separated
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import section

from ..report import jobs_of
from . import compared, curve, figures, placement
from .headline import words
from .words import CHECKS, WORDS, Document, chapter, known, marked, table


def cluster(place: int, key: str, found: Document) -> Html:
    """The section of a cluster.

    :param place: the number of the cluster on the page.
    """
    title = joined(key, ": ", words(found))
    if found["why"]:
        return section(f"c{place}", title, element("p", found["why"]), _about(found))
    jobs, verdicts = jobs_of(found), {each["name"]: each["verdict"] for each in found["checks"]}
    parts = (
        checks(key, found),
        figures.figures(key, jobs, verdicts),
        curve.chapter_of(place, key, jobs),
        placement.placement(jobs),
        figures.versions(jobs, found["software"]),
        chapter("Price", element("p", found["price"] or "The price of the nodes is not known.")),
        compared.compared(key, found["compared"]),
        skipped(found),
    )
    return section(f"c{place}", title, _about(found), *parts)


def checks(key: str, found: Document) -> Html:
    rows = [(joined(CHECKS[each["name"]]), marked(each["verdict"]), joined(each["text"])) for each in found["checks"]]
    return chapter("Checks", table(("Checked", "Verdict", "Result"), rows, label=f"Checks of {key}", class_="checks"))


def skipped(found: Document) -> Html:
    """The checks and the nodes that the verdict does not cover, with the reasons."""
    left = [each for each in found["checks"] if known(each["verdict"]) not in (PASSED, FAILED)]
    texts = [f"{CHECKS[each['name']]}, {WORDS[known(each['verdict'])]}: {each['text']}" for each in left]
    texts += [f"Not verified: {each}" for each in found["unverified"]]
    rows = (element("li", each) for each in texts)
    return chapter("Skipped or not verified", element("ul", rows) if texts else element("p", "Nothing."))


def _about(found: Document) -> Html:
    parts = [found["instance_type"], found["account"], found["region"], found["arn"]]
    shown = separated(" \u00b7 ", parts)
    return element("p", shown, class_="dim") if any(parts) else NOTHING
