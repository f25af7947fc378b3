# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What prevents the removal of a node, and the message if the reason is unknown."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.model import Inside
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.pods import Budget, Pod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.reasons import holding
from unit.module_utils._karpenter.proof.proof_states import claim, inside, pod, pool

NODE = "hyperpod-i-1"
ON = claim(node=NODE)


def kept() -> Pod:
    meta = {"name": "k", "namespace": "x\x1b", "annotations": {"karpenter.sh/do-not-disrupt": "true"}}
    return Pod.of({"metadata": meta, "spec": {"containers": [], "nodeName": NODE}, "status": {"phase": "Running"}})


@pytest.mark.parametrize(
    ("there", "message"),
    [
        (inside(pods=(kept(),)), "Pods use the nodes: x?/k, which has karpenter.sh/do-not-disrupt."),
        (
            inside(pods=(pod("a", node=NODE, labels={"app": "a"}),), budgets=(Budget("default", "two", {"app": "a"}),)),
            "Pods use the nodes: default/a, which PodDisruptionBudget two protects",
        ),
        (inside(pods=(pod("a", node=NODE), pod("b", node=NODE))), "Pods use the nodes: default/a; default/b. Karpenter removes a node"),
        (
            inside(pools=(pool(disruption={"budgets": [{"nodes": "0", "schedule": "0 9 * * *"}]}),)),
            "NodePool gpus has a disruption budget of 0 nodes with schedule 0 9 * * *",
        ),
        (inside(), "The nodes run no Pods. Karpenter's events have the reason. To read them, run kubectl describe nodeclaim gpus-1."),
    ],
)
def test_the_reason_why_a_node_is_kept_is_described(there: Inside, message: str) -> None:
    assert message in holding(there, "gpus", (ON,))


def test_a_node_without_a_claim_waits_for_hyperpod() -> None:
    claims: tuple[t.Any, ...] = ()
    assert "HyperPod has not terminated them yet" in holding(inside(), "gpus", claims)
