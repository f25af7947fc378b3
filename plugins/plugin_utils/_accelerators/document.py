# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report's document: the health of a fleet's accelerators. All formats of the report are derived from this document."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import UNKNOWN, VERDICTS

from .actions import actions
from .answers import Health
from .before import Last, kept, last
from .common import common
from .disagreements import disagreements
from .kubernetes_states import Known
from .service import since

SCHEMA = 1
NONE = ""
"""The verdict on a node whose type has no accelerators."""
NOT_THERE = "not there"
VERSIONS = ("driver", "cuda", "efa_installer", "libfabric", "ofi_nccl", "nccl", "fabric_manager")
"""Software that training jobs use. Nodes with the same type and image normally have the same versions."""
Document = dict[str, t.Any]


@dataclass(frozen=True)
class Node:
    """A node: its entry in the inventory, its states in other systems, and the result of its check."""

    instance_id: str
    host: str
    instance_group: str
    instance_type: str
    node_type: str
    private_ip: str
    hyperpod: str
    """The node's status in HyperPod."""
    image: str = ""
    """The image's ID and release; empty if AWS returns neither."""
    hyperpod_message: str = ""
    """HyperPod's message about the status."""
    service: str = ""
    """What HyperPod is doing with the node now, as a sentence; empty if nothing."""
    slurm: str = ""
    slurm_reason: str = ""
    jobs: tuple[str, ...] = ()
    """The jobs on the node, with their owners."""
    kubernetes: Known = field(default_factory=dict)
    """The node's state in Kubernetes; empty if Kubernetes was not queried or does not have the node."""
    has_accelerators: bool = True
    """Also true if EC2 does not know the instance type."""
    health: Health | None = None
    not_read: str = ""
    """Why the node could not be checked; empty if it was."""

    @property
    def verdict(self) -> str:
        if not self.has_accelerators:
            return NONE
        return str(self.health["verdict"]) if self.health else UNKNOWN


@dataclass(frozen=True)
class Cluster:
    key: str
    arn: str
    account: str
    region: str
    nodes: tuple[Node, ...]
    failure: str = ""
    """Why the cluster could not be read; empty if it was."""
    set_up: t.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The affected instance groups, keyed by setup problem. A setup problem is a sentence about a cause outside the nodes."""
    slurm_asked: bool = True
    nccl: t.Sequence[t.Mapping[str, t.Any]] = ()
    """The NCCL tests that ran, each with ``nodes``, ``verdict``, ``bandwidth``, ``floor`` and ``text``."""


def document(
    clusters: t.Sequence[Cluster], *, created: str, before: Document | None = None, not_read: t.Sequence[str] = ()
) -> Document:
    """The document of this run.

    :param before: the previous run's document.
    :param not_read: sentences about what the inventory could not read.
    """
    nodes = [node for cluster in clusters for node in cluster.nodes]
    verdicts = collections.Counter(node.verdict for node in nodes if node.verdict != NONE)
    earlier = last(before)
    by_key = {cluster.key: _cluster(cluster, earlier.get(cluster.key, Last()), created) for cluster in clusters}
    stops = common(by_key)
    return {
        "schema": SCHEMA,
        "created": created,
        "coverage": _coverage(nodes),
        "verdicts": {verdict: verdicts[verdict] for verdict in reversed(VERDICTS)},
        "common": stops,
        "actions": actions(by_key, stops),
        "changes": _changes(by_key, before, earlier),
        "skew": [row for cluster in clusters for row in _skew(cluster)],
        "clusters": by_key,
        "inventory_failures": list(not_read),
        "before": kept(earlier, by_key, created=created),
    }


def _coverage(nodes: t.Sequence[Node]) -> dict[str, int]:
    with_accelerators = [node for node in nodes if node.has_accelerators]
    in_part = [node for node in with_accelerators if node.health and node.health["not_looked_at"]]
    unread = [node for node in with_accelerators if not node.health]
    return {
        "nodes": len(nodes),
        "looked_at": len(with_accelerators) - len(in_part) - len(unread),
        "in_part": len(in_part),
        "not_looked_at": len(unread),
        "without_accelerators": len(nodes) - len(with_accelerators),
    }


def _cluster(cluster: Cluster, before: Last, created: str) -> dict[str, t.Any]:
    return {
        "arn": cluster.arn,
        "account": cluster.account,
        "region": cluster.region,
        "failure": cluster.failure,
        "slurm_asked": cluster.slurm_asked,
        "nccl": [dict(each) for each in cluster.nccl],
        "set_up": {text: list(groups) for text, groups in cluster.set_up.items()},
        "nodes": {
            node.instance_id: _node(node, before.services.get(node.instance_id, {}), created)
            for node in sorted(cluster.nodes, key=_order)
        },
    }


def _order(node: Node) -> tuple[int, str, str]:
    """The sort key, by which the worst nodes come first."""
    rank = VERDICTS.index(node.verdict) if node.verdict != NONE else -1
    return -rank, node.instance_group, node.instance_id


def _node(node: Node, before: t.Mapping[str, str], created: str) -> dict[str, t.Any]:
    health = node.health or {}
    known: dict[str, t.Any] = {
        "hyperpod": node.hyperpod,
        "slurm": node.slurm,
        "slurm_reason": node.slurm_reason,
        "kubernetes": node.kubernetes,
    }
    return {
        "host": node.host,
        "instance_group": node.instance_group,
        "instance_type": node.instance_type,
        "node_type": node.node_type,
        "private_ip": node.private_ip,
        "image": node.image,
        "verdict": node.verdict,
        "not_read": node.not_read,
        "known": {
            **known,
            "hyperpod_message": node.hyperpod_message,
            "jobs": list(node.jobs),
            "disagrees": disagreements(node.verdict, **known),
        },
        "service": {"does": node.service, "since": since(node.service, before, now=created)},
        "gpus": health.get("gpus", []),
        "expected": health.get("expected", {}),
        "problems": health.get("problems", []),
        "waived": health.get("waived", []),
        "looked_at": health.get("looked_at", []),
        "not_looked_at": health.get("not_looked_at", []),
        "software": health.get("versions", {}),
    }


def _changes(by_key: t.Mapping[str, t.Any], before: Document | None, earlier: t.Mapping[str, Last]) -> dict[str, t.Any]:
    """Changed verdicts, new nodes and removed nodes, for the clusters that both this run and an earlier run read."""
    if not before:
        return {"since": "", "nodes": []}
    both = [key for key, cluster in by_key.items() if not cluster["failure"] and key in earlier]
    rows = [row for key in both for row in _changed(key, by_key[key]["nodes"], earlier[key])]
    return {"since": str(before.get("created", "")), "nodes": rows}


def _changed(key: str, nodes: t.Mapping[str, t.Any], before: Last) -> t.Iterator[dict[str, str]]:
    now = {iid: node["verdict"] for iid, node in nodes.items()}
    for iid in [*now, *(each for each in before.verdicts if each not in now)]:
        was, verdict = (verdicts.get(iid, NOT_THERE) for verdicts in (before.verdicts, now))
        if was != verdict:
            yield {"cluster": key, "node": iid, "was": was, "is": verdict, "since": before.read}


def _skew(cluster: Cluster) -> t.Iterator[dict[str, t.Any]]:
    """The software versions that differ among nodes with the same type and image."""
    alike: dict[tuple[str, str], list[Node]] = collections.defaultdict(list)
    for node in cluster.nodes:
        if node.health:
            alike[node.instance_type, node.image].append(node)
    for (instance_type, image), nodes in sorted(alike.items()):
        for what in VERSIONS:
            versions: dict[str, list[str]] = collections.defaultdict(list)
            for node in nodes:
                versions[(node.health or {})["versions"].get(what, "")].append(node.instance_id)
            if len([each for each in versions if each]) > 1:
                ids_by_version = {version: sorted(ids) for version, ids in sorted(versions.items()) if version}
                of = {"cluster": cluster.key, "instance_type": instance_type, "image": image}
                yield {**of, "what": what, "versions": ids_by_version}
