# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs of EKS nodes: which are cordoned, left alone, and uncordoned."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.remediation import kubernetes as views

from ..._accelerators.fleets import node
from .test_repairs import BAD, Variables, repair, variables

ARN = "arn:aws:eks:us-west-2:111111111111:cluster/pods"
NEW = "i-new"


def of_eks(*nodes: t.Any, hosts: t.Sequence[str] = (), run: Variables | None = None, **more: t.Any) -> Variables:
    given = {"remediation_kubeconfig": "", "remediation_context": "", "hyperpod_cluster_group": "cluster_ml", **more}
    made = variables(*nodes, run={"cluster": {"eks_cluster_arn": ARN}, **(run or {})}, **given)
    made["groups"] = {**made["groups"], "cluster_ml": ["ml", *hosts]}
    made["hostvars"].update({iid: {"hyperpod_instance_id": iid, "hyperpod_instance_group": "gpus"} for iid in hosts})
    return made


def test_the_kubernetes_query_covers_the_repaired_nodes() -> None:
    first, second, third = (node(number).instance_id for number in (1, 2, 3))
    run = {"repairs": [repair(1), repair(2, "replace")], "nodes_before": [first, second, third]}
    before = views.nodes(of_eks(node(1, BAD), node(2, BAD), node(3), hosts=[first, second, third], run=run))
    assert (before.ids, before.unseen, before.fit) == ([first, second], [], [third]) and before.reason.startswith(before.purpose)
    done = {**run, "repaired": [first, second]}
    after = views.nodes(of_eks(node(1, BAD), node(3), hosts=[first, third, NEW], run=done))
    assert (after.unseen, after.fit) == ([first, NEW], [third])
    seen = views.nodes(of_eks(node(1), node(3), hosts=[first, third], run={**done, "judged": True}))
    assert (seen.unseen, seen.fit) == ([], [first, third])


def test_a_cluster_locked_by_another_run_is_left_alone() -> None:
    found = views.nodes(of_eks(node(1), hosts=[node(1).instance_id]))
    assert (found.ids, found.unseen, found.fit) == ([], [], [])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, (ARN, None, None)),
        ({"remediation_kubeconfig": "/k"}, (None, "/k", None)),
        ({"remediation_context": "tunnel"}, (None, None, "tunnel")),
    ],
)
def test_the_api_server_is_reached_as_configured(given: Variables, expected: tuple[t.Any, ...]) -> None:
    found = views.nodes(of_eks(run={"repairs": []}, **given))
    assert (found.eks_cluster, found.kubeconfig, found.context) == expected


def row(number: int, **more: t.Any) -> Variables:
    return {"instance_id": node(number).instance_id, "kubernetes": {"name": f"hyperpod-{node(number).instance_id}", **more}}


def test_nodes_with_pods_or_actions_of_hyperpod_are_left_alone() -> None:
    rows = [
        row(1, pods=["research/train-0"]),
        row(2, health_status="UnschedulablePendingReplacement"),
        row(3, health_status="Schedulable", unschedulable=True),
        {"instance_id": node(4).instance_id, "kubernetes": None},
    ]
    run = {"repairs": [repair(number) for number in (1, 2, 3, 4)]}
    occupied = views.emptied_of_pods(of_eks(run=run, __remediation_pods={"nodes": rows}))
    assert occupied == {
        node(1).instance_id: "there are pods on it: research/train-0.",
        node(2).instance_id: "HyperPod acts on the node's label node-health-status=UnschedulablePendingReplacement.",
        node(4).instance_id: "Kubernetes has no such node, so it is unknown whether the node is in use.",
    }
    assert len(views.emptied_of_pods(of_eks(run=run))) == 4
