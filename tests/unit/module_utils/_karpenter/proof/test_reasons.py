# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds a node, and what is said where nobody knows why none comes."""

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
    ("there", "said"),
    [
        (inside(pods=(kept(),)), "It is in use by pod x?/k, which has karpenter.sh/do-not-disrupt."),
        (
            inside(pods=(pod("a", node=NODE, labels={"app": "a"}),), budgets=(Budget("default", "two", {"app": "a"}),)),
            "pod default/a, which PodDisruptionBudget two protects",
        ),
        (inside(pods=(pod("a", node=NODE), pod("b", node=NODE))), "It is in use by pod default/a; pod default/b. Karpenter removes it"),
        (
            inside(pools=(pool(disruption={"budgets": [{"nodes": "0", "schedule": "0 9 * * *"}]}),)),
            "NodePool gpus has a disruption budget of 0 nodes at 0 9 * * *",
        ),
        (inside(), "It has no Pods; Karpenter's events have the reason (kubectl describe nodeclaim gpus-1)."),
    ],
)
def test_what_holds_a_node(there: Inside, said: str) -> None:
    assert said in holding(there, "gpus", (ON,))


def test_a_node_that_karpenter_has_let_go() -> None:
    claims: tuple[t.Any, ...] = ()
    assert "HyperPod has not terminated it yet" in holding(inside(), "gpus", claims)
