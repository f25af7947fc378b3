# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The step that a rollout takes: the gates, the failure budget, changes of the plan, and the actions of operators."""

from __future__ import annotations

import datetime
import random
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout import model
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.decide import decide, remarks
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.model import (
    Call,
    Decision,
    DeclaredWave,
    Freeze,
    Record,
)

NOW = datetime.datetime(2026, 11, 30, 12, 0, tzinfo=datetime.timezone.utc)
FLEET = {key: f"hash-{key}" for key in "abcd"}
WAVES = (DeclaredWave(clusters=("a",), soak_minutes=30), DeclaredWave(clusters=("b",), approval=True), DeclaredWave())
CALL: dict[str, t.Any] = {
    "name": "keys",
    "verb": "reconcile",
    "variables": "v",
    "version": "1.0.0",
    "owner": "ops@bastion",
    "fleet": FLEET,
    "waves": WAVES,
}


def call(**other: t.Any) -> Call:
    return Call(**{**CALL, **other})


def at(minutes: float) -> datetime.datetime:
    return NOW + datetime.timedelta(minutes=minutes)


def after(decision: Decision, minutes: float = 1, **outcomes: str) -> Record:
    """The record after the run of a decision, by default with the outcome ``done`` for all its clusters."""
    given = {**dict.fromkeys(decision.run, "done"), **outcomes}
    wave = decision.record.waves[decision.wave - 1].with_outcomes(given, at(minutes).isoformat())
    return decision.record.with_wave(decision.wave - 1, wave)


def first(**outcomes: str) -> Record:
    return after(decide(None, call(), NOW), **outcomes)


def second() -> Record:
    """The record after the first wave and the approval of the second one."""
    record = first()
    return decide(record, call(action="approve", confirmed=record.hash), at(5)).record


def test_the_first_call_runs_the_first_wave_and_holds_the_others() -> None:
    found = decide(None, call(), NOW)
    assert (found.state, found.wave, found.run, found.hold) == ("running", 1, ("a",), ("b", "c", "d"))
    assert found.text == "Wave 1 of 3: reconcile runs for a."


def test_a_wave_without_results_runs_again() -> None:
    again = decide(decide(None, call(), NOW).record, call(), at(10))
    assert again.run == ("a",) and again.text.endswith(
        "The wave started at 2026-11-30T12:00:00Z, and these clusters have no result."
    )


@pytest.mark.parametrize(
    ("minutes", "other", "words", "again"),
    [
        (30, {}, "Wave 2 waits: wave 1 must soak for 30 minutes, until 2026-11-30T12:31:00Z.", "2026-11-30T12:31:00Z"),
        (31, {}, "Wave 2 waits: it needs an approval. To approve: -e rollout_action=approve -e rollout_confirm=", ""),
    ],
)
def test_a_closed_gate_says_what_opens_it(minutes: float, other: dict[str, t.Any], words: str, again: str) -> None:
    found = decide(first(), call(**other), at(minutes))
    assert (found.state, found.run, found.again) == ("waiting", (), again) and found.text.startswith(words)


def test_an_approval_opens_the_gate_of_its_wave() -> None:
    found = decide(second(), call(), at(31))
    assert (found.state, found.wave, found.run) == ("running", 2, ("b",))


def test_an_approval_may_come_during_the_soak_time() -> None:
    assert decide(second(), call(), at(20)).text.startswith("Wave 2 waits: wave 1 must soak")


def test_an_approval_of_another_plan_is_refused() -> None:
    with pytest.raises(Refused, match=r"rollout_confirm: '123' is not allowed: it must be the hash of the current plan"):
        decide(first(), call(action="approve", confirmed="123"), at(5))


def test_an_approval_is_void_after_the_plan_changed() -> None:
    fleet = {**FLEET, "c": "other"}
    stopped = decide(second(), call(fleet=fleet), at(40))
    assert stopped.state == "stopped" and stopped.text.startswith("Changed since the rollout began: the settings of c. To continue")
    confirmed = stopped.text.partition("rollout_confirm=")[2].partition(".")[0]
    found = decide(stopped.record, call(fleet=fleet, action="accept", confirmed=confirmed), at(41))
    assert found.state == "waiting" and "the plan changed after the approval" in found.text


DENIED = {"c": "GetParametersByPath failed; allow the action."}


def test_a_rollout_begins_only_if_the_records_of_all_clusters_can_be_read() -> None:
    with pytest.raises(Refused, match=r"Could not read the records of c \(GetParametersByPath failed; allow the action.\). A rollout begins"):
        decide(None, call(unread=DENIED), NOW)


def test_a_rollout_begins_only_if_all_named_nodes_exist_and_later_they_count_as_replaced() -> None:
    missing = ("i-1", "i-2")
    for record, action in ((None, "continue"), (first(), "restart")):
        with pytest.raises(Refused, match="No cluster that the playbook reconcile supports has node i-1, i-2. A rollout begins only if all named nodes exist."):
            decide(record, call(missing_nodes=missing, action=action), NOW)
    assert decide(second(), call(missing_nodes=missing), at(31)).run == ("b",)
    (remark,) = remarks(second(), call(missing_nodes=missing), at(31))
    assert remark == "No longer in the inventory, for example because they were replaced: nodes i-1, i-2."


def test_a_wave_waits_while_a_cluster_that_still_needs_the_playbook_cannot_be_read() -> None:
    found = decide(second(), call(unread=DENIED), at(31))
    assert (found.state, found.run) == ("waiting", ())
    assert found.text == "Wave 2 waits: Could not read the records of c (GetParametersByPath failed; allow the action.)."
    assert decide(second(), call(unread={"a": "denied"}), at(31)).run == ("b",), "the playbook has run for it"


def test_an_approval_and_an_abort_do_not_need_all_clusters() -> None:
    record = first()
    approved = decide(record, call(action="approve", confirmed=record.hash, unread=DENIED), at(5))
    assert "2" in approved.record.head.approvals
    aborted = decide(record, call(action="abort", unread=DENIED), at(5))
    assert aborted.state == "aborted" and aborted.hold == () and aborted.record.head.aborted
    until = record.head.hold_until
    assert f"Could not read the records of c (GetParametersByPath failed; allow the action.). They may wait until {until}." in aborted.text
    assert "No cluster waits for it." in decide(record, call(action="abort", unread={"a": "denied"}), at(5)).text


def test_accept_and_retry_are_recorded_although_a_cluster_cannot_be_read() -> None:
    failed = first(a="failed")
    assert decide(failed, call(action="retry", unread=DENIED), at(31)).record.waves[0].members["a"].outcome == "pending"
    stopped = decide(first(), call(version="1.1.0", unread=DENIED), at(31))
    confirmed = stopped.text.partition("rollout_confirm=")[2].partition(".")[0]
    accepted = decide(stopped.record, call(version="1.1.0", action="accept", confirmed=confirmed, unread=DENIED), at(31))
    assert (accepted.record.head.version, accepted.run) == ("1.1.0", ())


def test_a_call_for_one_wave_repeats_only_this_wave() -> None:
    record = first(a="failed")
    assert decide(record, call(wave=2, action="retry"), at(31)).state == "stopped"
    assert decide(record, call(wave=1, action="retry"), at(31)).run == ("a",)


def third(**other: t.Any) -> Decision:
    """The decision of a call for the second wave, whose gate only needs an approval."""
    return decide(first(), call(wave=2, action="approve", **other), at(31))


def test_a_call_for_one_wave_approves_the_plan_that_the_rollout_began_with() -> None:
    found = third()
    assert (found.state, found.wave, found.run) == ("running", 2, ("b",))
    assert found.record.head.approvals["2"]["plan"] == found.record.hash
    again = decide(found.record, call(wave=2, action="approve"), at(32))
    assert (again.run, again.record) == (("b",), found.record)


def test_a_call_for_one_wave_does_not_approve_a_changed_plan() -> None:
    fleet = {**FLEET, "c": "other"}
    changed = decide(first(), call(fleet=fleet), at(31))
    confirmed = changed.text.partition("rollout_confirm=")[2].partition(".")[0]
    accepted = decide(changed.record, call(fleet=fleet, action="accept", confirmed=confirmed), at(31)).record
    with pytest.raises(Refused, match="rollout_confirm: '' is not allowed: the plan has changed since the rollout began. Allowed: "):
        decide(accepted, call(fleet=fleet, wave=2, action="approve"), at(32))
    assert decide(accepted, call(fleet=fleet, wave=2, action="approve", confirmed=accepted.hash), at(32)).run == ("b",)


def test_a_call_for_one_wave_does_not_approve_another_plan_after_a_restart() -> None:
    fleet = {**FLEET, "c": "other"}
    again = after(decide(first(), call(fleet=fleet, action="restart"), at(31)), 32)
    with pytest.raises(Refused, match="the plan has changed since the rollout began"):
        decide(again, call(fleet=fleet, wave=2, action="approve"), at(90))
    same = after(decide(first(), call(action="restart"), at(31)), 32)
    assert decide(same, call(wave=2, action="approve"), at(90)).run == ("b",)


def test_a_call_for_a_wave_that_a_finished_rollout_does_not_have_is_done() -> None:
    waves = (DeclaredWave(clusters=("a",)), DeclaredWave())
    record = after(decide(after(decide(None, call(waves=waves), NOW)), call(waves=waves), at(5)), 6)
    assert decide(record, call(waves=waves, wave=3, action="approve"), at(9)).state == "done"


def test_a_call_for_a_wave_that_has_ended_changes_nothing_and_starts_no_other_wave() -> None:
    for action in ("continue", "approve"):
        found = decide(first(), call(wave=1, action=action), at(60))
        assert (found.state, found.run, found.record, found.text) == ("passed", (), first(), "Wave 1 has ended.")
    last = after(third())
    assert decide(last, call(wave=2, action="approve"), at(60)).state == "passed"


def test_a_call_for_one_wave_does_not_start_the_next_one_if_all_clusters_of_its_wave_are_gone() -> None:
    waves = (DeclaredWave(clusters=("a",)), DeclaredWave())
    record = decide(None, call(waves=waves), NOW).record
    fleet = {key: text for key, text in FLEET.items() if key != "a"}
    found = decide(record, call(waves=waves, fleet=fleet, wave=1), at(1))
    assert (found.state, found.run, found.wave) == ("passed", (), 2)
    assert decide(record, call(waves=waves, fleet=fleet), at(1)).run == ("b", "c", "d")


@pytest.mark.parametrize(
    ("wave", "words"),
    [
        (3, "rollout_wave: 3 is not allowed: wave 2 has not ended. Allowed: 2."),
        (4, "rollout_wave: 4 is not allowed. Allowed: 1 to 3, the waves of rollout keys."),
    ],
)
def test_a_call_for_a_later_wave_is_refused(wave: int, words: str) -> None:
    with pytest.raises(Refused) as refused:
        decide(first(), call(wave=wave, action="approve"), at(31))
    assert words in str(refused.value)


def test_a_call_for_a_wave_that_has_ended_stops_if_too_many_clusters_failed() -> None:
    assert decide(first(a="failed"), call(wave=1), at(31)).state == "stopped"


@pytest.mark.parametrize(
    ("record", "action"),
    [(None, "approve"), (None, "retry"), (None, "accept"), (None, "abort"), (decide(None, call(), NOW).record, "approve")],
)
def test_actions_that_have_nothing_to_act_on_are_refused(record: Record | None, action: str) -> None:
    with pytest.raises(Refused, match=f"rollout_action: '{action}' is not allowed: (rollout keys does not exist|no wave waits)"):
        decide(record, call(action=action, confirmed=record.hash if record else ""), at(1))


def test_another_playbook_is_refused() -> None:
    with pytest.raises(Refused, match=r"rollout_verb: 'drain' is not allowed: rollout keys runs this playbook. Allowed: reconcile"):
        decide(first(), call(verb="drain"), at(1))


@pytest.mark.parametrize("change", [{"version": "1.1.0"}, {"variables": "w"}, {"fleet": {**FLEET, "a": "x"}}])
def test_a_later_wave_applies_what_the_first_one_tested(change: dict[str, t.Any]) -> None:
    found = decide(second(), call(**change), at(60))
    assert found.state == "stopped" and found.run == () and found.hold == ("b", "c", "d")
    assert decide(found.record, call(**change, action="restart"), at(61)).run == ("a",)


@pytest.mark.parametrize(
    ("outcome", "other", "state"),
    [
        ("failed", {}, "stopped"),
        ("degraded", {}, "stopped"),
        ("failed", {"failures": 1}, "waiting"),
        ("degraded", {"accept_degraded": True}, "waiting"),
        ("failed", {"accept_degraded": True}, "stopped"),
        ("gone", {}, "waiting"),
    ],
)
def test_the_rollout_stops_if_too_many_clusters_fail(outcome: str, other: dict[str, t.Any], state: str) -> None:
    found = decide(first(a=outcome), call(**other), at(5))
    assert found.state == state
    assert state == "waiting" or (f"{outcome}" in found.text and "More clusters are failed" in found.text)


def test_retry_opens_the_failed_clusters_again() -> None:
    found = decide(first(a="failed"), call(action="retry"), at(5))
    assert (found.state, found.wave, found.run) == ("running", 1, ("a",))
    assert decide(after(found), call(), at(6)).state == "waiting"


def test_a_locked_cluster_is_tried_again_until_the_wave_is_over() -> None:
    record = first(a="locked")
    assert decide(record, call(), at(59)).run == ("a",)
    found = decide(record, call(), at(60))
    assert found.state == "stopped" and found.record.members["a"].outcome == "failed"
    assert decide(record, call(wave_minutes=120), at(60)).run == ("a",)


def test_a_cluster_that_left_is_not_waited_for() -> None:
    fleet = {key: FLEET[key] for key in "acd"}
    found = decide(second(), call(fleet=fleet), at(60))
    assert (found.wave, found.run) == (3, ("c", "d")) and found.record.members["b"].outcome == "gone"
    assert remarks(found.record, call(fleet=fleet), at(60)) == ["Left the inventory since the rollout began: b."]
    assert remarks(found.record, call(), at(60)) == ["Not in the inventory during their wave: b. Run the playbook for them."]


def test_a_cluster_that_is_back_before_its_wave_has_ended_runs() -> None:
    waves = (DeclaredWave(clusters=("a", "b")), DeclaredWave())
    fleet = {key: FLEET[key] for key in "acd"}
    begun = decide(decide(None, call(waves=waves), NOW).record, call(waves=waves, fleet=fleet), at(1))
    assert begun.run == ("a",) and begun.record.members["b"].outcome == "gone"
    assert decide(begun.record, call(waves=waves), at(2)).run == ("a", "b")


def test_a_cluster_that_could_not_be_read_has_not_left() -> None:
    fleet, not_read = {key: FLEET[key] for key in "acd"}, ("account research: AccessDenied",)
    found = decide(second(), call(fleet=fleet, not_read=not_read), at(60))
    assert found.state == "waiting" and found.record.members["b"].outcome == "pending"
    assert found.text == "Wave 2 waits: the inventory lacks b, and could not read account research: AccessDenied."
    assert remarks(found.record, call(fleet=fleet, not_read=not_read), at(60)) == []


def test_a_freeze_also_stops_a_wave_that_was_interrupted() -> None:
    freeze = Freeze(NOW.date(), datetime.time(12, 30), 2, "UTC")
    begun = decide(None, call(freezes=(freeze,), wave_minutes=30), NOW)
    assert begun.state == "running"
    found = decide(begun.record, call(freezes=(freeze,), wave_minutes=30), at(1))
    assert (found.state, found.again) == ("waiting", "2026-11-30T14:30:00Z")
    assert "it could run into the freeze 2026-11-30 12:30 UTC, 2 h (a wave may take 30 minutes)" in found.text


def test_an_aborted_rollout_holds_no_cluster_and_runs_nothing_until_its_restart() -> None:
    found = decide(first(), call(action="abort"), at(5))
    assert (found.state, found.hold, found.run) == ("aborted", (), ())
    assert decide(found.record, call(), at(100)).state == "aborted"
    assert decide(found.record, call(action="restart"), at(100)).run == ("a",)


def test_the_rollout_is_done_after_its_last_wave() -> None:
    record = after(decide(second(), call(), at(31)), 32)
    last = decide(record, call(), at(33))
    assert last.run == ("c", "d") and last.hold == ()
    found = decide(after(last, 34), call(), at(35))
    assert (found.state, found.text, found.run) == ("done", "All 3 waves have ended.", ())
    assert decide(after(last, 34, d="failed"), call(), at(35)).state == "stopped"


def test_remarks_about_new_clusters_and_ended_holds() -> None:
    fleet = {**FLEET, "new": "x"}
    assert remarks(first(), call(fleet=fleet), at(72 * 60)) == [
        "New since the rollout began, and in no wave: new. To add them to the last wave: -e rollout_add_new=true.",
        "The holds ended at 2026-12-03T12:00:00Z (rollout_hold_hours), so other runs change waiting clusters.",
    ]


def test_a_finished_rollout_stays_finished() -> None:
    record = after(decide(second(), call(), at(31)), 32)
    record = after(decide(record, call(), at(33)), 34)
    assert decide(record, call(version="2.0.0", fleet={**FLEET, "a": "changed"}), at(60)).state == "done"
    assert decide(record, call(version="2.0.0", action="restart"), at(61)).run == ("a",)


def test_a_rollout_does_not_begin_while_a_part_of_the_inventory_is_missing() -> None:
    with pytest.raises(Refused, match="The inventory could not read account b: Throttling, so its clusters would be in no wave"):
        decide(None, call(not_read=("account b: Throttling",)), NOW)


def test_another_playbook_does_not_abort_the_rollout() -> None:
    with pytest.raises(Refused, match="rollout keys runs this playbook"):
        decide(first(), call(verb="karpenter", action="abort"), at(5))


ANY = (*model.OPEN, *model.ENDED)


@pytest.mark.parametrize("seed", range(300))
def test_no_history_opens_a_gate_early_runs_a_cluster_twice_or_exceeds_the_budget(seed: int) -> None:
    """Random histories: any waves, outcomes, interruptions, approvals, changes of the inventory, and pauses of any length."""
    chance = random.Random(seed)
    fleet = {f"c{number}": f"h{number}" for number in range(chance.randint(1, 12))}
    declared = tuple(
        DeclaredWave(size=chance.randint(1, 4), soak_minutes=chance.choice([0, 10, 60]), approval=chance.random() < 0.4)
        for _number in range(chance.randint(1, 4))
    )
    failures, wave_minutes = chance.randint(0, 2), chance.choice([None, 20])
    freezes = (Freeze(NOW.date(), datetime.time(chance.randint(0, 23), 30), 2, "Asia/Tokyo"),) if chance.random() < 0.5 else ()
    record: Record | None = None
    ended: dict[str, int] = {}
    now = NOW
    for _step in range(40):
        now += datetime.timedelta(minutes=chance.choice([0, 1, 7, 45, 300]))
        if chance.random() < 0.1 and len(fleet) > 1:
            leaves = chance.choice(sorted(fleet))
            fleet = {key: value for key, value in fleet.items() if key != leaves}
        inputs = call(fleet=fleet, waves=declared, failures=failures, freezes=freezes, wave_minutes=wave_minutes)
        if record and chance.random() < 0.3:
            inputs = call(**{**vars(inputs), "action": "approve", "confirmed": record.hash})
        try:
            found = decide(record, inputs, now)
        except Refused:
            continue
        before, record = record, found.record
        if not found.run:
            continue
        wave = record.waves[found.wave - 1]
        earlier = record.waves[: found.wave - 1]
        assert all(each.ended for each in earlier), "an earlier wave has not ended"
        first_run = before is None or not before.waves[found.wave - 1].started
        if first_run and earlier:
            soaked = datetime.datetime.fromisoformat(earlier[-1].ended) + datetime.timedelta(minutes=earlier[-1].soak_minutes)
            assert now >= soaked, "the soak time is not over"
        if first_run and wave.approval:
            assert record.head.approvals[str(found.wave)]["plan"] == record.hash, "the wave is not approved"
        bad = [key for key, each in record.members.items() if each.outcome in ("failed", "degraded")]
        assert len(bad) <= failures, "the failure budget is exceeded before this run"
        assert not set(found.run) & set(ended), "a cluster with a final outcome runs again"
        assert set(found.run) <= set(fleet) and not set(found.run) & set(found.hold)
        if chance.random() < 0.2:
            continue  # killed before the outcomes were recorded
        outcomes = {key: chance.choice(ANY[:-1]) for key in found.run}
        ended |= {key: found.wave for key, each in outcomes.items() if each in model.ENDED}
        record = record.with_wave(found.wave - 1, wave.with_outcomes(outcomes, now.isoformat()))
