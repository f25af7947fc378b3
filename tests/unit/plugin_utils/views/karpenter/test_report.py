# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of karpenter_status in addition to its page."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.karpenter_page import MOST
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.karpenter.report import NOT_READ, cost_files, page, proven

SEEN: dict[str, t.Any] = {
    "autoscaling": {"mode": "Enable", "status": "InService", "failure_message": "", "cluster_role": "r"},
    "defined": True,
    "node_classes": [],
    "node_pools": [],
    "node_claims": [],
    "waiting": [],
    "price": {"prices": [], "currency": "USD", "total_per_hour": 0.0, "unknown": [], "told": "nothing", "notes": []},
}
CLASS = {"name": "gpus", "groups": ["a", "b"], "ready": False, "message": "", "ours": True, "leaving": False}


def findings(**seen: t.Any) -> list[tuple[str, str]]:
    return [(each["code"], each["text"]) for each in page({"__karpenter_seen": {**SEEN, **seen}}).findings]


def waits(number: int, cause: str) -> dict[str, str]:
    return {"pod": f"ns/{number}", "since": "2026-10-04T11:48:30Z", "cause": cause, "text": "It waits.", "next_step": "Wait."}


def test_a_missing_group_of_a_node_class_is_reported() -> None:
    ((code, text),) = findings(node_classes=[{**CLASS, "missing_groups": ["b"]}, {**CLASS, "missing_groups": []}])
    assert code == "karpenter-group-gone" and text.startswith("NodeClass gpus names instance group b, which the cluster lacks")


def test_many_waiting_pods_are_listed_partially_and_counted() -> None:
    found = findings(waiting=[waits(number, "limits" if number % 2 else "capacity") for number in range(MOST + 3)])
    assert [code for code, _text in found] == ["karpenter-waits"] * (MOST + 1)
    assert found[0][1] == "Pod ns/0 waits for a node: It waits. Wait."
    assert found[-1][1] == "3 more pods wait for a node: 2 capacity, 1 limits."
    assert len(findings(waiting=[waits(number, "limits") for number in range(MOST)])) == MOST


@pytest.mark.parametrize(("down", "shown"), [(30.2, "30"), (None, "0")])
def test_a_proof_is_reported_with_price_steps_and_times(down: float | None, shown: str) -> None:
    proof = {
        "node_pool": "gpus",
        "instance_type": "ml.g5.xlarge",
        "instance_group": "g5-a",
        "price": {"told": "1.41 USD an hour"},
        "timeline": [{"step": "node claim", "seconds": 4.4}, {"step": "node", "seconds": 50.0}],
        "seconds_up": 61.6,
        "seconds_down": down,
    }
    found = proven({"__karpenter_proof": proof})
    assert [each["text"] for each in (*found.price, *found.timeline)] == [
        "The proof of NodePool gpus starts one node of ml.g5.xlarge: 1.41 USD an hour.",
        f"NodePool gpus works: a pod ran on a new node of group g5-a after 62 s, and the node was removed {shown} s after the pod. "
        "node claim 4 s; node 50 s.",
    ]


def test_the_cost_of_all_clusters_is_in_one_file() -> None:
    price = {**SEEN["price"], "total_per_hour": 3.06, "unknown": ["ml.x"]}
    hosts = {key: {"hyperpod_cluster_arn": f"arn:{key}"} for key in ("ml", "other", "third")}
    hosts["ml"]["__karpenter_seen"] = {**SEEN, "price": price, "node_claims": [{}, {}], "waiting": [waits(1, "limits")]}
    hosts["other"]["__karpenter_seen"] = {"msg": "failed"}
    variables = {"karpenter_json": "k.json", "hyperpod_state_dir": "/s", "hostvars": hosts, "groups": {"hyperpod_clusters": [*hosts]}}
    (file,) = cost_files({**variables, "ansible_play_hosts_all": ["ml", "other"]})
    found = json.loads(file["content"])
    numbers = {"nodes": 2, "per_hour": 3.06, "currency": "USD", "without_price": ["ml.x"], "waiting_pods": 1}
    assert (file["path"], found["schema"]) == ("/s/k.json", 1)
    assert found["karpenter"] == {"ml": {"arn": "arn:ml", "failure": "", **numbers}, "other": {"arn": "arn:other", "failure": NOT_READ}}


def test_no_file_without_a_path() -> None:
    assert cost_files({"karpenter_json": ""}) == []
