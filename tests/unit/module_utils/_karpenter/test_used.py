# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of its limits a NodePool uses."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.used import over, used

from .karpenter_objects import G5, GPU, P5, claim, inside, pool


def test_only_claims_of_the_pool_count() -> None:
    claims = (claim("a", gpu=1), claim("b", gpu=2, meta={"deletionTimestamp": "x"}), claim("c", of="other", gpu=4))
    assert used(pool(), inside(claims=claims), {}) == {"nodes": 2.0, "cpu": 64.0, "pods": 220.0, GPU: 3.0}


def test_a_claim_without_a_capacity_counts_with_that_of_its_type() -> None:
    claims = (claim("a", kind=G5), claim("b", kind=P5), claim("c", kind=G5, gpu=8))
    assert used(pool(), inside(claims=claims), {G5: {GPU: 1.0}}) == {"nodes": 3.0, GPU: 9.0, "cpu": 32.0, "pods": 110.0}


def test_a_pool_without_claims_uses_nothing() -> None:
    assert used(pool(), inside(), {}) == {"nodes": 0.0}


@pytest.mark.parametrize(
    ("limits", "there", "more", "expected"),
    [
        ({GPU: "8"}, {GPU: 7.0}, {GPU: 1.0}, []),
        ({GPU: "8"}, {GPU: 8.0}, {GPU: 1.0}, [GPU]),
        ({GPU: "8"}, {}, {}, []),
        ({"nodes": "2"}, {"nodes": 1.0}, {}, []),
        ({"nodes": "2"}, {"nodes": 2.0}, {}, ["nodes"]),
        ({"nodes": "2"}, {}, {"nodes": 5.0}, []),
        ({"nodes": "1", GPU: "1", "cpu": "64"}, {"nodes": 1.0, GPU: 1.0, "cpu": 32.0}, {GPU: 1.0, "cpu": 32.0}, ["nodes", GPU]),
    ],
)
def test_limits_that_another_node_would_exceed_are_listed(limits: t.Any, there: t.Any, more: t.Any, expected: list[str]) -> None:
    assert over(pool(limits=limits), there, more) == expected
