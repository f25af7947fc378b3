# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How verdicts, causes and numbers are called and marked on the page. Pure."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health.problem import (
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

from .fleet import NO_ACCELERATORS, Fleet
from .markup import Content, Html, element, joined

MISSING = "missing"
"""What a GPU is that the type has and the node does not show."""
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
    "look-again": "Look again",
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
"""The letter, and the verdict whose colour it has."""
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?Z")


def mark(verdict: str) -> Html:
    """A letter on its colour, for eyes: the word stands beside it."""
    return _letter(MARKS[verdict], verdict)


def action_mark(action: str) -> Html:
    return _letter(*ACTION_MARKS.get(action, (MARKS[NO_ACCELERATORS], NO_ACCELERATORS)))


def _letter(letter: str, verdict: str) -> Html:
    return element("b", letter, class_="m", data_v=verdict or "none", aria_hidden="true")


def marked(verdict: str) -> Html:
    return joined(mark(verdict), " ", WORDS[verdict])


def count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def moment(said: str) -> Html:
    found = _MOMENT.fullmatch(said)
    if not found:
        return joined(said)
    return element("time", f"{found[1]} {found[2]} UTC", datetime=said)


def node_link(fleet: Fleet, cluster: str, iid: str) -> Html:
    """The instance ID, as a link where the report has the node."""
    node = fleet.find(cluster, iid)
    name = element("code", iid)
    return name if node is None else element("a", name, href=f"#{node.anchor}")


def node_links(fleet: Fleet, nodes: t.Iterable[tuple[str, str]]) -> Html:
    return element("ul", (element("li", node_link(fleet, *each)) for each in nodes), class_="inline")


def section(anchor: str, title: Content, *content: Content) -> Html:
    head = element("h2", title, id=f"{anchor}-title")
    return element("section", head, *content, id=anchor, aria_labelledby=f"{anchor}-title")


def folded(summary: Content, *content: Content, open_: bool = False, class_: str | None = None) -> Html:
    return element("details", element("summary", summary), *content, open=open_, class_=class_)


def number(value: int, key: str) -> Html:
    """A number of the document, named so that programs find it."""
    return element("span", value, data_n=key)
