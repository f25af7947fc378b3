# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded decisions: what counts as a change."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.plan import plan

NODE = "i-0123456789abcdef0"
OLD = {"owner": "ann@one", "since": "2026-11-01T00:00:00Z", "reason": "memory"}


def desired(value, name=NODE):
    return Desired(True, "drained", name, value, "bob@two", "2026-11-21T00:00:00Z")


def removal(kind="drained", name=NODE):
    return Desired(False, kind, name)


def state(**drained):
    return State({"drained": drained, "offboarded": {}, "adopted": {}})


def test_the_same_decision_keeps_its_owner_and_date():
    assert not plan(desired({"reason": "memory"}), state(**{NODE: OLD}))


@pytest.mark.parametrize(("before", "action"), [({}, "create"), ({NODE: OLD}, "update")])
def test_another_decision_is_one_change(before, action):
    the_plan = plan(desired({"reason": "fans"}), state(**before))
    assert [(change.action, change.resource) for change in the_plan.changes] == [(action, f"record drained {NODE}")]
    after = the_plan.after(state(**before)).record("drained", NODE)
    assert after == {"owner": "bob@two", "since": "2026-11-21T00:00:00Z", "reason": "fans"}


def test_absent_removes_the_record():
    assert not plan(removal(), state())
    before = state(**{NODE: OLD, "i-2": OLD})
    the_plan = plan(removal(), before)
    assert [change.action for change in the_plan.changes] == ["delete"]
    assert the_plan.after(before) == state(**{"i-2": OLD})


@pytest.mark.parametrize(("before", "action"), [({}, "create"), ({NODE: OLD}, "update")])
def test_requests_and_changes_are_as_expected(before, action):
    wanted = desired({"reason": "fans"})
    arguments = {"kind": "drained", "name": NODE, "text": wanted.text, "exists": bool(before)}
    change = Change(action, f"record drained {NODE}", None, before.get(NODE), wanted.record)
    assert plan(wanted, state(**before)).steps == (Step("PutParameter", arguments, (change,)),)


def test_a_removal_sends_the_expected_request():
    change = Change("delete", f"record drained {NODE}", None, OLD)
    assert plan(removal(), state(**{NODE: OLD})).steps == (Step("DeleteParameter", {"kind": "drained", "name": NODE}, (change,)),)
