# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the attachment of a volume. No I/O."""

from __future__ import annotations

import dataclasses

from ..._core.failure import refuse_option
from ..._core.plan import Change, Plan, Step
from .model import ATTACHED, AVAILABLE, Attachment, Desired, State


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for a cluster, a node or a volume that AWS would refuse."""
    here = state.attachment is not None and state.attachment.holder == desired.node_id
    if here == desired.present:
        return Plan()
    if state.cluster.orchestrator != "eks":
        why = "AWS attaches volumes only to nodes of clusters with EKS"
        refuse_option("cluster_arn", desired.cluster_arn, "a cluster with EKS", why)
    if not desired.present:
        after = dataclasses.replace(state, status=AVAILABLE, attachment=None)
        return Plan((_step("DetachClusterNodeVolume", desired, Change("delete", desired.resource), after),))
    if desired.node_id not in state.nodes:
        refuse_option("node_id", desired.node_id, f"nodes of cluster {state.cluster.name}", "the cluster has no such node")
    if state.attachment is not None:
        refuse_option("volume_id", desired.volume_id, "a volume that is available", f"it is attached to {state.attachment.holder}")
    if state.status != AVAILABLE:
        refuse_option("volume_id", desired.volume_id, "a volume that is available", f"it is {state.status}")
    after = dataclasses.replace(state, status="in-use", attachment=Attachment(desired.node_id, ATTACHED))
    return Plan((_step("AttachClusterNodeVolume", desired, Change("create", desired.resource), after),))


def _step(operation: str, desired: Desired, change: Change, after: State) -> Step:
    arguments = {"ClusterArn": desired.cluster_arn, "NodeId": desired.node_id, "VolumeId": desired.volume_id}
    return Step(operation, arguments, (change,), lambda state: after)
