# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of Karpenter, read from the API server's answers."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.model import Inside, NodeClaim, NodePool
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.pods import Pod


def pool(**spec: t.Any) -> NodePool:
    reference = {"group": "karpenter.sagemaker.amazonaws.com", "kind": "HyperpodNodeClass", "name": "gpus"}
    return NodePool.of({"metadata": {"name": "p"}, "spec": {"template": {"spec": {"nodeClassRef": reference}}, **spec}})


def test_a_pool_may_have_only_a_class() -> None:
    found = pool()
    assert (found.node_class, found.limits, found.consolidate_after, found.weight) == ("gpus", {}, "0s", 0)
    assert found.consolidation_policy == "WhenEmptyOrUnderutilized"
    assert found.meta.managed is False


def test_limits_are_numbers() -> None:
    assert pool(limits={"nvidia.com/gpu": "8", "memory": "1Ti", "odd": "some"}).limits == {"nvidia.com/gpu": 8, "memory": 2**40}


def test_conditions_contain_the_reason() -> None:
    conditions = [
        {"type": "Ready", "status": "False", "reason": "UnhealthyDependents", "message": ""},
        {"type": "NodeClassReady", "status": "True", "reason": "x", "message": "fine"},
    ]
    status = NodePool.of(
        {
            "metadata": {"name": "p"},
            "spec": {"template": {"spec": {"nodeClassRef": {"name": "n"}}}},
            "status": {"conditions": conditions},
        }
    ).status
    assert status.holds("NodeClassReady") and not status.holds("Ready") and not status.holds("Validated")
    assert status.why_not_ready == "UnhealthyDependents"


def test_the_pods_of_a_claim_are_those_on_its_node() -> None:
    claim = NodeClaim.of(
        {"metadata": {"name": "c", "labels": {"karpenter.sh/nodepool": "p"}}, "status": {"nodeName": "n", "capacity": {"cpu": "4"}}}
    )
    waiting = NodeClaim.of({"metadata": {"name": "d"}})
    made = [
        {"metadata": {"name": name, "namespace": "x"}, "spec": {"containers": [], "nodeName": node}, "status": {"phase": phase}}
        for name, node, phase in (("a", "n", "Running"), ("b", "n", "Succeeded"), ("c", "m", "Running"), ("d", "", "Pending"))
    ]
    inside = Inside(claims=(claim, waiting), pods=tuple(map(Pod.of, made)))
    assert [each.meta.name for each in inside.on(claim)] == ["a"]
    assert inside.on(waiting) == ()
    assert (claim.pool, claim.capacity) == ("p", {"cpu": 4})
