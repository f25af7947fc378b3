# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Assigned, PodSet, Wish, Workload
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.proof import (
    DIFFERS,
    KEPT,
    LEFT,
    MOVED,
    SPILLED,
    UNKNOWN,
    placement,
    table,
)

from .jobs import LAYER, LEVELS, pods, state

HOST = ("kubernetes.io/hostname",)
REQUIRED, PREFERRED, ANYWHERE = Wish("required", f"{LAYER}3"), Wish("preferred", f"{LAYER}3"), Wish("unconstrained")
SLICED = Wish("required", f"{LAYER}1", f"{LAYER}3", 2)


def by_host(*nodes: str) -> Workload:
    domains = tuple(((each,), nodes.count(each)) for each in dict.fromkeys(nodes))
    return Workload("w", assigned=(Assigned("main", len(nodes), ("gpus",), HOST, domains),))


def by_layers(*paths: tuple[str, ...]) -> Workload:
    domains = tuple((each, paths.count(each)) for each in dict.fromkeys(paths))
    return Workload("w", assigned=(Assigned("main", len(paths), ("gpus",), LEVELS[: len(paths[0])], domains),))


AAA, ABA = ("a", "aa", "aaa"), ("a", "ab", "aba")


@pytest.mark.parametrize(
    ("wish", "workload", "nodes", "verdict"),
    [
        (REQUIRED, by_host("n1", "n2"), ("n1", "n2"), KEPT),
        (REQUIRED, by_host("n1", "n1"), ("n1", "n1"), KEPT),
        (REQUIRED, by_host("n1", "n2"), (), KEPT),
        (REQUIRED, by_host("n1", "n2"), ("n1", ""), KEPT),
        (REQUIRED, by_layers(AAA, AAA), ("n1", "n2"), KEPT),
        (REQUIRED, None, ("n1", "n2"), KEPT),
        (REQUIRED, by_host("n1", "n3"), ("n1", "n3"), LEFT),
        (REQUIRED, by_host("n1", "n3"), (), LEFT),
        (REQUIRED, by_layers(AAA, ABA), (), LEFT),
        (REQUIRED, None, ("n1", "n3"), LEFT),
        (REQUIRED, by_host("n1", "n2"), ("n1", "n3"), LEFT),
        (REQUIRED, by_host("n1", "n2"), ("n1", "n5"), LEFT),
        (REQUIRED, None, ("n5",), LEFT),
        (REQUIRED, by_host("n1", "n2"), ("n1", "n1"), DIFFERS),
        (REQUIRED, by_host("n1", "n2"), ("n3", "n4"), DIFFERS),
        (REQUIRED, by_layers(AAA, AAA), ("n3", "n4"), DIFFERS),
        (REQUIRED, by_host("n1", "gone"), ("n1", "n2"), MOVED),
        (REQUIRED, by_host("n1", "gone"), ("n1", "n3"), LEFT),
        (REQUIRED, None, (), UNKNOWN),
        (REQUIRED, Workload("w"), (), UNKNOWN),
        (PREFERRED, by_host("n1", "n3"), ("n1", "n3"), SPILLED),
        (PREFERRED, by_host("n1", "n2"), ("n1", "n2"), KEPT),
        (PREFERRED, by_host("n1", "n2"), ("n1", "n3"), DIFFERS),
        (PREFERRED, None, ("n1", "n5"), SPILLED),
        (ANYWHERE, by_host("n1", "n3"), ("n1", "n3"), KEPT),
        (ANYWHERE, by_host("n1", "n3"), ("n1", "n4"), DIFFERS),
        (ANYWHERE, None, (), UNKNOWN),
        (SLICED, by_host("n1", "n2", "n3", "n4"), ("n1", "n2", "n3", "n4"), KEPT),
        (SLICED, by_host("n1", "n2", "n3", "n4"), ("n1",), KEPT),
        (SLICED, by_host("n1", "n1", "n2", "n3"), ("n1", "n1", "n2", "n3"), LEFT),
        (SLICED, None, ("n1", "n2", "n2", "n3"), LEFT),
        (SLICED, None, ("n1", "n2", "n5", "n5"), LEFT),
        (PREFERRED, None, ("n5", "n5"), SPILLED),
        (Wish("", "", f"{LAYER}3", 2), None, ("n1", "n3", "n4", "n4"), LEFT),
        (Wish("", "", f"{LAYER}3", 2), by_host("n1", "n2", "n3", "n4"), (), KEPT),
    ],
)
def test_placements_have_the_expected_verdict(wish, workload, nodes, verdict):
    count = 4 if wish.slice_size else 2
    found = placement([PodSet("main", count, wish)], state(workload=workload, pods=pods(*nodes)))
    assert (found.verdict, found.wrong) == (verdict, verdict in (LEFT, DIFFERS)), found
    assert found.described


def test_pods_are_expected_to_move_from_a_node_that_kueue_considers_lost():
    lost = Workload("w", assigned=by_host("n1", "n2").assigned, unhealthy=("n2",))
    found = placement([PodSet("main", 2, REQUIRED)], state(workload=lost, pods=pods("n1", "n1")))
    assert found.verdict == MOVED and found.rows[1].verdict == "moved: its node is lost"


def test_domains_are_identified_within_their_parents():
    twins = {"x": {f"{LAYER}1": "a", f"{LAYER}2": "same"}, "y": {f"{LAYER}1": "b", f"{LAYER}2": "same"}}
    found = placement([PodSet("main", 2, Wish("required", f"{LAYER}2"))], state(nodes=twins, pods=pods("x", "y")))
    assert found.verdict == LEFT
    assert found.podsets[0].domains == (("same", 1), ("same", 1))


def test_without_access_to_nodes_assignments_are_compared():
    blind = state(nodes=None, workload=by_layers(AAA, AAA), pods=pods("n1", "n2"))
    found = placement([PodSet("main", 2, REQUIRED)], blind)
    assert found.verdict == KEPT and [each.domain for each in found.rows] == ["", ""]
    by_name = state(nodes=None, workload=by_host("n1", "n2"), pods=pods("n1", "n3"))
    assert placement([PodSet("main", 2, REQUIRED)], by_name).verdict == DIFFERS


@pytest.mark.parametrize(("nodes", "why"), [(None, "because it lacks permission to list nodes"), ({}, "on nodes without topology data")])
def test_an_unknown_verdict_has_a_reason(nodes, why):
    found = placement([PodSet("main", 2, REQUIRED)], state(nodes=nodes, workload=by_host("n1", "n2"), pods=pods("n1", "n2")))
    assert found.verdict == UNKNOWN and found.described.endswith(why)


def test_the_worst_pod_set_with_a_request_determines_the_verdict():
    both = [PodSet("master", 1, Wish()), PodSet("worker", 2, REQUIRED)]
    there = state(pods=(*pods("n3", podset="master"), *pods("n1", "n2", podset="worker")))
    found = placement(both, there)
    assert found.verdict == KEPT and found.described == "the worker Pods are in aaa (2)"
    assert [(each.podset, each.node, each.domain) for each in found.rows] == [("master", "n3", ""), ("worker", "n1", "aaa"), ("worker", "n2", "aaa")]
    assert placement([PodSet("master", 1, Wish())], state(pods=pods("n3"))).verdict == UNKNOWN


MASTER = PodSet("master", 1, Wish(), leads=True)
ASSIGNED = (Assigned("master", 1, (), HOST, ((("n3",), 1),)), Assigned("worker", 2, (), HOST, ((("n1",), 1), (("n2",), 1))))
BY_LAYER = (Assigned("master", 1, (), LEVELS[:3], ((ABA, 1),)), Assigned("worker", 2, (), LEVELS[:3], ((AAA, 2),)))
APART = "master, the leader of the worker Pods, is in a different domain: aba"


def master_and_workers(at, *nodes):
    return (*pods(at, podset="master"), *pods(*nodes, podset="worker"))


@pytest.mark.parametrize(
    ("wish", "given", "verdict", "ending"),
    [
        (REQUIRED, {"pods": master_and_workers("n3", "n1", "n2")}, KEPT, f"the worker Pods are in aaa (2); {APART}"),
        (REQUIRED, {"workload": Workload("w", assigned=ASSIGNED)}, KEPT, f"the worker Pods are in aaa (2); {APART}"),
        (REQUIRED, {"workload": Workload("w", assigned=BY_LAYER), "levels": ()}, KEPT, f"the worker Pods are in aaa (2); {APART}"),
        (
            REQUIRED,
            {"workload": Workload("w", assigned=BY_LAYER[1:]), "levels": (), "pods": master_and_workers("n1", "n1", "n2")},
            KEPT,
            "the worker Pods are in aaa (2)",
        ),
        (PREFERRED, {"pods": master_and_workers("n4", "n1", "n1")}, KEPT, f"the worker Pods are in aaa (2); {APART}"),
        (PREFERRED, {"pods": master_and_workers("n4", "n1", "n3")}, SPILLED, "they are in aaa (1), aba (1)"),
        (REQUIRED, {"pods": master_and_workers("n1", "n1", "n2")}, KEPT, "the worker Pods are in aaa (2)"),
        (REQUIRED, {"pods": master_and_workers("n5", "n1", "n2")}, KEPT, "is in a different domain: (no label)"),
        (REQUIRED, {"pods": master_and_workers("", "n1", "n2")}, KEPT, "the worker Pods are in aaa (2)"),
        (REQUIRED, {"pods": master_and_workers("n3", "n1", "n4")}, LEFT, "they are in aaa (1), aba (1)"),
        (ANYWHERE, {"pods": master_and_workers("n3", "n1", "n2")}, KEPT, "the worker Pods may be anywhere, as requested"),
    ],
)
def test_a_leader_in_another_domain_than_its_workers_is_reported(wish, given, verdict, ending):
    found = placement([MASTER, PodSet("worker", 2, wish)], state(**given))
    assert found.verdict == verdict and found.described.endswith(ending), found.described


def test_a_leader_with_its_own_request_is_described_separately():
    both = [PodSet("master", 1, REQUIRED, leads=True), PodSet("worker", 2, REQUIRED)]
    found = placement(both, state(pods=master_and_workers("n3", "n1", "n2")))
    assert found.described == "the master Pods are in aba (1); the worker Pods are in aaa (2)"


def test_each_pod_set_has_its_own_assignment():
    assigned = (Assigned("master", 1, (), HOST, ((("n3",), 1),)), Assigned("worker", 1, (), HOST, ((("n2",), 1),)))
    there = state(workload=Workload("w", assigned=assigned), pods=(*pods("n3", podset="master"), *pods("n2", podset="worker")))
    found = placement([PodSet("master", 1, Wish()), PodSet("worker", 1, REQUIRED)], there)
    assert found.verdict == KEPT and {each.verdict for each in found.rows} == {"as assigned"}


def test_a_master_outside_its_assignment_is_recognised():
    assigned = (Assigned("master", 1, (), HOST, ((("n1",), 1),)), Assigned("worker", 1, (), HOST, ((("n2",), 1),)))
    there = state(workload=Workload("w", assigned=assigned), pods=(*pods("n3", podset="master"), *pods("n2", podset="worker")))
    found = placement([PodSet("master", 1, Wish()), PodSet("worker", 1, REQUIRED)], there)
    assert found.verdict == DIFFERS and found.described.startswith("the master Pods are not on the nodes that Kueue assigned; the worker Pods")


def test_pods_on_missing_nodes_do_not_split_a_slice():
    found = placement([PodSet("main", 4, SLICED)], state(pods=pods("n1", "n2", "n3", "gone")))
    assert found.verdict == KEPT


def test_a_single_pod_set_matches_under_any_name():
    workload = Workload("w", assigned=(Assigned("something", 2, (), HOST, ((("n1",), 1), (("n3",), 1))),))
    found = placement([PodSet("pod", 2, REQUIRED)], state(workload=workload, pods=pods("n1", "n3", podset="main")))
    assert found.verdict == LEFT and len(found.rows) == 2


def test_slices_are_described_by_their_own_layer():
    found = placement([PodSet("main", 4, SLICED)], state(pods=pods("n1", "n2", "n2", "n3")))
    assert found.described == f"the main Pods are not in slices of 2 Pods, each within one domain of {LAYER}3: they are in aaa (3), aba (1)"
    assert [each.domain for each in found.rows] == ["aaa", "aaa", "aaa", "aba"]
    assert found.podsets[0].domains == (("a", 4),)


def test_the_placement_is_formatted_as_a_table():
    found = placement([PodSet("main", 2, REQUIRED)], state(workload=by_host("n1", "n2"), pods=pods("n1", "n3", "")))
    assert table(found.rows) == [
        "pods  pod      node  domain  assigned",
        "main  mnist-0  n1    aaa     n1        as assigned",
        "main  mnist-2                          no node yet",
        "main  mnist-1  n3    aba     n2        elsewhere",
    ]
    assert "are not within one domain of topology.k8s.aws/network-node-layer-3: they are in aaa (1), aba (1)" in found.described


def test_an_unknown_number_of_pods_proves_nothing():
    """A TrainJob leaves the number to its runtime: a partial slice proves nothing until all pods are counted."""
    unknown = [PodSet("node", None, Wish("", "", f"{LAYER}3", 2))]
    on_three = {"pods": pods("n1", "n2", "n3", podset="node")}
    assert placement(unknown, state(**on_three)).verdict == KEPT
    assert placement(unknown, state(**on_three, workload=Workload("w", pods={"node": 4}))).verdict == KEPT
    assert placement(unknown, state(**on_three, workload=Workload("w", pods={"node": 3}))).verdict == LEFT
    assert placement([PodSet("node", None, REQUIRED)], state(pods=pods("n1", "n3", podset="node"))).verdict == LEFT
