# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A full look at a cluster as it is recorded, and what it is compared with.

A full look is a run of ``reconcile`` that asked the login nodes. What it left is recorded as hashes; as long as all of them
are the same, nothing is due and the record is not too old, a run need not ask a node.
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
"""Characters of a standard parameter."""
HEALTHY = "healthy"


def digest(value: t.Any) -> str:
    """Of plain data; the same for the same content in any order of keys."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class FullLook:
    """What the last full look left, as it is recorded."""

    looked: str
    well: bool
    """It changed nothing, and left nothing pending or failed."""
    generation: int = 0
    """Of the lock, when it ended."""
    declared: t.Mapping[str, str] = field(default_factory=dict)
    """Hash of each part of the declaration."""
    nodes: str = ""
    records: str = ""
    targets: str = ""
    target_group: str = ""
    """ARN."""
    endpoint: str = ""
    """Id of the Client VPN endpoint, for a cluster that has one."""
    vpn: str = ""
    due: str = ""
    """When something ends or may be renewed; empty for never."""

    def to_json(self) -> str:
        return json.dumps({"version": VERSION, **asdict(self)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str | None) -> FullLook | None:
        """None for a record that can't be read, or of another version: the next run looks at everything."""
        try:
            data = json.loads(text or "")
            look = cls(**{name: data[name] for name in cls.__dataclass_fields__})
            times = [moment_of(look.looked), moment_of(look.due or look.looked)]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        kinds = isinstance(look.well, bool) and isinstance(look.generation, int) and isinstance(look.declared, dict)
        return look if data.get("version") == VERSION and kinds and all(time.tzinfo for time in times) else None


@dataclass(frozen=True)
class RunContext:
    """What this run knows without AWS."""

    cluster_id: str
    now: datetime.datetime
    declared: t.Mapping[str, str]
    problem: str = ""
    """Why the declaration could not be read."""
    inventory: frozenset[str] = frozenset()
    """Instance ids."""
    minutes: int = 60
    full: bool = False


@dataclass(frozen=True)
class Observed:
    """What AWS tells."""

    generation: int
    holder: str = ""
    """Who holds the lock."""
    ours: bool = False
    """The last generation of the lock is this run's."""
    nodes: str = ""
    instance_ids: frozenset[str] = frozenset()
    records: str = ""


@dataclass(frozen=True)
class Desired:
    """What is to be on record: a full look, or with None nothing."""

    look: FullLook | None
    hindrances: tuple[str, ...] = ()
    """Why the look says nothing about the next one. Then what is on record stays."""


@dataclass(frozen=True)
class State:
    """The record as it is; ``exists`` also of one that can't be read."""

    look: FullLook | None = None
    exists: bool = False


def parameter_of(arn: ClusterArn) -> str:
    """Where the last full look at a cluster is recorded."""
    return f"/mlfleet/hyperpod/{arn.id}/full-look"


def targets_digest(targets: t.Mapping[str, str]) -> str:
    """Of the addresses; their health is looked at each time."""
    return digest(sorted(targets))
