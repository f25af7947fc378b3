# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words and marks for verdicts, causes and actions on the page."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import (
    CONFIG,
    FABRIC,
    FIT,
    HARDWARE,
    REBOOT,
    REPLACE,
    SERVICE,
    UNKNOWN,
    WATCH,
    WORKLOAD,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import Html, element, joined

from .fleet import NO_ACCELERATORS, Fleet

MISSING = "missing"
"""The mark of a GPU that the instance type has and the node does not report."""
MARKS = {REPLACE: "R", REBOOT: "B", UNKNOWN: "?", WATCH: "W", FIT: "·", NO_ACCELERATORS: "-", MISSING: "M"}
WORDS = {
    REPLACE: "unfit: replace",
    REBOOT: "unfit: reboot",
    UNKNOWN: "unknown",
    WATCH: "watch",
    FIT: "fit",
    NO_ACCELERATORS: "no accelerators",
    MISSING: "missing",
}
CAUSES = {
    HARDWARE: "Hardware",
    FABRIC: "Fabric",
    WORKLOAD: "Workload",
    CONFIG: "Configuration",
    SERVICE: "Service",
}
ACTIONS = {
    "stop": "Stop",
    "replace": "Replace",
    "reboot": "Reboot",
    "look-again": "Check again",
    "set-up": "Set up",
    "watch": "Watch",
}
ACTION_MARKS = {
    "stop": ("!", REPLACE),
    "replace": (MARKS[REPLACE], REPLACE),
    "reboot": (MARKS[REBOOT], REBOOT),
    "look-again": (MARKS[UNKNOWN], UNKNOWN),
    "set-up": ("S", WATCH),
    "watch": (MARKS[WATCH], WATCH),
}
"""The letter, and the verdict whose color the letter has."""


def mark(verdict: str) -> Html:
    """A colored letter. It is hidden from screen readers, because the verdict or action follows as a word."""
    return _letter(MARKS[verdict], verdict)


def action_mark(action: str) -> Html:
    return _letter(*ACTION_MARKS.get(action, (MARKS[NO_ACCELERATORS], NO_ACCELERATORS)))


def _letter(letter: str, verdict: str) -> Html:
    return element("b", letter, class_="m", data_v=verdict or "none", aria_hidden="true")


def marked(verdict: str) -> Html:
    return joined(mark(verdict), " ", WORDS[verdict])


def node_link(fleet: Fleet, cluster: str, iid: str) -> Html:
    """The instance ID, as a link if the report has the node."""
    node = fleet.find(cluster, iid)
    name = element("code", iid)
    return name if node is None else element("a", name, href=f"#{node.anchor}")


def node_links(fleet: Fleet, nodes: t.Iterable[tuple[str, str]]) -> Html:
    return element("ul", (element("li", node_link(fleet, *each)) for each in nodes), class_="inline")
