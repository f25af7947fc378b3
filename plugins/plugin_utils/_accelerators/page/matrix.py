# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section that shows each GPU of each node as one cell."""

from __future__ import annotations

import collections
import itertools

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import FIT, UNKNOWN
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import Html, element, joined, separated
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, section

from .fleet import NO_ACCELERATORS, WORST_FIRST, Fleet, Node, known
from .words import MARKS, MISSING, WORDS, mark, marked


def matrix(fleet: Fleet) -> Html:
    nodes = [node for node in fleet.nodes if node.verdict != NO_ACCELERATORS]
    if not nodes:
        return section("matrix", "Nodes and their GPUs", element("p", "No node with accelerators was found."))
    legend = element("p", separated("  ", [marked(each) for each in (*WORST_FIRST[:-1], MISSING)]), class_="legend")
    text = "Each line shows the verdict of a node and then its GPUs, from GPU 0 on, and links to the node. Missing GPUs are last."
    groups = itertools.groupby(nodes, key=lambda node: (node.cluster, node.text("instance_group")))
    parts = [_group(cluster, group, list(found)) for (cluster, group), found in groups]
    return section("matrix", "Nodes and their GPUs", legend, element("p", text, class_="dim"), *parts)


def _group(cluster: str, group: str, nodes: list[Node]) -> Html:
    types = ", ".join(dict.fromkeys(node.text("instance_type") for node in nodes))
    title = separated(" · ", [cluster, group, types, count(len(nodes), "node")])
    return joined(element("h3", title), element("ul", (_line(node) for node in nodes), class_="matrix"))


def _line(node: Node) -> Html:
    cells = _cells(node)
    found = collections.Counter(verdict for verdict, _title in cells)
    words = ", ".join(f"{many} {WORDS[verdict]}" for verdict, many in found.items())
    drawn = element("span", [_cell(*cell) for cell in cells] or _others(node), class_="cells")
    label = f"{node.iid}: {WORDS[node.verdict]}; GPUs: {words or 'none'}"
    shown = joined(mark(node.verdict), element("code", node.iid), drawn)
    return element("li", element("a", shown, href=f"#{node.anchor}", aria_label=label))


def _others(node: Node) -> str:
    """Text for a node without GPUs."""
    neuron = int(node.part("expected").get("neuron_devices") or 0)
    return count(neuron, "Neuron device") if neuron else "no GPUs known"


def _cell(verdict: str, title: str) -> Html:
    return element("i", MARKS[verdict], data_v=verdict, title=title)


def _cells(node: Node) -> list[tuple[str, str]]:
    """The verdict and the title of each GPU. The GPUs of an unchecked node are unknown."""
    found = [(known(str(gpu["verdict"])), str(gpu["part"])) for gpu in node.parts("gpus")]
    lacking = int(node.part("expected").get("gpus") or 0) - len(found)
    unchecked = bool(node.text("not_read")) or (not found and node.verdict == UNKNOWN)
    rest = (UNKNOWN, "not checked") if unchecked else (MISSING, "missing or not detected")
    return [*((verdict, _title(verdict, part)) for verdict, part in found), *[rest] * max(lacking, 0)]


def _title(verdict: str, part: str) -> str:
    return part if verdict == FIT else f"{part}: {WORDS[verdict]}"
