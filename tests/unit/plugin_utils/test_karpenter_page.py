# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text page about managed Karpenter."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.karpenter_page import MOST, page

NOW = "2026-10-04T12:00:00Z"
NOTHING: dict[str, t.Any] = {
    "autoscaling": {"mode": "Disable", "status": "", "failure_message": "", "cluster_role": ""},
    "defined": False,
    "node_classes": [],
    "node_pools": [],
    "node_claims": [],
    "waiting": [],
    "price": {"prices": [], "currency": "USD", "total_per_hour": 0.0, "unknown": [], "told": "nothing: Karpenter has no nodes", "notes": []},
}
SCALER = {"mode": "Enable", "status": "InService", "failure_message": "", "cluster_role": "arn:aws:iam::111111111111:role/k"}
CLASS = {"name": "gpus", "groups": ["g5-a", "g5-b"], "missing_groups": [], "ready": True, "message": "", "ours": True, "leaving": False}
POOL = {
    "name": "gpus",
    "node_class": "gpus",
    "ready": True,
    "message": "",
    "ours": True,
    "leaving": False,
    "limits": {"nvidia.com/gpu": 8.0, "memory": 2.0**40},
    "used": {"nodes": 1.0, "nvidia.com/gpu": 1.0},
    "weight": 0,
    "consolidation_policy": "WhenEmptyOrUnderutilized",
    "consolidate_after": "5m",
    "nodes": 1,
}
CLAIM = {
    "name": "gpus-1",
    "node_pool": "gpus",
    "instance_group": "g5-a",
    "instance_type": "ml.g5.8xlarge",
    "zone": "us-west-2a",
    "node": "hyperpod-i-1",
    "state": "ready",
    "created": "2026-10-04T09:55:00Z",
    "pods": ["ns/a"],
    "holding": [],
}
WAITS = {"pod": "ns/b", "since": "2026-10-04T11:48:30Z", "cause": "limits", "text": "NodePool gpus is full.", "next_step": "Raise it."}
PRICE = {
    "prices": [{"instance_type": "ml.g5.8xlarge", "count": 1, "price_per_hour": 3.06, "total_per_hour": 3.06, "source": "price list"}],
    "currency": "USD",
    "total_per_hour": 3.06,
    "unknown": [],
    "told": "about 3.06 USD an hour (1 x ml.g5.8xlarge 3.06)",
    "notes": [],
}
BUSY = {
    "autoscaling": SCALER,
    "defined": True,
    "node_classes": [CLASS],
    "node_pools": [POOL],
    "node_claims": [CLAIM],
    "waiting": [WAITS],
    "price": PRICE,
}


def shown(**more: t.Any) -> list[str]:
    return page({**BUSY, **more}, now=NOW)


def test_the_page_is_formatted() -> None:
    assert shown() == [
        "autoscaler  InService, role arn:aws:iam::111111111111:role/k",
        "NodeClasses gpus  Ready  instance groups g5-a, g5-b",
        "NodePools   gpus  Ready  NodeClass gpus; 1 node; nvidia.com/gpu 1 of 8, memory 0Gi of 1024Gi; nodes are removed 5m after they are empty or underused",
        "nodes       hyperpod-i-1  ml.g5.8xlarge  us-west-2a  g5-a  ready (2h 5m old)  3.06 USD  1 Pod",
        "waiting     ns/b  for 11m  limits: NodePool gpus is full.",
        "                Raise it.",
        "an hour     about 3.06 USD an hour (1 x ml.g5.8xlarge 3.06)",
        "            list prices, without Spot Instances, discounts and reservations",
    ]


def test_an_empty_page_is_formatted() -> None:
    assert page(NOTHING, now=NOW) == [
        "autoscaler  off, role none",
        "            the API server has no Karpenter resource types",
        "NodeClasses none",
        "NodePools   none",
        "nodes       none",
        "waiting     none",
        "an hour     nothing: Karpenter has no nodes",
    ]


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"autoscaling": {**SCALER, "status": "Failed", "failure_message": "No role."}}, "            failure: No role."),
        ({"node_classes": [{**CLASS, "ready": False, "message": "gone: g5-a"}]}, "NodeClasses gpus  not Ready (gone: g5-a)  instance groups g5-a, g5-b"),
        ({"node_classes": [{**CLASS, "ready": False, "groups": []}]}, "NodeClasses gpus  not Ready (no message yet)  instance groups none"),
        ({"node_classes": [{**CLASS, "missing_groups": ["g5-b"]}]}, "NodeClasses gpus  Ready  instance groups g5-a, g5-b (not in the cluster: g5-b)"),
        ({"node_classes": [{**CLASS, "leaving": True}]}, "NodeClasses gpus  leaving  instance groups g5-a, g5-b"),
        (
            {"node_pools": [{**POOL, "limits": {}, "consolidate_after": "Never", "nodes": 2}]},
            "NodePools   gpus  Ready  NodeClass gpus; 2 nodes; no limits; empty nodes stay",
        ),
        (
            {"node_pools": [{**POOL, "limits": {}, "consolidation_policy": "WhenEmpty"}]},
            "NodePools   gpus  Ready  NodeClass gpus; 1 node; no limits; nodes are removed 5m after they are empty",
        ),
        (
            {"node_claims": [{**CLAIM, "node": "", "instance_type": "", "zone": "", "instance_group": "", "state": "waiting", "pods": []}]},
            "nodes       gpus-1  type unknown  zone unknown  -  waiting (2h 5m old)  no price yet  0 Pods",
        ),
        ({"node_claims": [{**CLAIM, "holding": [{"text": "Pod ns/a stays"}]}]}, "                would be blocked by: Pod ns/a stays"),
        ({"node_claims": [{**CLAIM, "state": "leaving", "holding": [{"text": "Pod ns/a stays"}]}]}, "                blocked by: Pod ns/a stays"),
        ({"price": {**PRICE, "notes": ["The Price List API could not be read."]}}, "            The Price List API could not be read."),
    ],
)
def test_each_state_has_its_line(more: t.Any, line: str) -> None:
    assert line in shown(**more)


def test_an_unknown_price_is_shown() -> None:
    prices = [{**PRICE["prices"][0], "price_per_hour": None}]
    assert "  price unknown  " in shown(price={**PRICE, "prices": prices})[3]


def test_long_lists_are_counted() -> None:
    lines = shown(waiting=[WAITS] * (MOST + 3), node_claims=[{**CLAIM, "name": f"c{turn}"} for turn in range(MOST + 2)])
    assert "            and 3 more: 3 limits" in lines and "            and 2 more: 2 ready" in lines
    assert len(lines) < 3 * MOST + 20


@pytest.mark.parametrize(
    ("since", "age"),
    [
        ("2026-10-04T11:59:30Z", "0m"),
        ("2026-10-04T12:00:30Z", "0m"),
        ("2026-10-04T11:01:00Z", "59m"),
        ("2026-10-04T11:00:00Z", "1h 0m"),
        ("2026-10-01T10:00:00Z", "3d 2h"),
        ("", "?"),
        ("soon", "?"),
        ("2026-10-04T11:59:30", "?"),
    ],
)
def test_ages_are_formatted(since: str, age: str) -> None:
    assert f"ns/b  for {age}  limits" in "\n".join(shown(waiting=[{**WAITS, "since": since}]))
