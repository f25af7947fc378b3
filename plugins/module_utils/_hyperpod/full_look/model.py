# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The recorded full look at a cluster, and the values it is compared with.

A full look is a run of ``reconcile`` that checks AWS and the login nodes completely. It records its results as hashes. Later runs
need not connect to nodes while all hashes stay the same, nothing has expired or may be renewed, and the record is not too old.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import typing as t
from dataclasses import asdict, dataclass, field

from ..._core.arn import ClusterArn
from ..._core.times import moment_of

VERSION = 1
LARGEST = 4096
"""The maximum number of characters in a standard parameter."""
SETTINGS = ("settings", "version")
"""The parts of a declaration that determine how a run configures a cluster, wherever it runs."""
HEALTHY = "healthy"
LAG = datetime.timedelta(seconds=5)
"""For this time after an event, AWS's replies may be older than the event. AWS also rounds the times of events to seconds."""


def digest(value: t.Any) -> str:
    """A hash of plain data that does not depend on the order of keys."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class FullLook:
    """The record of the last full look."""

    looked: str
    well: bool
    """Whether the run changed nothing, and left nothing pending or failed."""
    generation: int = 0
    """The lock's generation when the run ended."""
    declared: t.Mapping[str, str] = field(default_factory=dict)
    """Hash of each part of the declaration. A failed full look has them too, because it may have applied the declaration."""
    nodes: str = ""
    records: str = ""
    targets: str = ""
    target_group: str = ""
    """ARN."""
    endpoint: str = ""
    """ID of the Client VPN endpoint; empty without one."""
    vpn: str = ""
    due: str = ""
    """The next time when something expires or may be renewed; empty for never."""
    complete: str = ""
    """AWS's time when the last full look began that left nothing pending or failed, with or without changes. Empty if unknown."""

    def to_json(self) -> str:
        return json.dumps({"version": VERSION, **asdict(self)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str | None) -> FullLook | None:
        """The record; None if it is unreadable or has a different version. The run that reads it is then a full look."""
        try:
            data = json.loads(text or "")
            look = cls(**{name: data[name] for name in cls.__dataclass_fields__})
            times = [moment_of(each or look.looked) for each in (look.looked, look.due, look.complete)]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        kinds = isinstance(look.well, bool) and isinstance(look.generation, int) and isinstance(look.declared, dict)
        return look if data.get("version") == VERSION and kinds and all(time.tzinfo for time in times) else None


@dataclass(frozen=True)
class RunContext:
    """The inputs of this run that don't come from AWS."""

    cluster_id: str
    now: datetime.datetime
    declared: t.Mapping[str, str]
    problem: str = ""
    """Why the declaration could not be read."""
    inventory: frozenset[str] = frozenset()
    """The instance IDs in the inventory."""
    minutes: int = 60
    full: bool = False


@dataclass(frozen=True)
class Observed:
    """The state that AWS returns."""

    generation: int
    holder: str = ""
    """The lock's holder; empty if the lock is free."""
    ours: bool = False
    """Whether this run created the lock's last generation."""
    nodes: str = ""
    instance_ids: frozenset[str] = frozenset()
    records: str = ""


@dataclass(frozen=True)
class Desired:
    """The full look to record; None removes the record."""

    look: FullLook | None
    hindrances: tuple[str, ...] = ()
    """Reasons why later runs can't be compared with this full look. If there is one, the existing record stays unchanged."""


@dataclass(frozen=True)
class State:
    """The existing record; ``exists`` is true for an unreadable one as well."""

    look: FullLook | None = None
    exists: bool = False


def parameter_of(arn: ClusterArn) -> str:
    """The name of the parameter with the record."""
    return f"/mlfleet/hyperpod/{arn.id}/full-look"


def other_settings(one: t.Mapping[str, str], other: t.Mapping[str, str]) -> bool:
    """Whether two declarations would configure a cluster in different ways. An unknown declaration differs from all others."""
    pairs = [(one.get(part), other.get(part)) for part in SETTINGS]
    return any(left is None or left != right for left, right in pairs)


def handles(look: FullLook | None, event: datetime.datetime) -> bool:
    """Whether a full look that left nothing pending began after an event, so that the event needs no further one."""
    return look is not None and bool(look.complete) and moment_of(look.complete) >= event + LAG


def targets_digest(targets: t.Mapping[str, str]) -> str:
    """A hash of the addresses, without their health, which each run checks."""
    return digest(sorted(targets))
