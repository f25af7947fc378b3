# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides the next step of a rollout from its record and the inputs of one call. No I/O.

A wave starts only after all gates: the earlier waves have ended within the failure budget, the soak time is over, the wave is
approved, no freeze is near, and the inventory has the clusters of the wave.
"""

from __future__ import annotations

import datetime
from dataclasses import replace

from ..._core.failure import refuse_option
from ..._core.times import iso_seconds, moment_of
from .freeze import conflict
from .model import (
    ABORT,
    ABORTED,
    ACCEPT,
    APPROVE,
    CONTINUE,
    DEGRADED,
    FAILED,
    FINISHED,
    GONE,
    LOCKED,
    OPEN,
    PASSED,
    PENDING,
    RESTART,
    RETRY,
    RUNNING,
    STOPPED,
    WAITING,
    Call,
    Decision,
    Record,
    Wave,
)
from .waves import accepted, added, differences, new_clusters, planned, unread_text

ACTION, CONFIRM, WAVE = "rollout_action", "rollout_confirm", "rollout_wave"
DEFAULT_MINUTES = 60
"""How long a wave waits for locked clusters without ``wave_minutes``."""
WITHOUT_TIME = "The replies of AWS have no valid time, so times are those of the control node's clock."
"""A remark, because gates then depend on a clock that can be wrong."""


def decide(record: Record | None, call: Call, now: datetime.datetime) -> Decision:
    """
    :param record: None if the rollout does not exist.
    :raises Refused: for an action that the state of the rollout does not allow.
    """
    if record is None and call.action in (APPROVE, RETRY, ACCEPT, ABORT):
        refuse_option(ACTION, call.action, "continue, or no value", f"rollout {call.name} does not exist")
    if record is None:
        record = planned(call, now)
    elif call.action == RESTART:
        again = planned(call, now)
        record = replace(again, head=replace(again.head, first=record.head.first))  # approvals of the first plan are for no other
    if record.head.verb != call.verb:
        refuse_option("rollout_verb", call.verb, record.head.verb, f"rollout {call.name} runs this playbook")
    if call.action == ABORT:
        record = replace(record, head=replace(record.head, aborted=f"{iso_seconds(now)} by {call.owner}"))
    if record.head.aborted:
        return Decision(record, ABORTED, _aborted(record, call))
    ends = call.action == CONTINUE or (call.action == APPROVE and call.wave)
    if ends and not _current(record) and not _budget(record, call):
        return Decision(record, FINISHED, f"All {len(record.waves)} waves have ended.")
    _check_wave(record, call)
    changed = _changed(record, call)
    if isinstance(changed, Decision):
        return changed
    record = _approved(_retried(added(changed, call), call), call, now)
    return _advanced(record, call, now)


def _aborted(record: Record, call: Call) -> str:
    again = f"To begin again with wave 1: -e {ACTION}={RESTART}."
    released = "No cluster waits for it."
    unread = {key: why for key, why in call.unread.items() if key in record.members and record.members[key].outcome in OPEN}
    if unread:
        released = f"{unread_text(unread)} They may wait until {record.head.hold_until}. Call again to release them."
    return f"The rollout was aborted at {record.head.aborted}. {released} {again}"


def _check_wave(record: Record, call: Call) -> None:
    """:raises Refused: if the record does not have the wave of the call, or if an earlier wave has not ended."""
    current = _current(record)
    if call.wave > len(record.waves):
        refuse_option(WAVE, call.wave, f"1 to {len(record.waves)}, the waves of rollout {call.name}")
    if current and call.wave > current:
        refuse_option(WAVE, call.wave, str(current), f"wave {current} has not ended")


def _changed(record: Record, call: Call) -> Record | Decision:
    """The record to continue with, or the decision to stop because something differs from the plan."""
    found, after = differences(record, call), accepted(record, call)
    if not found:
        return record
    if call.action == ACCEPT:
        if call.confirmed != after.hash:
            refuse_option(CONFIRM, call.confirmed, after.hash, "it must be the hash of the changed plan")
        return after
    text = f"Changed since the rollout began: {', and '.join(found)}. To continue with the change: -e {ACTION}={ACCEPT} -e "
    text += f"{CONFIRM}={after.hash}. To begin again with wave 1: -e {ACTION}={RESTART}."
    return Decision(record, STOPPED, text, _current(record))


def _current(record: Record) -> int:
    """The number of the first wave that has not ended; 0 after the last one."""
    return next((number for number, wave in enumerate(record.waves, 1) if not wave.ended), 0)


def _retried(record: Record, call: Call) -> Record:
    """With the action ``retry``, the clusters that failed are open again, only those of the wave if the call is for one."""
    if call.action != RETRY:
        return record
    for index, wave in enumerate(record.waves):
        again = [key for key, each in wave.members.items() if each.outcome in _counted(call)]
        if again and call.wave in (0, index + 1):
            outcomes = dict.fromkeys(again, PENDING)
            record = record.with_wave(index, replace(wave, ended="", started="").with_outcomes(outcomes, ""))
    return record


def _approved(record: Record, call: Call, now: datetime.datetime) -> Record:
    if call.action != APPROVE:
        return record
    number = _current(record)
    if call.wave and (number != call.wave or record.waves[number - 1].started or _is_approved(record, number)):
        return record
    if not number or record.waves[number - 1].started or not record.waves[number - 1].approval:
        refuse_option(ACTION, APPROVE, "continue, or no value", "no wave waits for an approval")
    unconfirmed = bool(call.wave and not call.confirmed)
    if call.confirmed != record.hash and not (unconfirmed and record.hash == record.head.first):
        why = "the plan has changed since the rollout began" if unconfirmed else "it must be the hash of the current plan"
        refuse_option(CONFIRM, call.confirmed, record.hash, why)
    approval = {"by": call.owner, "at": iso_seconds(now), "plan": record.hash}
    return replace(record, head=replace(record.head, approvals={**record.head.approvals, str(number): approval}))


def _is_approved(record: Record, number: int) -> bool:
    return record.head.approvals.get(str(number), {}).get("plan") == record.hash


def _advanced(record: Record, call: Call, now: datetime.datetime) -> Decision:
    """The decision for the first wave that has not ended. A wave whose clusters are all gone ends without a run."""
    for index, wave in enumerate(record.waves):
        over = _budget(record, call)
        if over:
            return Decision(record, STOPPED, over, index + 1)
        if wave.ended:
            continue
        if call.wave and index >= call.wave:
            return Decision(record, PASSED, f"Wave {call.wave} has ended.", index + 1)
        closed = _gate(record, index, call, now)
        if closed:
            return closed
        record = record.with_wave(index, _started(wave, call, now))
        if record.waves[index].open:
            return _run(record, index, call, now)
    over = _budget(record, call)
    return Decision(record, STOPPED if over else FINISHED, over or f"All {len(record.waves)} waves have ended.")


def _started(wave: Wave, call: Call, now: datetime.datetime) -> Wave:
    outcomes = {key: GONE for key in wave.open if key not in call.fleet}
    outcomes |= {key: PENDING for key, each in wave.members.items() if each.outcome == GONE and key in call.fleet}
    if wave.started and now >= _limit(wave, call):
        outcomes |= {key: FAILED for key, each in wave.members.items() if each.outcome == LOCKED}
    return replace(wave, started=wave.started or iso_seconds(now)).with_outcomes(outcomes, iso_seconds(now))


def _run(record: Record, index: int, call: Call, now: datetime.datetime) -> Decision:
    wave = record.waves[index]
    over = _budget(record, call)
    if over:
        return Decision(record, STOPPED, over, index + 1)
    again = "" if wave.started == iso_seconds(now) else f" The wave started at {wave.started}, and these clusters have no result."
    text = f"Wave {index + 1} of {len(record.waves)}: {record.head.verb} runs for {', '.join(wave.open)}.{again}"
    return Decision(record, RUNNING, text, index + 1, wave.open)


def _limit(wave: Wave, call: Call) -> datetime.datetime:
    minutes = DEFAULT_MINUTES if call.wave_minutes is None else call.wave_minutes
    return moment_of(wave.started) + datetime.timedelta(minutes=minutes)


def _counted(call: Call) -> tuple[str, ...]:
    return (FAILED,) if call.accept_degraded else (FAILED, DEGRADED)


def _budget(record: Record, call: Call) -> str:
    """The reason why the rollout stops because of clusters that failed."""
    bad = [key for key, each in record.members.items() if each.outcome in _counted(call)]
    if len(bad) <= call.failures:
        return ""
    kinds = " or ".join(_counted(call))
    text = f"More clusters are {kinds} ({len(bad)}) than rollout_failures allows ({call.failures}): {', '.join(sorted(bad))}."
    return f"{text} Repair them, then run the playbook for them again: -e {ACTION}={RETRY}."


def _gate(record: Record, index: int, call: Call, now: datetime.datetime) -> Decision | None:
    """The first closed gate of a wave."""
    wave, number = record.waves[index], index + 1

    def closed(text: str, again: datetime.datetime | None = None) -> Decision:
        return Decision(record, WAITING, f"Wave {number} waits: {text}", number, again=iso_seconds(again) if again else "")

    if not wave.started and index:
        before = record.waves[index - 1]
        soaked = moment_of(before.ended) + datetime.timedelta(minutes=before.soak_minutes)
        if now < soaked:
            return closed(f"wave {index} must soak for {before.soak_minutes} minutes, until {iso_seconds(soaked)}.", soaked)
    if not wave.started and wave.approval and not _is_approved(record, number):
        why = "the plan changed after the approval" if str(number) in record.head.approvals else "it needs an approval"
        return closed(f"{why}. To approve: -e {ACTION}={APPROVE} -e {CONFIRM}={record.hash}.")
    missing = sorted(key for key in wave.open if key not in call.fleet)
    if missing and call.not_read:
        return closed(f"the inventory lacks {', '.join(missing)}, and could not read {'; '.join(call.not_read)}.")
    later = {key for each in record.waves[index:] for key in each.open}
    unread = {key: why for key, why in call.unread.items() if key in later}
    if unread:
        return closed(unread_text(unread))
    met = conflict(now, call.wave_minutes, call.freezes)
    if met:
        freeze, end = met
        limit = "24 hours, because rollout_wave_minutes is not set" if call.wave_minutes is None else f"{call.wave_minutes} minutes"
        return closed(f"it could run into the freeze {freeze} (a wave may take {limit}), until {iso_seconds(end)}.", end)
    return None


def remarks(record: Record, call: Call, now: datetime.datetime) -> list[str]:
    """Sentences about clusters and nodes that left or joined the inventory, and about holds that have ended."""
    members = record.members.items()
    gone = sorted(key for key, _each in members if key not in call.fleet)
    back = sorted(key for key, each in members if key in call.fleet and each.outcome == GONE)
    new = new_clusters(record, call)
    unfinished = not record.head.aborted and bool(_current(record))
    found = [f"Left the inventory since the rollout began: {', '.join(gone)}."] if gone and not call.not_read else []
    if call.missing_nodes:
        nodes = ", ".join(call.missing_nodes)
        found.append(f"No longer in the inventory, for example because they were replaced: nodes {nodes}.")
    if back:
        found.append(f"Not in the inventory during their wave: {', '.join(back)}. Run the playbook for them.")
    if new:
        hint = "" if record.waves[-1].started else " To add them to the last wave: -e rollout_add_new=true."
        found.append(f"New since the rollout began, and in no wave: {', '.join(new)}.{hint}")
    if unfinished and now >= moment_of(record.head.hold_until):
        found.append(f"The holds ended at {record.head.hold_until} (rollout_hold_hours), so other runs change waiting clusters.")
    return found
