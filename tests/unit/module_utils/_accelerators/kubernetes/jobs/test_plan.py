# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that cannot be checked, and the order of the others."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.plan import batches, refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import KubernetesNode, State

from .looked_at import desired, iid


def state(*nodes: tuple[int, str, tuple[str, ...]]) -> State:
    found = [KubernetesNode(f"hyperpod-{iid(number)}", not_ready=why, pods=pods) for number, why, pods in nodes]
    return State({each.name: each for each in found})


def test_unknown_nodes_and_nodes_that_start_no_pod_are_refused() -> None:
    seen = state((1, "", ()), (2, "it is being deleted", ()), (4, "", ()))
    found = {name: each.why for name, each in refused(desired(1, 2, 3), seen).items()}
    assert found == {
        iid(2): f"No Pod can start on node hyperpod-{iid(2)}: it is being deleted.",
        iid(3): f"Node hyperpod-{iid(3)} does not exist in Kubernetes.",
    }


def test_idle_nodes_come_first() -> None:
    seen = state((1, "", ("a/b",)), (2, "", ()), (3, "", ("a/c",)), (4, "", ()), (5, "", ()))
    planned = batches(desired(1, 2, 3, 4, 5), seen, [iid(5)])
    assert [[each.instance_id for each in batch] for batch in planned] == [[iid(2), iid(4)], [iid(1), iid(3)]]
    assert batches(desired(5), seen, [iid(5)]) == []
