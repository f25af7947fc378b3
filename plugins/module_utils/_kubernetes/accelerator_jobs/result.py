# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What is returned of the nodes."""

from __future__ import annotations

import dataclasses
import typing as t

from .model import Answer, Desired, KubernetesNode, State


def result(desired: Desired, state: State, answers: t.Mapping[str, Answer]) -> dict[str, t.Any]:
    nodes = [
        {
            "instance_id": each.instance_id,
            "kubernetes": _kubernetes(state.nodes.get(each.node)),
            "health": answers[each.instance_id].health,
            "why": answers[each.instance_id].why,
        }
        for each in desired.nodes
    ]
    return {"nodes": nodes, "pods_seen": state.pods_seen}


def _kubernetes(node: KubernetesNode | None) -> dict[str, t.Any] | None:
    if node is None:
        return None
    conditions = [
        {"type": each.kind, "status": each.status, "reason": each.reason, "message": each.message} for each in node.conditions
    ]
    return {**dataclasses.asdict(node), "taints": list(node.taints), "pods": list(node.pods), "conditions": conditions}
