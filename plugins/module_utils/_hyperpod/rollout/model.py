# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a rollout, and the inputs and the result of one step.

The record is in Parameter Store of the home account: one parameter with the head, and one for each wave.
"""

from __future__ import annotations

import datetime
import json
import typing as t
from dataclasses import asdict, dataclass, field, replace

from ..._core.arn import ClusterArn
from ..._core.failure import Refused
from ..._core.times import moment_of
from ..full_look.model import digest

VERSION = 1
LARGEST = 4096
"""The maximum number of characters in a standard parameter."""

PENDING, LOCKED = OPEN = ("pending", "locked")
DONE, DEGRADED, FAILED, GONE = ENDED = ("done", "degraded", "failed", "gone")
"""Outcomes of a cluster. The verb runs for those with an outcome of ``OPEN``. ``gone``: the cluster left the inventory."""

WAITING, RUNNING, PASSED, STOPPED, ABORTED, FINISHED = STATES = ("waiting", "running", "passed", "stopped", "aborted", "done")
"""``passed``: the wave of the call has ended, and the rollout has more waves."""

CONTINUE, APPROVE, RETRY, ACCEPT, RESTART, ABORT = ACTIONS = ("continue", "approve", "retry", "accept", "restart", "abort")


def path_of(name: str) -> str:
    """The path of the parameters of a rollout."""
    return f"/mlfleet/hyperpod/rollouts/{name}"


def head_name(name: str) -> str:
    return f"{path_of(name)}/head"


def wave_name(name: str, number: int) -> str:
    return f"{path_of(name)}/waves/{number}"


def lock_subject(name: str, region: str) -> ClusterArn:
    """Identifies the rollout in the code of the lock, which has an ARN for a cluster."""
    return ClusterArn(text=f"rollout/{name}", partition="", region=region, account="", id=f"rollouts/{name}")


@dataclass(frozen=True)
class Member:
    """A cluster of a wave."""

    settings: str
    """Hash of the cluster's settings that the rollout applies."""
    outcome: str = PENDING


@dataclass(frozen=True)
class Wave:
    members: t.Mapping[str, Member]
    soak_minutes: int = 0
    """Minutes between the end of this wave and the start of the next one."""
    approval: bool = False
    """Whether the wave starts only after an approval."""
    started: str = ""
    ended: str = ""
    """When the last cluster got an outcome of ``ENDED``."""

    @property
    def open(self) -> tuple[str, ...]:
        return tuple(key for key, member in self.members.items() if member.outcome in OPEN)

    def with_outcomes(self, outcomes: t.Mapping[str, str], now: str) -> Wave:
        """The wave with these outcomes of its clusters. It has ended if none of them is open."""
        members = {key: replace(each, outcome=outcomes.get(key, each.outcome)) for key, each in self.members.items()}
        after = replace(self, members=members)
        return after if after.open else replace(after, ended=self.ended or now)

    def to_json(self) -> str:
        members = {key: [each.settings, each.outcome] for key, each in self.members.items()}
        return json.dumps({"version": VERSION, **asdict(self), "members": members}, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, name: str, text: str) -> Wave:
        """:raises Refused: if the value of parameter ``name`` is not a wave."""
        try:
            data = _versioned(text)
            members = {str(key): Member(str(settings), str(outcome)) for key, (settings, outcome) in data["members"].items()}
            wave = cls(members, int(data["soak_minutes"]), data["approval"] is True, data["started"], data["ended"])
            known = all(each.outcome in (*OPEN, *ENDED) for each in members.values())
            _check_times(wave.started, wave.ended)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _not_valid(name) from error
        if not known:
            raise _not_valid(name)
        return wave


@dataclass(frozen=True)
class Head:
    """The properties of the whole rollout."""

    verb: str
    variables: str
    """Hash of the verb's extra variables."""
    version: str
    """Version of this collection."""
    created: str
    owner: str
    hold_until: str
    waves: int
    approvals: t.Mapping[str, t.Mapping[str, str]] = field(default_factory=dict)
    """``by``, ``at`` and ``plan`` (the hash of the approved plan), keyed by the number of the wave."""
    aborted: str = ""
    """The time and the person."""
    first: str = ""
    """Hash of the plan that the rollout began with."""

    def to_json(self) -> str:
        return json.dumps({"version_of_record": VERSION, **asdict(self)}, sort_keys=True)

    @classmethod
    def from_json(cls, name: str, text: str) -> Head:
        """:raises Refused: if the value of parameter ``name`` is not the head of a rollout."""
        try:
            data = _versioned(text, "version_of_record")
            head = cls(**{each: data[each] for each in cls.__dataclass_fields__})
            approved = all(isinstance(each["plan"], str) for each in head.approvals.values())
            texts = (head.verb, head.variables, head.version, head.owner, head.first, head.aborted)
            _check_times(head.created or "missing", head.hold_until or "missing")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _not_valid(name) from error
        if not approved or not all(isinstance(each, str) for each in texts) or not isinstance(head.waves, int) or head.waves < 1:
            raise _not_valid(name)
        return head


@dataclass(frozen=True)
class Record:
    head: Head
    waves: tuple[Wave, ...]

    @property
    def hash(self) -> str:
        """Identifies the plan: the verb, its variables, the version, and the clusters of each wave with their settings."""
        waves = [
            [{key: each.settings for key, each in wave.members.items()}, wave.soak_minutes, wave.approval] for wave in self.waves
        ]
        return digest([self.head.verb, self.head.variables, self.head.version, waves])[:12]

    @property
    def members(self) -> dict[str, Member]:
        return {key: each for wave in self.waves for key, each in wave.members.items()}

    def with_wave(self, index: int, wave: Wave) -> Record:
        return replace(self, waves=(*self.waves[:index], wave, *self.waves[index + 1 :]))


@dataclass(frozen=True)
class DeclaredWave:
    """A wave as an operator declares it. Without ``clusters`` and ``size``, it has all clusters that are left."""

    clusters: tuple[str, ...] = ()
    size: int = 0
    soak_minutes: int = 0
    approval: bool = False


@dataclass(frozen=True)
class Freeze:
    """A time in which no wave may run. ``day`` is a weekday (0 for Monday) or a date."""

    day: int | datetime.date
    time: datetime.time
    hours: int
    timezone: str

    def __str__(self) -> str:
        day = self.day.isoformat() if isinstance(self.day, datetime.date) else f"every {WEEKDAYS[self.day]}"
        return f"{day} {self.time:%H:%M} {self.timezone}, {self.hours} h"


WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True)
class Call:
    """The inputs of one step."""

    name: str
    verb: str
    variables: str
    version: str
    owner: str
    fleet: t.Mapping[str, str]
    """The hash of the settings of each cluster in the inventory that the verb supports."""
    waves: tuple[DeclaredWave, ...]
    action: str = CONTINUE
    confirmed: str = ""
    """The hash of the plan that the operator approves or accepts."""
    not_read: tuple[str, ...] = ()
    """The accounts and Regions that the inventory could not read."""
    unread: t.Mapping[str, str] = field(default_factory=dict)
    """The reasons why the records of clusters could not be read."""
    missing_nodes: tuple[str, ...] = ()
    """The nodes that the verb's variables name and the inventory does not have."""
    failures: int = 0
    """The number of clusters that may fail."""
    accept_degraded: bool = False
    wave_minutes: int | None = None
    freezes: tuple[Freeze, ...] = ()
    hold_hours: int = 72
    add_new: bool = False
    wave: int = 0
    """The only wave that the call may start; 0 for the next one."""


@dataclass(frozen=True)
class Decision:
    """The result of one step. Nothing has been written yet."""

    record: Record
    """The record after the step."""
    state: str
    text: str
    wave: int = 0
    """The number of the current wave, from 1; 0 after the last one."""
    run: tuple[str, ...] = ()
    """The clusters for which the verb runs now."""
    again: str = ""
    """The time of the next useful call; empty if it does not depend on the time."""

    @property
    def hold(self) -> tuple[str, ...]:
        """The clusters that wait for their wave."""
        if self.state in (ABORTED, FINISHED):
            return ()
        waiting = (wave for wave in self.record.waves if not wave.started)
        return tuple(key for wave in waiting for key, each in wave.members.items() if each.outcome == PENDING)


def _versioned(text: str, name: str = "version") -> dict[str, t.Any]:
    data = json.loads(text)
    if not isinstance(data, dict) or data[name] != VERSION:
        raise ValueError(text)
    return data


def _check_times(*times: str) -> None:
    """:raises ValueError: for a text that is neither empty nor a time with a time zone."""
    if any(moment_of(each).tzinfo is None for each in times if each):
        raise ValueError(times)


def _not_valid(name: str) -> Refused:
    return Refused(f"Parameter {name} is not a valid record of a rollout. Check it, or delete it and restart the rollout.")
