# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The result of ``eks_node_info``."""

from __future__ import annotations

import typing as t

from .model import Reported, State, differences, unknown


def result(state: State) -> dict[str, t.Any]:
    return {"eks_nodes": [_node(each, state) for each in state.nodes]}


def _node(node: Reported, state: State) -> dict[str, t.Any]:
    """The node. Values of its instance are only those that EC2 confirms."""
    why = unknown(node, state)
    instance = None if why else state.instances[node.instance_id]
    return {
        "name": node.name,
        "provider_id": node.provider_id,
        "instance_id": instance and instance.id,
        "zone": instance and instance.zone,
        "instance_type": instance and instance.instance_type,
        "node_group": instance and instance.node_group,
        "efa_interfaces": instance and instance.efa_interfaces,
        "unknown": why,
        "differences": differences(node, instance) if instance else [],
        "labels": {"instance_type": node.instance_type, "node_group": node.node_group},
        "gpus": node.gpus,
        "ready": node.ready,
        "unschedulable": node.unschedulable,
        "taints": list(node.taints),
    }
