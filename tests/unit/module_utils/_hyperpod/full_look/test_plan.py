# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a full look is recorded, and how."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.model import Desired, FullLook, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.plan import plan

NAME = "/mlfleet/hyperpod/abc123def456/full-look"
LOOK = FullLook(
    looked="2026-11-22T11:59:00Z",
    well=True,
    generation=6,
    declared={"variables": "a", "files": "b", "settings": "c", "version": "1.0.0"},
    nodes="n",
    records="r",
    targets="t",
    target_group="arn:aws:elasticloadbalancing:us-west-2:111111111111:targetgroup/hp-ml/0123456789abcdef",
    endpoint="cvpn-endpoint-1",
    vpn="v",
    due="2026-12-01T00:00:00Z",
)


@pytest.mark.parametrize(
    ("state", "well", "operations"),
    [
        (State(), True, [("create", False)]),
        (State(LOOK, True), True, [("update", True)]),
        (State(None, True), True, [("update", True)]),
        (State(LOOK, True), False, [("update", True)]),
        (State(), False, []),  # there is no record to invalidate
        (State(FullLook(LOOK.looked, False, declared=LOOK.declared), True), False, []),
        (State(FullLook(LOOK.looked, False, declared={**LOOK.declared, "settings": "d"}), True), False, [("update", True)]),
        (State(FullLook(LOOK.looked, False), True), False, [("update", True)]),  # which settings were applied is unknown
    ],
)
def test_a_full_look_is_recorded_by_one_call(state, well, operations):
    look = dataclasses.replace(LOOK, well=well)
    the_plan = plan(Desired(look), state, name=NAME)
    assert [(step.changes[0].action, step.arguments["exists"]) for step in the_plan.steps] == operations
    assert the_plan.after(state) == (State(look, exists=True) if operations else state)


def test_a_look_that_applied_nothing_keeps_the_known_declaration():
    void = FullLook("2026-11-22T12:00:00Z", False)
    (step,) = plan(Desired(void), State(LOOK, True), name=NAME).steps
    assert FullLook.from_json(step.arguments["text"]).declared == LOOK.declared


def test_a_look_with_reasons_for_another_one_keeps_the_record():
    assert not plan(Desired(LOOK, ("A different run may have acquired the lock during this run.",)), State(), name=NAME)


@pytest.mark.parametrize("state", [State(LOOK, True), State(None, True)])
def test_readable_and_unreadable_records_are_removed(state):
    the_plan = plan(Desired(None), state, name=NAME)
    assert [(change.action, change.resource) for change in the_plan.changes] == [("delete", f"parameter {NAME}")]
    assert the_plan.after(state) == State() and not plan(Desired(None), State(), name=NAME)


@pytest.mark.parametrize(
    ("state", "action", "before"), [(State(), "create", None), (State(LOOK, True), "update", LOOK.looked), (State(None, True), "update", None)]
)
def test_requests_and_changes_are_as_expected(state, action, before):
    look = dataclasses.replace(LOOK, looked="2026-11-23T11:59:00Z")
    change = Change(action, f"parameter {NAME}", "looked", before, look.looked)
    arguments = {"text": look.to_json(), "exists": state.exists}
    assert plan(Desired(look), state, name=NAME).steps == (Step("PutParameter", arguments, (change,)),)
    removal = plan(Desired(None), State(LOOK, True), name=NAME).steps
    assert removal == (Step("DeleteParameter", {}, (Change("delete", f"parameter {NAME}"),)),)


EARLIER, LATER = "2026-11-22T11:00:00Z", "2026-11-22T11:58:00Z"


@pytest.mark.parametrize(
    ("known", "found", "recorded"),
    [
        (EARLIER, LATER, LATER),  # the look changed something, and left nothing pending
        (EARLIER, "", None),  # the record is void already
        (LATER, EARLIER, None),  # a look that began earlier has ended later
    ],
)
def test_a_void_record_gets_the_time_of_a_later_complete_look(known, found, recorded):
    state = State(FullLook(LOOK.looked, False, complete=known), True)
    after = plan(Desired(FullLook(LOOK.looked, False, complete=found)), state, name=NAME).after(state)
    assert after.look.complete == (recorded or known) and (after == state) is (recorded is None)


def test_the_time_of_a_complete_look_stays_when_the_record_becomes_void():
    state = State(dataclasses.replace(LOOK, complete=LATER), True)
    after = plan(Desired(FullLook(LOOK.looked, False)), state, name=NAME).after(state)
    assert (after.look.well, after.look.complete) == (False, LATER)
