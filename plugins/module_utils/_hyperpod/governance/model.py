# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the actual scheduler configuration or compute quota."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from ..._aws.tags import Tags
from ..._core.settings import Answer, Values
from ..._core.text import printable
from ..statuses import GOVERNANCE, RETRIED
from .fields import Kind

HOPELESS = tuple(status for status in GOVERNANCE.failed if status != RETRIED)
"""Statuses in which AWS accepts no change. The resource must be deleted and created again."""


@dataclass(frozen=True)
class Desired:
    """The desired resource. Missing settings stay unchanged. ``team`` is empty for a scheduler configuration."""

    kind: Kind
    cluster_arn: str
    name: str
    team: str = ""
    present: bool = True
    settings: Values = field(default_factory=dict)
    tags: Tags | None = None
    purge_tags: bool = True
    recreate: bool = False
    allow_oversubscription: bool = False

    @property
    def resource(self) -> str:
        return f"{self.kind.noun} {self.name}" + (f" of team {self.team}" if self.team else "")


@dataclass(frozen=True)
class Found:
    """The resource as AWS returns it. ``tags`` is None if they were not read."""

    id: str
    arn: str
    name: str
    status: str
    version: int = 0
    team: str = ""
    failure: str = ""
    settings: Values = field(default_factory=dict)
    details: t.Mapping[str, str] = field(default_factory=dict)
    """Status of each part of a scheduler configuration."""
    tags: Tags | None = None

    @classmethod
    def from_api(cls, kind: Kind, answer: Answer) -> Found:
        """``answer``: a description, or the summary of a listing, which lacks some fields."""
        return cls(
            id=answer[kind.id],
            arn=answer[kind.arn],
            name=answer["Name"],
            status=answer["Status"],
            version=answer.get(kind.version, 0),
            team=(answer.get("ComputeQuotaTarget") or {}).get("TeamName", ""),
            failure=printable(answer.get("FailureReason") or ""),
            settings=kind.observed(answer),
            details=dict(answer.get("StatusDetails") or {}),
        )

    @property
    def described(self) -> str:
        """The status, with the reason of a failure."""
        return f"{self.status}{self.failure and f' ({self.failure})'}"


@dataclass(frozen=True)
class Capacity:
    """The target capacity of a cluster's instance groups: instances, and amounts of one instance if they were read, keyed by type.

    ``cut``: the numbers of instances with partitioned GPUs, keyed by type, then by profile.
    """

    instances: t.Mapping[str, int] = field(default_factory=dict)
    each: t.Mapping[str, t.Mapping[str, float]] = field(default_factory=dict)
    cut: t.Mapping[str, t.Mapping[str, int]] = field(default_factory=dict)
    single_threaded: t.Mapping[str, int] = field(default_factory=dict)
    """Instances with one thread per core, keyed by type."""


@dataclass(frozen=True)
class State:
    """``others``: the cluster's other resources of this kind. ``dropped``: fields that an old botocore drops from answers."""

    found: Found | None = None
    others: tuple[Found, ...] = ()
    capacity: Capacity = Capacity()
    dropped: tuple[str, ...] = ()

    def having(self, **values: t.Any) -> State:
        """A copy in which these values of ``found`` are replaced."""
        return dataclasses.replace(self, found=dataclasses.replace(self.found, **values)) if self.found else self
