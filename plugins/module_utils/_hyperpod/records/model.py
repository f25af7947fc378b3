# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What later runs must honour: decisions about a cluster, and repairs of its nodes. In Parameter Store, one parameter for each."""

from __future__ import annotations

import dataclasses
import json
import re
import typing as t
from dataclasses import dataclass, field

from ..._core.arn import ClusterArn

DRAINED, OFFBOARDED, ADOPTED, REPAIRED = KINDS = ("drained", "offboarded", "adopted", "repaired")
INSTANCE_ID = re.compile(r"i-([0-9a-f]{8}|[0-9a-f]{17})")
NAMES = {
    DRAINED: (INSTANCE_ID, "the instance id of a login node, as i-0123456789abcdef0"),
    OFFBOARDED: (re.compile(r"[a-z_][a-z0-9_-]{0,31}"), "a user name (1 to 32 of a-z, 0-9, _ and -)"),
    ADOPTED: (re.compile(r"balancer|host_keys"), "balancer or host_keys"),
    REPAIRED: (INSTANCE_ID, "the instance id of a node, as i-0123456789abcdef0"),
}
"""By kind what a name looks like, and the words for it."""

Record = t.Mapping[str, t.Any]
"""``owner``, ``since`` and the value's own fields."""
Records = t.Mapping[str, t.Mapping[str, Record]]
"""By kind and name."""


def is_name(kind: str, name: str) -> bool:
    return NAMES[kind][0].fullmatch(name) is not None


def path_of(arn: ClusterArn) -> str:
    """Below which the records of a cluster are."""
    return f"/mlfleet/hyperpod/{arn.id}/records"


@dataclass(frozen=True)
class Desired:
    """One record that there is to be, or not to be; without ``kind`` and ``name`` nothing is to be changed.

    ``value`` holds what the options say; owner and date come from the run that makes it.
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
        """The record as it is kept."""
        return json.dumps(self.record, sort_keys=True)


@dataclass(frozen=True)
class BadRecord:
    """A parameter among the records that is none, and why."""

    path: str
    kind: str
    name: str
    why: str
    region: str

    @property
    def guards(self) -> bool:
        """To overlook it would let somebody in, or make a second balancer. The others are about the work of nodes only."""
        return self.kind in (OFFBOARDED, ADOPTED)

    @property
    def kept(self) -> bool:
        """The name alone says which node is drained."""
        return self.kind == DRAINED and is_name(self.kind, self.name)

    def __str__(self) -> str:
        removal = f"aws ssm delete-parameter --region {self.region} --name '{self.path}'"
        if self.guards:
            return f"Parameter {self.path} is no record of this collection: {self.why}. Repair it, or remove it ({removal})."
        nothing = "no node is drained by it" if self.kind == DRAINED else "no repair is known from it"
        then = "the node stays drained; undrain it" if self.kept else f"{nothing}; remove it ({removal})"
        return f"Parameter {self.path} is no record of this collection: {self.why}; {then}."


@dataclass(frozen=True)
class State:
    records: Records = field(default_factory=dict)
    bad: tuple[BadRecord, ...] = ()
    """What was found among the records and is none."""

    def record(self, kind: str, name: str) -> Record | None:
        return self.records.get(kind, {}).get(name)

    def is_there(self, kind: str, name: str) -> bool:
        """Whether there is such a parameter, be it a record or not."""
        return self.record(kind, name) is not None or any((each.kind, each.name) == (kind, name) for each in self.bad)

    def with_record(self, kind: str, name: str, record: Record | None) -> State:
        """The same with this record instead of the one of that name, or with none."""
        of_kind = {key: value for key, value in self.records.get(kind, {}).items() if key != name}
        if record is not None:
            of_kind[name] = record
        bad = tuple(each for each in self.bad if (each.kind, each.name) != (kind, name))
        return dataclasses.replace(self, records={**self.records, kind: of_kind}, bad=bad)
