# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods that new nodes are for, and why a node does not start."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.events import Failed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.model import Inside, NodeClaim
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.offers import Offer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.pending import Pending
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.labels import GROUP, TYPE, ZONE

from .karpenter_objects import EARLY, G5, GPU, LATE, P5, A, B, claim, gpus, inside, outside, pod, pool

LABELS = {GROUP: "g5", TYPE: G5, ZONE: A}


def offer(name: str = "gpus", *unknown: str, **more: str) -> Offer:
    return Offer(pool(name), "g5", False, {**LABELS, **more}, frozenset(unknown), None)


def shared_out(found: Inside, capacity: t.Any = None) -> dict[str, str]:
    """The claim names by pod."""
    pending = Pending(found, capacity or {}, lambda _pod: [offer()])
    claims = {each.full_name: pending.claim_of(each) for each in found.pods}
    return {name: claim.meta.name for name, claim in claims.items() if claim}


def waits(name: str, created: str = EARLY, **spec: t.Any) -> t.Any:
    return pod(name, meta={"creationTimestamp": created}, **spec)


@pytest.mark.parametrize(
    ("claims", "capacity", "expected"),
    [
        ([claim("c", gpu=2)], None, {"ns/a": "c", "ns/b": "c"}),
        ([claim("c", gpu=1)], None, {"ns/a": "c"}),
        ([claim("c", gpu=1), claim("d", gpu=1)], None, {"ns/a": "c", "ns/b": "d"}),
        ([claim("c")], None, {"ns/a": "c", "ns/b": "c"}),
        ([claim("c")], {G5: {GPU: 1.0, "pods": 110.0}}, {"ns/a": "c"}),
        ([claim("c", gpu=2, meta={"deletionTimestamp": LATE})], None, {}),
        ([claim("c", gpu=2, Initialized=True)], None, {}),
        ([claim("c", gpu=2, of="other")], None, {}),
        ([claim("c", gpu=2, kind=P5)], None, {}),
        ([], None, {}),
    ],
)
def test_pods_share_the_room_of_claims(claims: list[NodeClaim], capacity: t.Any, expected: dict[str, str]) -> None:
    assert shared_out(inside(waits("b"), waits("a"), claims=tuple(claims)), capacity) == expected


def test_running_pods_take_room_and_pods_that_do_not_wait_get_none() -> None:
    running = pod("r", nodeName="n", containers=[gpus(2)])
    assert shared_out(inside(waits("a"), running, claims=(claim("c", gpu=2, node="n"),))) == {}
    assert shared_out(inside(waits("a"), running, claims=(claim("c", gpu=3, node="n"),))) == {"ns/a": "c"}


@pytest.mark.parametrize(
    ("found", "offered", "expected"),
    [
        (claim(), offer(), True),
        (claim(), offer("other"), False),
        (claim(group="other"), offer(), False),
        (claim(group=""), offer(), True),
        (claim(kind=P5), offer(), False),
        (claim(kind=P5), offer("gpus", TYPE), True),
        (claim(), offer(**{ZONE: B}), False),
    ],
)
def test_a_claim_is_matched_with_its_offer(found: NodeClaim, offered: Offer, expected: bool) -> None:
    assert Pending.is_of(found, offered) is expected


FAILED = {"g5": Failed(LATE, "no capacity")}


@pytest.mark.parametrize(
    ("found", "failures", "code", "words"),
    [
        (claim(Launched="no room"), {}, "capacity", ("instance group g5", "no room")),
        (claim(Launched="no room", group=""), {}, "capacity", ("NodePool gpus", "no room")),
        (claim(Launched=True), {}, "on-its-way", ("of instance group g5", "launched", EARLY)),
        (claim(), FAILED, "capacity", ("instance group g5", "no capacity")),
        (claim(meta={"creationTimestamp": "2026-10-04T10:00:00Z"}), FAILED, "on-its-way", ("gpus-1",)),
        (claim(group="other"), FAILED, "on-its-way", ("other",)),
        (claim(), {"g5": Failed(LATE, "")}, "on-its-way", ("waiting",)),
    ],
)
def test_the_reason_why_a_node_does_not_start_is_described(found: NodeClaim, failures: t.Any, code: str, words: tuple[str, ...]) -> None:
    cause = Pending.cause(found, pod(), outside(failures=failures))
    assert cause.code == code and all(word in str(cause) for word in words)
