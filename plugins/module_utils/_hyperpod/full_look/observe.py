# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the record of the last full look, and the lock, the records and the nodes of the cluster."""

from __future__ import annotations

from ..._aws.parameters import Parameters
from ..._core.arn import ClusterArn
from ..._lock.model import Locks
from ..api import HyperPod
from ..model import Cluster
from ..records.model import ROLLOUT, Records
from .model import FullLook, Observed, State, digest, parameter_of


class Observer:
    """Reads the record."""

    def __init__(self, parameters: Parameters, arn: ClusterArn) -> None:
        self._parameters = parameters
        self._name = parameter_of(arn)

    def __call__(self) -> State:
        text = self._parameters.text(self._name, about=f"parameter {self._name}")
        return State(FullLook.from_json(text), exists=text is not None)


def observed(hyperpod: HyperPod, arn: ClusterArn, *, locks: Locks, records: Records, token: str | None) -> Observed:
    """``token`` identifies this run. A hold of a rollout is no change of the cluster, so it causes no full look."""
    nodes = hyperpod.nodes(Cluster(arn.id, arn.text, arn.id, arn.region, arn.account, arn.partition, "", "slurm"))
    tokens = dict(locks.generations)
    return Observed(
        generation=locks.top,
        holder=locks.holder[1].owner if locks.holder else "",
        ours=locks.top > 0 and tokens[locks.top].token == token,
        nodes=digest(sorted((node.group, node.status, *node.triple) for node in nodes)),
        instance_ids=frozenset(node.instance_id for node in nodes),
        records=digest({kind: found for kind, found in records.items() if kind != ROLLOUT}),
    )
