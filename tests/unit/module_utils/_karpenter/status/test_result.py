# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of karpenter_info."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.result import result
from karpenter_objects import (
    ARN,
    EARLY,
    G5,
    GPU,
    LATE,
    A,
    claim,
    inside,
    node_class,
    outside,
    pod,
    pool,
    stuck,
)

MANAGED = {"labels": {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}}


def returned(*pods: t.Any, pools: t.Any = None, out: t.Any = None, **there: t.Any) -> dict[str, t.Any]:
    return result(Desired(ARN), State(inside(*pods, pools=pools, **there), out or outside()))


def test_classes_and_pools_are_returned() -> None:
    found = returned(
        classes=(node_class("a", "b\x07", ready="gone\x1b"),),
        pools=[pool(meta=MANAGED, limits={GPU: "8"}, weight=3, disruption={"consolidateAfter": "5m", "consolidationPolicy": "WhenEmpty"})],
        claims=(claim("x", gpu=1), claim("y", gpu=1)),
    )
    assert found["node_classes"] == [
        {
            "name": "gpus",
            "groups": ["a", "b?"],
            "missing_groups": ["a", "b?"],
            "ready": False,
            "message": "gone?",
            "ours": False,
            "leaving": False,
        }
    ]
    assert found["node_pools"] == [
        {
            "name": "gpus",
            "node_class": "gpus",
            "ready": True,
            "message": "",
            "ours": True,
            "leaving": False,
            "limits": {GPU: 8.0},
            "used": {"nodes": 2.0, "cpu": 64.0, "pods": 220.0, GPU: 2.0},
            "weight": 3,
            "consolidation_policy": "WhenEmpty",
            "consolidate_after": "5m",
            "nodes": 2,
        }
    ]
    assert (found["ready"], found["gone"], found["defined"]) == (False, False, True)
    assert found["autoscaling"] == {"mode": "Enable", "status": "InService", "failure_message": "", "cluster_role": ""}


def test_claims_are_returned_with_their_pods_and_blockers() -> None:
    kept = pod("a", nodeName="n", meta={"annotations": {"karpenter.sh/do-not-disrupt": "true"}})
    found = returned(kept, pod("b", nodeName="n"), claims=(claim("x", node="n", Launched=True, Registered=True, Initialized=True), claim("y")))
    first, second = found["node_claims"]
    assert first == {
        "name": "x",
        "node_pool": "gpus",
        "instance_group": "g5",
        "instance_type": G5,
        "zone": A,
        "node": "n",
        "state": "ready",
        "created": EARLY,
        "pods": ["ns/a", "ns/b"],
        "holding": [{"kind": "pod", "name": "ns/a", "text": "Pod ns/a has karpenter.sh/do-not-disrupt"}],
    }
    assert (second["state"], second["pods"], second["holding"]) == ("waiting", [], [])


def test_the_states_of_claims_are_returned() -> None:
    claims = (
        claim("a"),
        claim("b", Launched=True),
        claim("c", Launched=True, Registered=True),
        claim("d", Launched=True, Registered=True, Initialized=True),
        claim("e", Launched=True, meta={"deletionTimestamp": LATE}),
    )
    assert [each["state"] for each in returned(claims=claims)["node_claims"]] == ["waiting", "launched", "registered", "ready", "leaving"]


def test_waiting_pods_are_returned_in_order() -> None:
    second, first = pod("a", nodeSelector={"x": "y"}), pod("b")
    found = returned(second, first, pod("c", nodeName="n"))["waiting"]
    assert [(each["pod"], each["since"], each["cause"]) for each in found] == [("ns/a", LATE, "requirements"), ("ns/b", LATE, "unknown")]
    assert found[0]["text"] == "Pod ns/a requires x=y, which no node of any NodePool (gpus) has." and found[0]["next_step"].startswith("Change")


def test_pods_that_do_not_start_are_returned_if_karpenter_owns_their_node() -> None:
    broken = stuck("ImagePullBackOff", "no such image")
    assert returned(broken)["waiting"] == []
    (found,) = returned(broken, claims=(claim("x", node="n"),))["waiting"]
    assert (found["pod"], found["cause"]) == ("ns/a", "image")


def test_only_requested_objects_decide_readiness_and_removal() -> None:
    state = State(inside(pools=[pool(), pool("bad", ready="x")], claims=(claim(of="bad"),)), outside())
    found = result(Desired(ARN, "ready", ("gpus",), ()), state)
    assert (found["ready"], found["gone"]) == (True, True)
    found = result(Desired(ARN, "gone", ("bad",), ()), state)
    assert (found["ready"], found["gone"]) == (False, False)
