# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What blocks the removal of a NodeClaim."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.holding import holding
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.pods import Budget
from karpenter_objects import LATE, claim, inside, pod, pool

KEPT = {"annotations": {"karpenter.sh/do-not-disrupt": "true"}}
GOING = {"deletionTimestamp": LATE}


def held(*pods: t.Any, of: t.Any = None, **there: t.Any) -> list[str]:
    return [each.text for each in holding(of or claim(node="n"), pods, inside(*pods, **there))]


def test_an_unprotected_claim_is_not_blocked() -> None:
    assert held(pod(nodeName="n")) == []
    assert held(pools=[]) == []


def test_pods_with_do_not_disrupt_block_a_removal() -> None:
    found = holding(claim(), (pod("a", meta=KEPT), pod("b")), inside())
    assert [each.to_result() for each in found] == [{"kind": "pod", "name": "ns/a", "text": "Pod ns/a has karpenter.sh/do-not-disrupt"}]


def test_exhausted_pod_disruption_budgets_block_a_removal() -> None:
    budgets = (Budget("ns", "all", {}), Budget("ns", "app", {"app": "x"}), Budget("other", "all", {}))
    found = held(pod("a", meta={"labels": {"app": "x"}}), pod("b"), budgets=budgets)
    assert found == [
        "PodDisruptionBudget ns/all allows no disruption of its Pods (ns/a, ns/b)",
        "PodDisruptionBudget ns/app allows no disruption of its Pods (ns/a)",
    ]


@pytest.mark.parametrize(
    ("budget", "text"),
    [
        ({"nodes": "0"}, "a disruption budget of NodePool gpus allows no node to be removed"),
        ({"nodes": "0%"}, "a disruption budget of NodePool gpus allows no node to be removed"),
        ({"nodes": "0", "reasons": ["Drifted", "Empty"]}, "a disruption budget of NodePool gpus allows no node to be removed for reason Drifted, Empty"),
        (
            {"nodes": "0", "schedule": "0 8 * * *", "duration": "8h"},
            "a disruption budget of NodePool gpus allows no node to be removed, with schedule 0 8 * * * and duration 8h",
        ),
    ],
)
def test_exhausted_budgets_of_the_pool_block_a_removal(budget: t.Any, text: str) -> None:
    pools = [pool(disruption={"budgets": [{"nodes": "10%"}, budget]})]
    assert held(pools=pools) == [text]
    assert held(of=claim(meta=GOING), pools=pools) == [], "it was deleted by a user, which is no disruption by Karpenter"
    assert held(pools=[pool(meta=GOING, disruption={"budgets": [budget]})]) == []
    assert held(of=claim(of="other"), pools=pools) == []


def test_a_budget_that_allows_disruptions_blocks_nothing() -> None:
    assert held(pools=[pool(disruption={"budgets": [{"nodes": "1"}, {"nodes": "10%"}]})]) == []
