# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster as nested boxes, with one box per network node. The innermost boxes contain the nodes."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import FREE, UNHEALTHY, USED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Html, element, joined, separated

Said = t.Mapping[str, t.Any]
MARKS = {FREE: "F", USED: "U", UNHEALTHY: "X"}
WORDS = {FREE: "free", USED: "used", UNHEALTHY: "unhealthy"}


@dataclass
class _Box:
    inner: dict[str, _Box] = field(default_factory=dict)
    nodes: list[tuple[str, Said]] = field(default_factory=list)

    def all(self) -> t.Iterator[tuple[str, Said]]:
        yield from self.nodes
        for each in self.inner.values():
            yield from each.all()


def boxes(cluster: Said, jobs: t.Mapping[str, int]) -> Html:
    """
    :param jobs: the number of each job of the cluster, keyed by the name of the job. The script finds nodes by these numbers.
    """
    root = _Box()
    for name, node in cluster["nodes"].items():
        at = root
        for layer in node["layers"]:
            at = at.inner.setdefault(layer, _Box())
        at.nodes.append((name, node))
    unknown = _box("No topology data", _Box(nodes=root.nodes), 1, jobs) if root.nodes else NOTHING
    return element("div", _inner(root, 1, jobs), unknown, class_="map")


def _inner(box: _Box, layer: int, jobs: t.Mapping[str, int]) -> Html:
    return joined(*(_box(f"Layer {layer}: {name}", each, layer + 1, jobs) for name, each in box.inner.items()))


def _box(title: str, box: _Box, next_layer: int, jobs: t.Mapping[str, int]) -> Html:
    counts = collections.Counter(node["state"] for _name, node in box.all())
    counted = ", ".join(f"{counts[state]} {WORDS[state]}" for state in MARKS if counts[state])
    head = element("h4", title, " ", element("small", counted))
    nodes = element("ul", (_node(name, node, jobs) for name, node in box.nodes), class_="nodes") if box.nodes else NOTHING
    return element("section", head, _inner(box, next_layer, jobs), nodes, class_="layer")


def _node(name: str, node: Said, jobs: t.Mapping[str, int]) -> Html:
    state = node["state"]
    mark = element("b", MARKS[state], class_="m", data_v=state, aria_hidden="true")
    rows = [
        WORDS[state],
        node["why"],
        f"jobs: {', '.join(node['jobs'])}" if node["jobs"] else "",
        separated(" · ", [node["instance_id"], node["instance_type"], node["instance_group"], node["zone"]]),
        f"UltraServer {node['ultraserver']}" if node["ultraserver"] else "",
    ]
    about = element("ul", (element("li", each) for each in rows if each not in ("", NOTHING)))
    own = " ".join(str(jobs[job]) for job in node["jobs"])
    return element("li", element("details", element("summary", mark, " ", element("code", name)), about), data_j=own or None)
