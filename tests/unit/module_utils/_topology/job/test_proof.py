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
def test_verdicts(wish, workload, nodes, verdict):
    asked = 4 if wish.slice_size else 2
    found = placement([PodSet("main", asked, wish)], state(workload=workload, pods=pods(*nodes)))
    assert (found.verdict, found.wrong) == (verdict, verdict in (LEFT, DIFFERS)), found
    assert found.described


def test_a_node_that_kueue_holds_for_lost_is_one_that_pods_move_from():
    lost = Workload("w", assigned=by_host("n1", "n2").assigned, unhealthy=("n2",))
    found = placement([PodSet("main", 2, REQUIRED)], state(workload=lost, pods=pods("n1", "n1")))
    assert found.verdict == MOVED and found.rows[1].verdict == "moved: its node is lost"


def test_names_of_domains_count_below_their_parents_alone():
    twins = {"x": {f"{LAYER}1": "a", f"{LAYER}2": "same"}, "y": {f"{LAYER}1": "b", f"{LAYER}2": "same"}}
    found = placement([PodSet("main", 2, Wish("required", f"{LAYER}2"))], state(nodes=twins, pods=pods("x", "y")))
    assert found.verdict == LEFT
    assert found.podsets[0].domains == (("same", 1), ("same", 1))


def test_nodes_that_may_not_be_listed():
    blind = state(nodes=None, workload=by_layers(AAA, AAA), pods=pods("n1", "n2"))
    found = placement([PodSet("main", 2, REQUIRED)], blind)
    assert found.verdict == KEPT and [each.domain for each in found.rows] == ["", ""]
    by_name = state(nodes=None, workload=by_host("n1", "n2"), pods=pods("n1", "n3"))
    assert placement([PodSet("main", 2, REQUIRED)], by_name).verdict == DIFFERS


@pytest.mark.parametrize(("nodes", "why"), [(None, "it needs permission to list nodes"), ({}, "on nodes without topology data")])
def test_why_nobody_knows(nodes, why):
    found = placement([PodSet("main", 2, REQUIRED)], state(nodes=nodes, workload=by_host("n1", "n2"), pods=pods("n1", "n2")))
    assert found.verdict == UNKNOWN and found.described.endswith(why)


def test_the_worst_pod_set_counts_and_those_without_a_wish_do_not():
    both = [PodSet("master", 1, Wish()), PodSet("worker", 2, REQUIRED)]
    there = state(pods=(*pods("n3", podset="master"), *pods("n1", "n2", podset="worker")))
    found = placement(both, there)
    assert found.verdict == KEPT and found.described == "Pods worker are in aaa (2)"
    assert [(each.podset, each.node, each.domain) for each in found.rows] == [("master", "n3", ""), ("worker", "n1", "aaa"), ("worker", "n2", "aaa")]
    assert placement([PodSet("master", 1, Wish())], state(pods=pods("n3"))).verdict == UNKNOWN


MASTER = PodSet("master", 1, Wish(), leads=True)
ASSIGNED = (Assigned("master", 1, (), HOST, ((("n3",), 1),)), Assigned("worker", 2, (), HOST, ((("n1",), 1), (("n2",), 1))))
BY_LAYER = (Assigned("master", 1, (), LEVELS[:3], ((ABA, 1),)), Assigned("worker", 2, (), LEVELS[:3], ((AAA, 2),)))
APART = "master, the leader of Pods worker, is in another domain: aba"


def master_and_workers(at, *nodes):
    return (*pods(at, podset="master"), *pods(*nodes, podset="worker"))


@pytest.mark.parametrize(
    ("wish", "given", "verdict", "said"),
    [
        (REQUIRED, {"pods": master_and_workers("n3", "n1", "n2")}, KEPT, f"Pods worker are in aaa (2); {APART}"),
        (REQUIRED, {"workload": Workload("w", assigned=ASSIGNED)}, KEPT, f"Pods worker are in aaa (2); {APART}"),
        (REQUIRED, {"workload": Workload("w", assigned=BY_LAYER), "levels": ()}, KEPT, f"Pods worker are in aaa (2); {APART}"),
        (
            REQUIRED,
            {"workload": Workload("w", assigned=BY_LAYER[1:]), "levels": (), "pods": master_and_workers("n1", "n1", "n2")},
            KEPT,
            "Pods worker are in aaa (2)",
        ),
        (PREFERRED, {"pods": master_and_workers("n4", "n1", "n1")}, KEPT, f"Pods worker are in aaa (2); {APART}"),
        (PREFERRED, {"pods": master_and_workers("n4", "n1", "n3")}, SPILLED, "they are in aaa (1), aba (1)"),
        (REQUIRED, {"pods": master_and_workers("n1", "n1", "n2")}, KEPT, "Pods worker are in aaa (2)"),
        (REQUIRED, {"pods": master_and_workers("n5", "n1", "n2")}, KEPT, "is in another domain: (no label)"),
        (REQUIRED, {"pods": master_and_workers("", "n1", "n2")}, KEPT, "Pods worker are in aaa (2)"),
        (REQUIRED, {"pods": master_and_workers("n3", "n1", "n4")}, LEFT, "they are in aaa (1), aba (1)"),
        (ANYWHERE, {"pods": master_and_workers("n3", "n1", "n2")}, KEPT, "Pods worker may be anywhere, as requested"),
    ],
)
def test_a_leader_in_another_domain_than_its_workers_is_told(wish, given, verdict, said):
    found = placement([MASTER, PodSet("worker", 2, wish)], state(**given))
    assert found.verdict == verdict and found.described.endswith(said), found.described


def test_a_leader_with_a_wish_of_its_own_is_told_by_that():
    both = [PodSet("master", 1, REQUIRED, leads=True), PodSet("worker", 2, REQUIRED)]
    found = placement(both, state(pods=master_and_workers("n3", "n1", "n2")))
    assert found.described == "Pods master are in aba (1); Pods worker are in aaa (2)"


def test_each_pod_set_has_its_own_assignment():
    assigned = (Assigned("master", 1, (), HOST, ((("n3",), 1),)), Assigned("worker", 1, (), HOST, ((("n2",), 1),)))
    there = state(workload=Workload("w", assigned=assigned), pods=(*pods("n3", podset="master"), *pods("n2", podset="worker")))
    found = placement([PodSet("master", 1, Wish()), PodSet("worker", 1, REQUIRED)], there)
    assert found.verdict == KEPT and {each.verdict for each in found.rows} == {"as assigned"}


def test_a_master_elsewhere_than_assigned_is_noticed():
    assigned = (Assigned("master", 1, (), HOST, ((("n1",), 1),)), Assigned("worker", 1, (), HOST, ((("n2",), 1),)))
    there = state(workload=Workload("w", assigned=assigned), pods=(*pods("n3", podset="master"), *pods("n2", podset="worker")))
    found = placement([PodSet("master", 1, Wish()), PodSet("worker", 1, REQUIRED)], there)
    assert found.verdict == DIFFERS and found.described.startswith("Pods master are on other nodes than Kueue assigned; Pods worker")


def test_pods_on_nodes_that_are_gone_make_no_slice_torn():
    found = placement([PodSet("main", 4, SLICED)], state(pods=pods("n1", "n2", "n3", "gone")))
    assert found.verdict == KEPT


def test_a_pod_set_that_is_alone_is_known_whatever_its_name():
    workload = Workload("w", assigned=(Assigned("something", 2, (), HOST, ((("n1",), 1), (("n3",), 1))),))
    found = placement([PodSet("pod", 2, REQUIRED)], state(workload=workload, pods=pods("n1", "n3", podset="main")))
    assert found.verdict == LEFT and len(found.rows) == 2


def test_slices_are_told_by_their_own_layer():
    found = placement([PodSet("main", 4, SLICED)], state(pods=pods("n1", "n2", "n2", "n3")))
    assert found.described == f"Pods main are not in slices of 2 below one domain of {LAYER}3 each: they are in aaa (3), aba (1)"
    assert [each.domain for each in found.rows] == ["aaa", "aaa", "aaa", "aba"]
    assert found.podsets[0].domains == (("a", 4),)


def test_the_table():
    found = placement([PodSet("main", 2, REQUIRED)], state(workload=by_host("n1", "n2"), pods=pods("n1", "n3", "")))
    assert table(found.rows) == [
        "pods  pod      node  domain  assigned",
        "main  mnist-0  n1    aaa     n1        as assigned",
        "main  mnist-2                          no node yet",
        "main  mnist-1  n3    aba     n2        elsewhere",
    ]
    assert "are not within one domain of topology.k8s.aws/network-node-layer-3: they are in aaa (1), aba (1)" in found.described


def test_pods_whose_number_the_manifest_does_not_tell():
    """A TrainJob leaves it to its runtime: a part of a slice is no proof until all of them are counted."""
    unknown = [PodSet("node", None, Wish("", "", f"{LAYER}3", 2))]
    on_three = {"pods": pods("n1", "n2", "n3", podset="node")}
    assert placement(unknown, state(**on_three)).verdict == KEPT
    assert placement(unknown, state(**on_three, workload=Workload("w", pods={"node": 4}))).verdict == KEPT
    assert placement(unknown, state(**on_three, workload=Workload("w", pods={"node": 3}))).verdict == LEFT
    assert placement([PodSet("node", None, REQUIRED)], state(pods=pods("n1", "n3", podset="node"))).verdict == LEFT
