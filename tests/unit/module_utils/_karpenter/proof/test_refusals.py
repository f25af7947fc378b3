# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions that prevent a proof, each with its message, before any change."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.refusals import check
from unit.module_utils._karpenter.proof.proof_states import (
    DESIRED,
    G5,
    P5,
    claim,
    inside,
    node_class,
    not_ready,
    outside,
    pod,
    pool,
    state,
)


def of(**more: t.Any) -> State:
    return state(inside=inside(**more))


def disrupted(**disruption: t.Any) -> State:
    return of(pools=(pool(disruption={"consolidateAfter": "30s", **disruption}),))


@pytest.mark.parametrize(
    ("there", "message"),
    [
        (state(outside=outside(eks=False)), "Cluster ml uses Slurm; managed Karpenter requires EKS."),
        (state(outside=outside("", "Disable")), "The autoscaler of cluster ml is not enabled, so no node would be added."),
        (state(outside=outside("Creating")), "The autoscaler of cluster ml is Creating"),
        (state(outside=outside("Failed", failure="no\x1brole")), "is Failed (no?role), so no node would be added."),
        (of(defined=False), "does not have Karpenter's custom resource definitions"),
        (of(pools=()), "node_pool: 'gpus' is not allowed: the NodePool does not exist. Allowed: none."),
        (of(pools=(pool(meta={"name": "other"}),)), "the NodePool does not exist. Allowed: other."),
        (of(pools=(pool(meta={"deletionTimestamp": "x"}),)), "NodePool gpus is being deleted"),
        (of(pools=(pool(status=not_ready("odd\nkey")),)), "NodePool gpus is not ready: odd?key"),
        (of(pools=(pool(status={"conditions": []}),)), "NodePool gpus is not ready: it has no condition Ready yet"),
        (of(classes=()), "refers to HyperpodNodeClass gpus, which does not exist."),
        (of(classes=(node_class("x", status=not_ready("no group x")),)), "HyperpodNodeClass gpus is not ready: no group x"),
        (of(classes=(node_class("x", "y"),)), "has no instance group: HyperpodNodeClass gpus names x, y, but cluster ml has g5-a, p5-a"),
        (of(classes=(node_class(),)), "has no instance group: HyperpodNodeClass gpus names none"),
        (state(candidates=()), "NodePool gpus can't get a node"),
        (disrupted(consolidateAfter="Never"), "has consolidateAfter Never, so Karpenter would not remove the empty node after the proof"),
        (disrupted(budgets=[{"nodes": "0"}]), "has a disruption budget of 0 nodes, so Karpenter would not remove the empty node after the proof"),
        (disrupted(budgets=[{"nodes": "100%"}, {"nodes": "0%", "reasons": ["Empty"]}]), "has a disruption budget of 0% nodes"),
        (state(namespace=None), "namespace: 'default' is not allowed: it does not exist."),
        (state(namespace={"kueue.x-k8s.io/managed-namespace": "true"}), "task governance manages the namespace"),
        (state(denied="no such pods here"), "no such pods here. Choose a namespace where the caller may create and delete such a Pod"),
        (
            of(claims=(claim(node="n1"),), pods=(pod("a", node="n1", labels={}), pod("b", node="n1", labels={}))),
            "NodePool gpus already has nodes of ml.g5.8xlarge in use: n1 (pod default/a and 1 more).",
        ),
        (of(claims=(claim("gpus-2"),)), "in use: NodeClaim gpus-2, whose node is starting."),
    ],
)
def test_a_proof_is_refused_with_the_reason(there: State, message: str) -> None:
    with pytest.raises(Refused) as refused:
        check(DESIRED, there)
    assert message in str(refused.value)


def test_an_instance_type_outside_the_pool_is_refused() -> None:
    with pytest.raises(Refused, match="Allowed: ml.g5.8xlarge, ml.p5.48xlarge"):
        check(dataclasses.replace(DESIRED, instance_type="ml.m5.large"), state())


@pytest.mark.parametrize(
    "there",
    [
        disrupted(budgets=[{"nodes": "0", "reasons": ["Drifted"]}]),
        disrupted(budgets=[{"nodes": "0", "schedule": "0 9 * * 1", "duration": "8h"}]),
        of(claims=(claim(node="n1"),)),
        of(claims=(claim(node="n1"),), pods=(pod(node="n1"),)),
        of(claims=(claim(),), pods=(pod(),)),
        of(claims=(claim(meta={"deletionTimestamp": "x"}),)),
        of(claims=(claim(node="n1"),), pods=(pod("a", node="n1", labels={}, phase="Succeeded"),)),
        of(claims=(claim(node="n1", instance_type=P5),), pods=(pod("a", node="n1", labels={}),)),
    ],
    ids=["other reason", "at times", "idle", "leftover", "leftover without a node", "leaving", "over", "other type"],
)
def test_a_possible_proof_is_not_refused(there: State) -> None:
    assert check(DESIRED, there).instance_type == G5


def test_the_requested_type_is_used() -> None:
    assert check(dataclasses.replace(DESIRED, instance_type=P5), state()).groups == ("p5-a", "p5-b")
