# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the nodes of a fleet are, as one document: what every form of the map is made of. Pure."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.answers import (
    blocks,
    moves,
    near,
    spreads,
    ultraservers,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.mermaid import mermaid
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import STATES, Domain, Place, tree

SCHEMA = 1
Document = dict[str, t.Any]


@dataclass(frozen=True)
class Needed:
    """What a job would need."""

    nodes: int = 0
    """0 where nobody asks."""
    instance_type: str = ""
    """Only nodes of this type; all by default."""


@dataclass(frozen=True)
class Cluster:
    key: str
    arn: str
    account: str
    region: str
    places: tuple[Place, ...]
    failure: str = ""
    """Why nothing is known of it."""


def document(
    clusters: t.Sequence[Cluster],
    *,
    created: str,
    before: Document | None = None,
    not_read: t.Sequence[str] = (),
    needed: Needed = Needed(),
) -> Document:
    """``before``: the document of the run before. ``not_read``: what the inventory could not read."""
    known: Document = (before or {}).get("known") or {}
    read = {each.key: _known(each, created) for each in clusters if not each.failure}
    return {
        "schema": SCHEMA,
        "created": created,
        "inventory_failures": list(not_read),
        "needed": dataclasses.asdict(needed),
        "clusters": {each.key: _cluster(each, known.get(each.key) or {}, needed) for each in clusters},
        "known": {**known, **read},
    }


def _known(cluster: Cluster, created: str) -> Document:
    """What a later run compares with, also where runs in between were not about the cluster, or could not read it."""
    return {"created": created, "arn": cluster.arn, "layers": {place.name: list(place.layers) for place in cluster.places}}


def _cluster(cluster: Cluster, before: Document, needed: Needed) -> Document:
    """A cluster that was made anew under the same key is another one."""
    compared = not cluster.failure and before.get("arn") == cluster.arn
    root = tree(cluster.places)
    nodes = {place.name: _node(place) for place in root.below()}
    return {
        **{name: getattr(cluster, name) for name in ("arn", "account", "region", "failure")},
        "layers": sorted({len(place.layers) for place in cluster.places if place.layers}),
        "counts": {state: sum(1 for place in cluster.places if place.state == state) for state in STATES},
        "untold": [place.name for place in root.places],
        "nodes": nodes,
        "jobs": [dataclasses.asdict(each) for each in spreads(cluster.places)],
        "blocks": [dataclasses.asdict(each) for each in blocks(root)],
        "ultraservers": [dataclasses.asdict(each) for each in ultraservers(cluster.places)],
        **_answers(root, needed),
        "mermaid": mermaid(root),
        "compared_with": before["created"] if compared else "",
        "changes": _changes(before["layers"], nodes) if compared else [],
    }


def _answers(root: Domain, needed: Needed) -> Document:
    if not needed.nodes:
        return {"near": None, "moves": None}
    found = {"near": near(root, needed.nodes, needed.instance_type), "moves": moves(root, needed.nodes, needed.instance_type)}
    return {name: None if each is None else dataclasses.asdict(each) for name, each in found.items()}


def _node(place: Place) -> Document:
    told = {name: value for name, value in dataclasses.asdict(place).items() if name != "name"}
    return {**told, "layers": list(place.layers), "jobs": list(place.jobs)}


def _changes(before: t.Mapping[str, t.Any], now: t.Mapping[str, t.Any]) -> list[dict[str, t.Any]]:
    """Nodes that came and went, and those that are elsewhere: machines that were replaced, as a rule.

    :param before: layers by the names of nodes.
    """
    came = [{"node": name, "what": "came", "layers": node["layers"]} for name, node in now.items() if name not in before]
    gone = [{"node": name, "what": "gone", "layers": layers} for name, layers in before.items() if name not in now]
    moved = [
        {"node": name, "what": "moved", "layers": node["layers"], "before": before[name]}
        for name, node in now.items()
        if name in before and before[name] != node["layers"]
    ]
    return came + gone + moved
