# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step returns."""

from __future__ import annotations

import datetime

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.decide import decide
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.model import Call, DeclaredWave
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.result import result


def test_a_step_returns_the_wave_and_the_outcome_of_each_cluster() -> None:
    now = datetime.datetime(2026, 11, 30, 12, 0, tzinfo=datetime.timezone.utc)
    call = Call("keys", "reconcile", "", "1.0.0", "ops", {"a": "1", "b": "2"}, (DeclaredWave(size=1),))
    decision = decide(None, call, now)
    found = result(call, decision, ["A remark."])
    assert found == {
        "name": "keys",
        "state": "running",
        "wave": 1,
        "waves": 2,
        "run": ["a"],
        "hold": ["b"],
        "again": "",
        "hold_until": "2026-12-03T12:00:00Z",
        "remarks": ["A remark."],
        "plan": decision.record.hash,
        "text": "Wave 1 of 2: reconcile runs for a.",
        "clusters": {"a": {"wave": 1, "outcome": "pending"}, "b": {"wave": 2, "outcome": "pending"}},
    }
