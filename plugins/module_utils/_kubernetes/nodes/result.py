# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A node as modules return it."""

from __future__ import annotations

import dataclasses
import typing as t

from .model import Desired, KubernetesNode, State, node_name


def as_result(node: KubernetesNode | None) -> dict[str, t.Any] | None:
    if node is None:
        return None
    conditions = [
        {"type": each.kind, "status": each.status, "reason": each.reason, "message": each.message} for each in node.conditions
    ]
    return {**dataclasses.asdict(node), "taints": list(node.taints), "pods": list(node.pods), "conditions": conditions}


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    nodes = [{"instance_id": iid, "kubernetes": as_result(state.nodes.get(node_name(iid)))} for iid in desired.instance_ids]
    return {"nodes": nodes}
