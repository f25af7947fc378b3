# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans the waves of a new rollout, and compares a later call with this plan. No I/O."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import replace

from ..._core.failure import Refused, refuse_option, refuse_shown
from ..._core.times import iso_seconds
from .model import GONE, LARGEST, Call, DeclaredWave, Head, Member, Record, Wave

OPTION = "rollout_waves"
LONGEST_OUTCOME, LONGEST_TIME = "degraded", "2026-11-30T12:00:00Z"


def planned(call: Call, now: datetime.datetime) -> Record:
    """:raises Refused: for waves that do not have each cluster exactly once, or that are too large for one parameter."""
    if call.not_read:
        why = "its clusters would be in no wave"
        raise Refused(f"The inventory could not read {'; '.join(call.not_read)}, so {why}. Call again when it can be read.")
    if call.unread:
        raise Refused(f"{unread_text(call.unread)} A rollout begins only if all clusters can wait for their wave.")
    if call.missing_nodes:
        missing = f"No cluster that the playbook {call.verb} supports has node {_some(call.missing_nodes)}."
        raise Refused(f"{missing} A rollout begins only if all named nodes exist.")
    waves = tuple(_waves(call))
    if not waves:
        raise Refused(f"The inventory has no cluster that the playbook {call.verb} supports, so rollout {call.name} has no waves.")
    for number, wave in enumerate(waves, 1):
        _check_size(number, wave)
    head = Head(
        verb=call.verb,
        variables=call.variables,
        version=call.version,
        created=iso_seconds(now),
        owner=call.owner,
        hold_until=iso_seconds(now + datetime.timedelta(hours=call.hold_hours)),
        waves=len(waves),
    )
    record = Record(head, waves)
    return replace(record, head=replace(head, first=record.hash))


def _check_size(number: int, wave: Wave) -> None:
    """:raises Refused: for a wave whose record would not fit into a parameter when the wave has ended."""
    full = replace(wave.with_outcomes(dict.fromkeys(wave.members, LONGEST_OUTCOME), LONGEST_TIME), started=LONGEST_TIME)
    if len(full.to_json()) > LARGEST:
        shown = f"wave {number} with {len(wave.members)} clusters"
        refuse_shown(OPTION, shown, f"waves whose record has at most {LARGEST} characters")


def _waves(call: Call) -> t.Iterator[Wave]:
    named = [key for each in call.waves for key in each.clusters]
    _check_named(named, call.fleet)
    rest = [key for key in sorted(call.fleet) if key not in named]
    for number, each in enumerate(call.waves, 1):
        if each.clusters:
            yield _wave(each, each.clusters, call)
            continue
        size, last = each.size or len(rest), number == len(call.waves)
        while rest:
            yield _wave(each, rest[:size], call)
            del rest[:size]
            if not last:
                break
    if rest:
        allowed = "waves with all clusters, such as a last wave without clusters"
        refuse_shown(OPTION, f"{len(call.waves)} waves without {_some(rest)}", allowed)


def _check_named(named: t.Sequence[str], fleet: t.Container[str]) -> None:
    unknown = [key for key in named if key not in fleet]
    twice = sorted({key for key in named if named.count(key) > 1})
    if unknown:
        refuse_option(OPTION, ", ".join(unknown), "keys of clusters of the inventory that the playbook supports")
    if twice:
        refuse_option(OPTION, ", ".join(twice), "each cluster in one wave")


def _wave(declared: DeclaredWave, keys: t.Sequence[str], call: Call) -> Wave:
    return Wave({key: Member(call.fleet[key]) for key in keys}, declared.soak_minutes, declared.approval)


def differences(record: Record, call: Call) -> list[str]:
    """What a later call would apply that the rollout has not planned."""
    head = record.head
    found = [] if head.variables == call.variables else [f"the extra variables of {head.verb}"]
    if head.version != call.version:
        found.append(f"the version of this collection ({head.version}, now {call.version})")
    members = record.members.items()
    other = [key for key, each in members if key in call.fleet and each.outcome != GONE and each.settings != call.fleet[key]]
    return [*found, *([f"the settings of {_some(other)}"] if other else [])]


def accepted(record: Record, call: Call) -> Record:
    """The record with the variables, the version and the settings of the call."""
    waves = tuple(
        replace(
            wave,
            members={key: replace(each, settings=call.fleet.get(key, each.settings)) for key, each in wave.members.items()},
        )
        for wave in record.waves
    )
    return Record(replace(record.head, variables=call.variables, version=call.version), waves)


def added(record: Record, call: Call) -> Record:
    """The record with new clusters in the last wave, if it has not started."""
    new = new_clusters(record, call)
    last = record.waves[-1]
    if not new or not call.add_new or last.started:
        return record
    larger = replace(last, members={**last.members, **{key: Member(call.fleet[key]) for key in new}})
    _check_size(len(record.waves), larger)
    return record.with_wave(len(record.waves) - 1, larger)


def new_clusters(record: Record, call: Call) -> list[str]:
    return sorted(set(call.fleet) - set(record.members))


def unread_text(unread: t.Mapping[str, str]) -> str:
    """A sentence about clusters whose records could not be read."""
    return f"Could not read the records of {_some([f'{key} ({why})' for key, why in sorted(unread.items())])}."


def _some(names: t.Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
