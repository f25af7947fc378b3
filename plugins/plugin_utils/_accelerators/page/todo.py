# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections with the actions to take now, and with the problems that many nodes share."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import (
    NOTHING,
    Content,
    Html,
    element,
    joined,
    separated,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, folded, number, section

from .fleet import Fields, Fleet
from .words import ACTIONS, action_mark, node_link, node_links

MOST = 8
"""The number of nodes that an action shows. The list of the others is collapsed."""


def todo(fleet: Fleet) -> Html:
    actions = fleet.document["actions"]
    rows = element("ol", (_action(fleet, each) for each in actions), class_="todo")
    return section("todo", "What to do now", rows if actions else element("p", "Nothing."))


def common(fleet: Fleet) -> Html:
    """The section with the problems that make many nodes unfit. The nodes themselves are rarely the cause."""
    found = fleet.document["common"]
    if not found:
        return NOTHING
    text = "The same finding makes many nodes unfit. Check the image, the driver, the profile and the tool before you repair nodes."
    rows = element("ul", (_common(fleet, each) for each in found), class_="todo")
    return section("common", "One cause for many nodes?", element("p", text), rows)


def _action(fleet: Fleet, action: Fields) -> Html:
    name = str(action["action"])
    word = element("strong", ACTIONS.get(name, name))
    nodes = number(len(action["nodes"]), f"action-{name}")
    head = separated(" · ", [joined(action_mark(name), " ", word), str(action["cluster"]), _of(nodes, action)])
    return element("li", element("div", head, class_="head"), element("p", action["text"]), _nodes(fleet, action), data_action=name)


def _of(nodes: Html, found: Fields) -> Html:
    return joined(nodes, " node" if len(found["nodes"]) == 1 else " nodes") if found["nodes"] else NOTHING


def _common(fleet: Fleet, found: Fields) -> Html:
    share = joined(number(len(found["nodes"]), "common-nodes"), " of ", number(found["of"], "common-of"), " nodes")
    head = separated(" · ", [element("code", found["code"]), str(found["event"]), str(found["cluster"]), share])
    links = node_links(fleet, [(str(found["cluster"]), str(iid)) for iid in found["nodes"]])
    nodes = folded("which nodes", links, open_=len(found["nodes"]) <= MOST)
    return element("li", element("div", head, class_="head"), element("p", found["text"]), nodes)


def _nodes(fleet: Fleet, found: Fields) -> Html:
    """The nodes, each with the jobs that the action would interrupt."""
    rows = [_row(fleet, str(found["cluster"]), str(iid)) for iid in found["nodes"]]
    shown, more = rows[:MOST], rows[MOST:]
    more_folded = folded(f"and {count(len(more), 'more node')}", element("ul", more, class_="nodes-of")) if more else NOTHING
    return joined(element("ul", shown, class_="nodes-of") if shown else NOTHING, more_folded)


def _row(fleet: Fleet, cluster: str, iid: str) -> Html:
    node = fleet.find(cluster, iid)
    if node is None:
        return element("li", node_link(fleet, cluster, iid))
    state = node.part("known")
    slurm = separated(": ", [f"Slurm {state['slurm']}" if state.get("slurm") else "", str(state.get("slurm_reason") or "")])
    parts: list[Content] = [node_link(fleet, cluster, iid), node.text("host"), slurm, jobs(state)]
    return element("li", separated(" · ", parts))


def jobs(state: t.Mapping[str, t.Any]) -> Html:
    found = state.get("jobs") or ()
    return element("strong", f"runs {', '.join(map(str, found))}") if found else NOTHING
