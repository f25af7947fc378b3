# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The subject of a proof, and its result."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.model import (
    Candidate,
    Cost,
    Desired,
    Moment,
    Proof,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.result import result
from unit.module_utils._karpenter.proof.proof_states import CHEAP, DEAR, DESIRED, G5, OURS, P5, claim, inside, outside, pod, state


def test_options_have_the_documented_defaults() -> None:
    assert dataclasses.astuple(Desired("arn", "a"))[2:] == ("", "default", "registry.k8s.io/pause:3.10", 1200, 900, 10)
    assert Desired("arn", "a", namespace="ns").pod == "ns/hyperpod-proof-a"
    assert Desired("arn", "a", namespace="ns").pod_path == "/api/v1/namespaces/ns/pods/hyperpod-proof-a"


def test_missing_fields_are_empty() -> None:
    assert (Proof(CHEAP).group, Proof(CHEAP).proven, Proof(CHEAP).timeline) == ("", False, ())
    assert (Proof(CHEAP).seconds_up, Proof(CHEAP).seconds_down) == (None, None)
    empty = State(outside())
    assert (empty.candidates, empty.namespace, empty.denied, empty.notes, empty.proof) == ((), {}, "", (), None)


@pytest.mark.parametrize(
    ("cost", "described"), [(Cost(), "an unknown price"), (Cost(3.064, "CNY", "list"), "about 3.06 CNY an hour"), (Cost(0.0), "about 0.00 USD an hour")]
)
def test_costs_are_described(cost: Cost, described: str) -> None:
    assert cost.to_result() == {"per_hour": cost.price, "currency": cost.currency, "source": cost.source, "told": described}
    assert (Cost().price, Cost().currency, Cost().source) == (None, "USD", "unknown")


def test_a_moment_is_described_and_returned() -> None:
    moment = Moment("bound", "a\x1b", "2026-10-04T09:00:00Z", 12.34)
    assert str(moment) == "bound (a?) after 12 s"
    assert moment.to_result() == {"step": "bound", "name": "a?", "at": "2026-10-04T09:00:00Z", "seconds": 12.3}


def test_leftovers_are_our_pods_of_the_pool() -> None:
    managed = "app.kubernetes.io/managed-by"
    of_others = pod(labels={**OURS, managed: "Helm"}), pod(labels={**OURS, "mlfleet.hyperpod/proof": "other"}), pod(labels={})
    assert state(inside=inside(pods=(pod(), *of_others))).leftovers(DESIRED) == (pod(),)


def test_claims_whose_type_is_unknown_count() -> None:
    claims = claim("a"), claim("b", instance_type=""), claim("c", instance_type=P5)
    found = state(inside=inside(claims=claims))
    assert [each.meta.name for each in found.claims(DESIRED, G5)] == ["a", "b"]
    assert found.claims(Desired("arn", "other"), G5) == ()


def test_a_missing_pool_is_none() -> None:
    assert state().pool(DESIRED).meta.name == "gpus"
    with pytest.raises(KeyError, match="other"):
        state().pool(Desired("arn", "other"))


@pytest.mark.parametrize(
    ("choice", "group", "expected"), [(CHEAP, "", "g5-a"), (DEAR, "", KNOWN_AFTER_APPLY), (DEAR, "p5-b", "p5-b"), (Candidate(G5, ()), "", KNOWN_AFTER_APPLY)]
)
def test_the_result_contains_the_proof(choice: Candidate, group: str, expected: t.Any) -> None:
    moment = Moment("bound", "a", "2026-10-04T09:00:00Z", 1.0)
    found = result(DESIRED, state(proof=Proof(choice, group, True, (moment,), 1.5, 2.5)))
    candidates = [
        {"instance_type": G5, "instance_groups": ["g5-a"], "price_per_hour": 3.06},
        {"instance_type": P5, "instance_groups": ["p5-a", "p5-b"], "price_per_hour": None},
    ]
    assert found == {
        "proven": True,
        "node_pool": "gpus",
        "pod": "default/hyperpod-proof-gpus",
        "instance_type": choice.instance_type,
        "instance_group": expected,
        "price": choice.cost.to_result(),
        "candidates": candidates,
        "timeline": [moment.to_result()],
        "seconds_up": 1.5,
        "seconds_down": 2.5,
    }
