# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.plan import plan_acquire, plan_release
from simulated.locks import claim, locks

EXPIRED = "2026-11-21T11:59:59Z"


@pytest.mark.parametrize(
    ("seen", "force", "number"),
    [
        (locks(), False, 1),
        (locks((4, claim("a", released=True))), False, 5),
        (locks((4, claim("a", expires=EXPIRED))), False, 5),
        (locks((4, claim("a"))), False, None),
        (locks((4, claim("a"))), True, 5),
        (locks((4, claim("a")), gone=[4]), False, 5),
        (locks((3, claim("a")), (4, claim("b", released=True))), False, None),
    ],
)
def test_acquire_takes_the_next_generation_if_the_lock_is_free(seen, force, number):
    plan = plan_acquire(seen, claim(), force=force)
    assert [step.arguments["number"] for step in plan.steps] == ([] if number is None else [number])
    assert plan.after(seen).held_by("ours") is (number is not None)


def test_taking_over_a_lock_is_noted():
    assert "ended without releasing it" in plan_acquire(locks((1, claim("a")), gone=[1]), claim(), force=False).notes[0]
    assert "taken over because force is set" in plan_acquire(locks((1, claim("a"))), claim(), force=True).notes[0]


@pytest.mark.parametrize(
    ("expires", "renews"),
    [("2026-11-21T12:59:00Z", False), ("2026-11-21T12:31:00Z", False), ("2026-11-21T12:29:00Z", True)],
)
def test_our_own_lock_is_renewed_after_half_its_time(expires, renews):
    wanted = claim(expires="2026-11-21T13:00:00Z")
    seen = locks((7, claim(expires=expires)))
    plan = plan_acquire(seen, wanted, force=False)
    assert bool(plan) is renews
    number, ours = plan.after(seen).holder
    assert number == 7
    assert ours.expires == (wanted.expires if renews else expires)


@pytest.mark.parametrize(
    ("seen", "force", "released"),
    [
        (locks(), False, None),
        (locks((4, claim())), False, 4),
        (locks((4, claim("a"))), False, None),
        (locks((4, claim("a"))), True, 4),
        (locks((4, claim("a")), gone=[4]), False, 4),
        (locks((4, claim("a")), (5, claim("b")), gone=[4]), False, None),
        (locks((4, claim()), (5, claim("a"))), False, None),
    ],
)
def test_release_frees_our_own_or_a_forced_lock(seen, force, released):
    plan = plan_release(seen, "ours", force=force)
    assert [step.arguments["number"] for step in plan.steps] == ([] if released is None else [released])
    if released:
        assert plan.after(seen).holder is None
        (change,) = plan.changes
        owner = dict(seen.generations)[released].owner
        assert change == Change("delete", f"lock {seen.path}/{released}", "owner", owner, None)
