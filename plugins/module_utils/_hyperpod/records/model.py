# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Records for later runs: decisions about a cluster, and repairs of its nodes. Each is one parameter in Parameter Store."""

from __future__ import annotations

import dataclasses
import json
import re
import typing as t
from dataclasses import dataclass, field

from ..._core.arn import ClusterArn

DRAINED, OFFBOARDED, ADOPTED, REPAIRED, ROLLOUT = KINDS = ("drained", "offboarded", "adopted", "repaired", "rollout")
HOLD = "hold"
INSTANCE_ID = re.compile(r"i-([0-9a-f]{8}|[0-9a-f]{17})")
NAMES = {
    DRAINED: (INSTANCE_ID, "the instance ID of a login node, such as i-0123456789abcdef0"),
    OFFBOARDED: (re.compile(r"[a-z_][a-z0-9_-]{0,31}"), "a user name (1 to 32 of a-z, 0-9, _ and -)"),
    ADOPTED: (re.compile(r"balancer|host_keys"), "balancer or host_keys"),
    REPAIRED: (INSTANCE_ID, "the instance ID of a node, such as i-0123456789abcdef0"),
    ROLLOUT: (re.compile(HOLD), HOLD),
}
"""The pattern and the description of names, keyed by kind."""

Record = t.Mapping[str, t.Any]
"""``owner``, ``since`` and the value's own fields."""
Records = t.Mapping[str, t.Mapping[str, Record]]
"""Records, keyed by kind and name."""


def is_name(kind: str, name: str) -> bool:
    return NAMES[kind][0].fullmatch(name) is not None


def path_of(arn: ClusterArn) -> str:
    """The path of the parameters with a cluster's records."""
    return f"/mlfleet/hyperpod/{arn.id}/records"


@dataclass(frozen=True)
class Desired:
    """A record that must exist or must not exist. Without ``kind`` and ``name``, nothing changes.

    ``value`` comes from the options. ``owner`` is an option's value or else identifies the run, and ``now`` is the time of the run.
    """

    present: bool
    kind: str = ""
    name: str = ""
    value: t.Mapping[str, t.Any] = field(default_factory=dict)
    owner: str = ""
    now: str = ""

    @property
    def resource(self) -> str:
        return f"record {self.kind} {self.name}"

    @property
    def record(self) -> Record:
        return {"owner": self.owner, "since": self.now, **self.value}

    @property
    def text(self) -> str:
        """The record as it is stored."""
        return json.dumps(self.record, sort_keys=True)


@dataclass(frozen=True)
class BadRecord:
    """A parameter below the path that is not a valid record, and why."""

    path: str
    kind: str
    name: str
    why: str
    region: str

    @property
    def guards(self) -> bool:
        """Whether ignoring the record could restore a user's access, create a second load balancer, or outrun a rollout."""
        return self.kind in (OFFBOARDED, ADOPTED, ROLLOUT)

    @property
    def kept(self) -> bool:
        """Whether the record is still effective, because its name identifies the drained node."""
        return self.kind == DRAINED and is_name(self.kind, self.name)

    def __str__(self) -> str:
        removal = f"aws ssm delete-parameter --region {self.region} --name '{self.path}'"
        if self.guards:
            return f"Parameter {self.path} is not a valid record: {self.why}. Repair it, or remove it ({removal})."
        nothing = "It drains no node." if self.kind == DRAINED else "It records no repair."
        then = "The node stays drained until you undrain it." if self.kept else f"{nothing} Remove the parameter ({removal})."
        return f"Parameter {self.path} is not a valid record: {self.why}. {then}"


@dataclass(frozen=True)
class State:
    records: Records = field(default_factory=dict)
    bad: tuple[BadRecord, ...] = ()
    """Parameters below the path that are not valid records."""

    def record(self, kind: str, name: str) -> Record | None:
        return self.records.get(kind, {}).get(name)

    def is_there(self, kind: str, name: str) -> bool:
        """Whether the parameter exists, as a valid record or not."""
        return self.record(kind, name) is not None or any((each.kind, each.name) == (kind, name) for each in self.bad)

    def with_record(self, kind: str, name: str, record: Record | None) -> State:
        """A copy with this record under the name; without a record of this name if ``record`` is None."""
        of_kind = {key: value for key, value in self.records.get(kind, {}).items() if key != name}
        if record is not None:
            of_kind[name] = record
        bad = tuple(each for each in self.bad if (each.kind, each.name) != (kind, name))
        return dataclasses.replace(self, records={**self.records, kind: of_kind}, bad=bad)
