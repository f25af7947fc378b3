# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a proof, and the changes of each."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.plan import CLEAR, PROVE, patience, plan
from unit.module_utils._karpenter.proof.proof_states import CHEAP, DESIRED, claim, inside, pod, pool, state

POD = "pod default/hyperpod-proof-gpus"
PROOF = [("create", POD), ("delete", POD)]


@pytest.mark.parametrize(
    ("more", "operations", "changes"),
    [
        ({}, [PROVE], PROOF),
        ({"pods": (pod(),)}, [CLEAR, PROVE], [("delete", POD), *PROOF]),
        ({"claims": (claim(node="n"),)}, [CLEAR, PROVE], PROOF),
        ({"pods": (pod("other", labels={}),)}, [PROVE], PROOF),
    ],
    ids=["nothing there", "a leftover", "an idle node", "a foreign pod"],
)
def test_the_plan_has_the_expected_steps(more: t.Any, operations: list[str], changes: list[tuple[str, str]]) -> None:
    found = plan(DESIRED, state(inside=inside(**more)))
    assert [step.operation for step in found.steps] == operations
    assert [(each.action, each.resource) for each in found.changes] == changes


def test_check_mode_reports_the_type_without_a_proof() -> None:
    there = state(inside=inside(pods=(pod(),)))
    after = plan(DESIRED, there).after(there)
    assert after.proof.choice == CHEAP and not after.proof.proven and after.proof.timeline == () and after.inside.pods == ()


@pytest.mark.parametrize(("after", "seconds"), [("30s", 930), ("1h", 4500), ("0s", 900)])
def test_the_delays_of_karpenter_are_added_to_the_timeout(after: str, seconds: int) -> None:
    there = state(inside=inside(pools=(pool(disruption={"consolidateAfter": after}),)))
    assert patience(dataclasses.replace(DESIRED, down_seconds=900), there) == seconds
