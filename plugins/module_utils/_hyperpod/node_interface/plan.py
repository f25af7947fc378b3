# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the attachment of a network interface. No I/O."""

from __future__ import annotations

import dataclasses

from ..._core.failure import refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from .model import AVAILABLE, Desired, State


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for a node that does not exist, and for an interface that is attached elsewhere."""
    if state.holder == desired.node_id:
        return Plan()
    if desired.node_id not in state.nodes:
        refuse_option("node_id", desired.node_id, f"nodes of cluster {state.cluster}", "the cluster has no such node")
    if state.attachment_id and not state.holder:
        attached = f"{desired.resource} is attached ({state.attachment_id}), but EC2 does not return the ID of its node."
        return Plan(notes=(f"{attached} Nothing was changed.",))
    if state.holder or state.status != AVAILABLE:
        why = f"it is attached to {state.holder}" if state.holder else f"it is {state.status}"
        refuse_option("network_interface_id", desired.interface_id, "an interface that is available", why)
    arguments = {"ClusterName": desired.cluster_arn, "NodeId": desired.node_id, "NetworkInterfaceId": desired.interface_id}
    after = dataclasses.replace(state, status="in-use", holder=desired.node_id, attachment_id=KNOWN_AFTER_APPLY)
    change = Change("update", desired.resource, "node", None, desired.node_id)
    return Plan((Step("AttachClusterNodeNetworkInterface", arguments, (change,), lambda state: after),))
