# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words and marks of verdicts, checks and jobs on the page."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import FAILED, NOT_RUN, PASSED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Content, Html, element, joined

from ..checks import ACCESS, HEALTH, NCCL, NODES, SKIPPED
from ..report import FINE_TUNE, RECOVER, RESUME, STORAGE, SURVIVE, TRAIN

Document = t.Mapping[str, t.Any]
MARKS = {PASSED: "\u2713", FAILED: "\u2717", NOT_RUN: "?", SKIPPED: "\u2013"}
WORDS = {PASSED: "passed", FAILED: "failed", NOT_RUN: "not verified", SKIPPED: "skipped"}
CHECKS = {
    ACCESS: "Access to the model",
    NODES: "Nodes and device plugins",
    HEALTH: "Health of the accelerators",
    NCCL: "Bandwidth between nodes (NCCL)",
    STORAGE: "Shared storage",
    TRAIN: "Training",
    RESUME: "Resume from the checkpoint",
    SURVIVE: "Restart after a killed process",
    RECOVER: "Restart after a deleted Pod",
    FINE_TUNE: "Fine-tuning of the model",
}


def known(verdict: str) -> str:
    """The verdict, or ``NOT_RUN`` for an unrecognized verdict, which proves nothing."""
    return verdict if verdict in WORDS else NOT_RUN


def marked(verdict: str, words: str = "") -> Html:
    """A mark with its words. The mark is hidden from screen readers."""
    shown = known(verdict)
    return joined(element("b", MARKS[shown], class_="m", data_v=shown, aria_hidden="true"), " ", words or WORDS[shown])


def chapter(title: Content, *content: Content) -> Html:
    return joined(element("h3", title), *content)


def table(head: t.Sequence[Content], rows: t.Iterable[t.Sequence[Content]], *, label: str, class_: str | None = None) -> Html:
    """A table. The first cell of each row is the row's header."""
    top = element("thead", element("tr", *(element("th", each, scope="col") for each in head))) if head else NOTHING
    body = (element("tr", element("th", row[0], scope="row"), *(element("td", each) for each in row[1:])) for row in rows)
    made = element("table", top, element("tbody", body), class_=class_)
    return element("div", made, class_="box", tabindex=0, role="region", aria_label=label)
