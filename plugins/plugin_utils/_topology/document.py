# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The topology of a fleet's nodes as one document, from which all formats of the map are derived."""

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
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import (
    STATES,
    UNHEALTHY,
    Domain,
    Place,
    tree,
)

SCHEMA = 1
Document = dict[str, t.Any]


@dataclass(frozen=True)
class Needed:
    """The requirements of a planned job."""

    nodes: int = 0
    """Number of nodes; 0 if no job is planned."""
    instance_type: str = ""
    """The required type of the nodes; empty for any type."""


@dataclass(frozen=True)
class Cluster:
    key: str
    arn: str
    account: str
    region: str
    places: tuple[Place, ...]
    failure: str = ""
    """Why the cluster could not be read; empty if it was read."""


def document(
    clusters: t.Sequence[Cluster],
    *,
    created: str,
    before: Document | None = None,
    not_read: t.Sequence[str] = (),
    needed: Needed = Needed(),
) -> Document:
    """The document of this run. ``before``: the previous run's document. ``not_read``: failures of the inventory."""
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
    """The data that later runs compare theirs with. Runs that skip the cluster or can't read it do not change the data."""
    return {
        "created": created,
        "arn": cluster.arn,
        "layers": {place.name: list(place.layers) for place in cluster.places},
        "unhealthy": sorted(place.name for place in cluster.places if place.state == UNHEALTHY),
        "jobs": _jobs(cluster),
    }


def _cluster(cluster: Cluster, before: Document, needed: Needed) -> Document:
    """The part about a cluster. A recreated cluster is not compared with the earlier cluster of the same key."""
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
        "changes": _changes(before, nodes) if compared else [],
        "job_changes": _job_changes(before, _jobs(cluster)) if compared else {"came": [], "gone": []},
    }


def _jobs(cluster: Cluster) -> list[str]:
    return sorted({job for place in cluster.places for job in place.jobs})


def _answers(root: Domain, needed: Needed) -> Document:
    if not needed.nodes:
        return {"near": None, "moves": None}
    found = {"near": near(root, needed.nodes, needed.instance_type), "moves": moves(root, needed.nodes, needed.instance_type)}
    return {name: None if each is None else dataclasses.asdict(each) for name, each in found.items()}


def _node(place: Place) -> Document:
    fields = {name: value for name, value in dataclasses.asdict(place).items() if name != "name"}
    return {**fields, "layers": list(place.layers), "jobs": list(place.jobs)}


def _changes(before: Document, now: t.Mapping[str, t.Any]) -> list[dict[str, t.Any]]:
    """Added, removed and moved nodes, and changes of health. A moved node is usually a replaced instance.

    :param before: the data of the previous run.
    """
    layers = before["layers"]
    came = [{"node": name, "what": "came", "layers": node["layers"]} for name, node in now.items() if name not in layers]
    gone = [{"node": name, "what": "gone", "layers": above} for name, above in layers.items() if name not in now]
    moved = [
        {"node": name, "what": "moved", "layers": node["layers"], "before": layers[name]}
        for name, node in now.items()
        if name in layers and layers[name] != node["layers"]
    ]
    return came + gone + moved + _health(before.get("unhealthy"), now)


def _health(before: t.Collection[str] | None, now: t.Mapping[str, t.Any]) -> list[dict[str, t.Any]]:
    """Newly unhealthy nodes, including added ones, and recovered nodes.

    :param before: nodes that were unhealthy; None if the document is from a release that did not record them.
    """
    if before is None:
        return []
    ill = {name: node for name, node in now.items() if node["state"] == UNHEALTHY}
    fell = [
        {"node": name, "what": "unhealthy", "layers": node["layers"], "why": node["why"]}
        for name, node in ill.items()
        if name not in before
    ]
    well = [
        {"node": name, "what": "well", "layers": node["layers"]} for name, node in now.items() if name in before and name not in ill
    ]
    return fell + well


def _job_changes(before: Document, now: t.Sequence[str]) -> dict[str, list[str]]:
    """New jobs, and jobs that are no longer on a node."""
    if "jobs" not in before:  # the document is from a release that did not record jobs
        return {"came": [], "gone": []}
    known = before["jobs"]
    return {"came": sorted({*now} - {*known}), "gone": sorted({*known} - {*now})}
