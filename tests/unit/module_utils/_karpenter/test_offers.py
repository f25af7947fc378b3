# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that a NodePool can create, and what a pod requires of a node."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.offers import (
    Offer,
    accelerators,
    capacities,
    fits,
    offers,
    requirements_of,
    untolerated,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.labels import GROUP, NODE_POOL, TYPE, ZONE

from .karpenter_objects import CPU, G5, GPU, P5, A, B, claim, group, inside, node, node_class, outside, pod, pool

Object = dict[str, t.Any]


@pytest.mark.parametrize(
    ("wanted", "room", "expected"),
    [
        ({"cpu": 2.0}, {"cpu": 2.0}, True),
        ({"cpu": 2.0}, {"cpu": 1.0}, False),
        ({"cpu": 2.0}, {}, True),
        ({GPU: 1.0}, {}, False),
        ({GPU: 1.0, "cpu": 2.0}, {GPU: 1.0, "cpu": 1.0}, False),
        ({}, {}, True),
    ],
)
def test_a_request_fits_unless_the_known_room_is_smaller(wanted: t.Any, room: t.Any, expected: bool) -> None:
    assert fits(wanted, room) is expected


def test_capacities_come_from_ready_nodes_or_else_from_claims() -> None:
    claims = (claim("a", kind=P5, gpu=8, Initialized=True), claim("b", kind=CPU, gpu=1), claim("c", kind=G5, gpu=9, Initialized=True))
    empty = claim("d", kind="ml.m5.large2", Initialized=True)
    found = capacities(inside(claims=(*claims, empty), nodes={"n": node("n", **{GPU: "1"})}))
    assert {name: of[GPU] for name, of in found.items()} == {P5: 8.0, G5: 1.0}


@pytest.mark.parametrize(
    ("instance_type", "expected"),
    [(P5, {GPU: 8.0, "vpc.amazonaws.com/efa": 32.0}), ("ml.trn1.32xlarge", {"aws.amazon.com/neuron": 16.0, "vpc.amazonaws.com/efa": 8.0}), ("ml.x.y", {})],
)
def test_the_accelerators_of_a_type_are_known(instance_type: str, expected: dict[str, float]) -> None:
    assert accelerators(instance_type) == expected


def made(found: list[Offer]) -> list[tuple[str, str, str]]:
    return [(each.group, each.labels[TYPE], each.labels[ZONE]) for each in found]


def test_each_type_and_zone_of_each_group_is_an_offer() -> None:
    groups = group("g5", G5, P5, zones=(A, B)), group("cpu", CPU, zones=(), spot=True)
    found = offers(pool(), inside(classes=(node_class("g5", "cpu"),)), outside(*groups), {G5: {GPU: 1.0}})
    assert made(found) == [("g5", kind, zone) for kind in (G5, P5) for zone in (A, B)] + [("cpu", CPU, "")]
    first, last = found[0], found[-1]
    assert (first.spot, last.spot, first.unknown, last.unknown) == (False, True, frozenset(), frozenset({ZONE}))
    assert (first.capacity, last.capacity) == ({GPU: 1.0}, None)
    assert first.labels == {
        NODE_POOL: "gpus",
        GROUP: "g5",
        TYPE: G5,
        ZONE: A,
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "karpenter.sh/capacity-type": "on-demand",
    }
    assert last.labels["karpenter.sh/capacity-type"] == "spot"


@pytest.mark.parametrize(
    ("classes", "expected"), [((node_class("absent"),), [("absent", "", "")]), ((), [("", "", "")]), ((node_class("g5", name="other"),), [("", "", "")])]
)
def test_a_missing_group_could_have_any_type(classes: t.Any, expected: t.Any) -> None:
    assert made(offers(pool(), inside(classes=classes), outside(), {})) == expected


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ({"key": TYPE, "operator": "In", "values": [P5]}, [("g5", P5, A)]),
        ({"key": ZONE, "operator": "In", "values": [B]}, []),
        ({"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}, []),
        ({"key": "other", "operator": "In", "values": ["a"]}, [("g5", G5, A), ("g5", P5, A)]),
    ],
)
def test_requirements_of_the_pool_limit_its_offers(requirement: Object, expected: t.Any) -> None:
    found = offers(pool(requirements=[requirement]), inside(), outside(group("g5", G5, P5)), {})
    assert made(found) == expected


HIDES = {"key": "a", "value": "b", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("taints", "tolerations", "expected"),
    [
        ([], [], None),
        ([HIDES], [], HIDES),
        ([{**HIDES, "effect": "NoExecute"}], [], {**HIDES, "effect": "NoExecute"}),
        ([{**HIDES, "effect": "PreferNoSchedule"}], [], None),
        ([HIDES], [{"operator": "Exists"}], None),
        ([HIDES], [{"key": "a", "value": "b"}], None),
        ([HIDES], [{"key": "a", "value": "c"}], HIDES),
        ([HIDES], [{"key": "a", "operator": "Exists", "effect": "NoExecute"}], HIDES),
        ([HIDES], [{"key": "a", "operator": "Exists", "effect": "NoSchedule"}], None),
        ([HIDES], [{"key": "c", "operator": "Exists"}], HIDES),
        ([HIDES], [{"key": "", "operator": "Exists", "effect": ""}], None),
        ([{"key": "a", "effect": "NoSchedule"}], [{"key": "a"}], None),
        ([HIDES, {**HIDES, "key": "c"}], [{"key": "a", "operator": "Exists"}], {**HIDES, "key": "c"}),
    ],
)
def test_the_first_taint_that_is_not_tolerated_is_returned(taints: list[Object], tolerations: list[Object], expected: Object | None) -> None:
    assert untolerated(pod(tolerations=tolerations), pool(taints=taints)) == expected


def offer(*unknown: str, capacity: t.Any = None, **labels: str) -> Offer:
    return Offer(pool(), "g5", False, {TYPE: G5, **labels}, frozenset(unknown), capacity)


def granted(found: Offer, **spec: t.Any) -> dict[str, bool]:
    return {each.text: each.granted(found) for each in requirements_of(pod(containers=[], **spec))}


def test_node_selectors_are_matched_with_labels() -> None:
    assert granted(offer(a="b"), nodeSelector={"a": "b", "c": "d"}) == {"a=b": True, "c=d": False, "1 pods": True}
    assert granted(offer("c"), nodeSelector={"c": "d"})["c=d"]
    assert granted(offer(), nodeSelector={"sagemaker.amazonaws.com/x": "d"})["sagemaker.amazonaws.com/x=d"]
    assert not granted(offer(**{"sagemaker.amazonaws.com/x": "e"}), nodeSelector={"sagemaker.amazonaws.com/x": "d"})["sagemaker.amazonaws.com/x=d"]


def test_free_capacity_is_compared() -> None:
    assert granted(offer(capacity={"pods": 0.0})) == {"1 pods": False}
    assert offer(capacity={GPU: 1.0}).has_room(GPU, 1.0) and not offer(capacity={}).has_room(GPU, 1.0) and offer().has_room(GPU, 1.0)


@pytest.mark.parametrize(
    ("terms", "described", "expected"),
    [
        ([{"matchExpressions": [{"key": TYPE, "operator": "In", "values": [G5, P5]}]}], f"{TYPE} In {G5}, {P5}", True),
        ([{"matchExpressions": [{"key": "a", "operator": "Exists"}]}], "a Exists", False),
        (
            [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}, {"matchExpressions": [{"key": TYPE, "operator": "Exists"}]}],
            f"a Exists or {TYPE} Exists",
            True,
        ),
        (
            [{"matchExpressions": [{"key": "a", "operator": "Exists"}, {"key": TYPE, "operator": "Exists"}]}],
            f"a Exists and {TYPE} Exists",
            False,
        ),
        ([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}], "metadata.name In n", False),
    ],
)
def test_node_affinity_is_evaluated_and_described(terms: list[Object], described: str, expected: bool) -> None:
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    assert granted(offer(), affinity=affinity)[f"labels for its node affinity ({described})"] is expected
