# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What people decided about a cluster and later runs must honour: kept in Parameter Store, one parameter a decision."""

from __future__ import annotations

import json
import re
import typing as t
from dataclasses import dataclass

from .._aws.client import Api, AwsError
from .._aws.parameters import EXISTS, Parameters
from .._aws.tags import collection_tags
from .._core.arn import ClusterArn
from .._core.failure import Refused, refuse_option
from .._core.plan import Change, Plan, Step
from .._core.text import printable

DRAINED, OFFBOARDED, ADOPTED = KINDS = ("drained", "offboarded", "adopted")
NAMES = {
    DRAINED: (re.compile(r"i-([0-9a-f]{8}|[0-9a-f]{17})"), "the instance id of a login node, as i-0123456789abcdef0"),
    OFFBOARDED: (re.compile(r"[a-z_][a-z0-9_-]{0,31}"), "a user name (1 to 32 of a-z, 0-9, _ and -)"),
    ADOPTED: (re.compile(r"balancer|host_keys"), "balancer or host_keys"),
}
"""By kind what a name looks like, and the words for it."""
COMPONENT = "records"
LARGEST = 4096
"""Characters of a standard parameter."""

PUT, DELETE = "PutParameter", "DeleteParameter"
Records = t.Mapping[str, t.Mapping[str, t.Mapping[str, t.Any]]]
"""Kind, name, and what is recorded: ``owner``, ``since`` and the value's own fields."""


@dataclass(frozen=True)
class Bad:
    """A parameter among the records that is none, and why."""

    path: str
    kind: str
    name: str
    why: str

    @property
    def guards(self) -> bool:
        """To overlook it would let somebody in, or make a second balancer. A drained node is only less work for it."""
        return self.kind != DRAINED

    @property
    def kept(self) -> bool:
        """The name alone says which node is drained."""
        return self.kind == DRAINED and is_name(self.kind, self.name)

    def sentence(self, region: str) -> str:
        removal = f"aws ssm delete-parameter --region {region} --name '{self.path}'"
        if self.guards:
            return f"Parameter {self.path} is no record of this collection: {self.why}. Repair it, or remove it ({removal})."
        then = "the node stays drained; undrain it" if self.kept else f"no node is drained by it; remove it ({removal})"
        return f"Parameter {self.path} is no record of this collection: {self.why}; {then}."


def is_name(kind: str, name: str) -> bool:
    return NAMES[kind][0].fullmatch(name) is not None


@dataclass(frozen=True)
class Wanted:
    """One record. ``value`` holds what the options say; owner and date come from the run that makes it."""

    kind: str
    name: str
    value: t.Mapping[str, t.Any]
    owner: str
    now: str

    @classmethod
    def checked(cls, *, kind: str, name: str, value: t.Mapping[str, t.Any], owner: str, now: str) -> Wanted:
        """
        :raises Refused: for a name that a record of the kind can't have, or a value that does not fit.
        """
        if not is_name(kind, name):
            refuse_option("name", name, f"the name of a record of kind {kind} is {NAMES[kind][1]}")
        for key in ("owner", "since"):
            if key in value:
                refuse_option("value", key, "the module itself records owner and since")
        wanted = cls(kind, name, dict(value), owner, now)
        if len(wanted.text()) > LARGEST:
            raise Refused(f"value: {len(wanted.text())} characters are too many; {LARGEST} are allowed.")
        return wanted

    def text(self) -> str:
        return json.dumps({"owner": self.owner, "since": self.now, **self.value}, sort_keys=True)


def plan_present(wanted: Wanted, seen: Records) -> Plan:
    """A record that says the same already keeps its owner and its date."""
    before = seen.get(wanted.kind, {}).get(wanted.name)
    if before is not None and _own(before) == wanted.value:
        return Plan(predicted=seen)
    after = {"owner": wanted.owner, "since": wanted.now, **wanted.value}
    change = Change("update" if before is not None else "create", _subject(wanted.kind, wanted.name), None, before, after)
    step = Step(PUT, {"name": wanted.name, "text": wanted.text(), "exists": before is not None}, (change,))
    return Plan(steps=(step,), predicted=_with(seen, wanted.kind, wanted.name, after))


def plan_absent(kind: str, name: str, seen: Records) -> Plan:
    before = seen.get(kind, {}).get(name)
    if before is None:
        return Plan(predicted=seen)
    change = Change("delete", _subject(kind, name), None, before)
    return Plan(steps=(Step(DELETE, {"name": name}, (change,)),), predicted=_with(seen, kind, name, None))


def checked_removal(name: str) -> str:
    """A name of any parameter: what is to be removed may be a wrong one.

    :raises Refused: for a name that no parameter can have.
    """
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", name):
        refuse_option("name", name, "1 to 128 letters, digits, '.', '_' and '-' are")
    return name


class RecordStore:
    """The records of one cluster. ``bad``: what was found among them and is none."""

    def __init__(self, ssm: Api, arn: ClusterArn) -> None:
        self._parameters = Parameters(ssm)
        self._arn = arn
        self.path = f"/mlfleet/hyperpod/{arn.id}/records"
        self.bad: tuple[Bad, ...] = ()

    def observe(self) -> Records:
        """All records of the cluster; ten parameters a call."""
        found: dict[str, dict[str, t.Mapping[str, t.Any]]] = {kind: {} for kind in KINDS}
        bad = []
        texts = self._parameters.below(self.path, about=f"records {self.path}", recursive=True)
        for path, text in texts.items():
            kind, _slash, name = path[len(self.path) + 1 :].partition("/")
            if kind not in found:
                continue
            value, why = _read(kind, name, text)
            if why:
                bad.append(Bad(path, kind, name, why))
            if not why or bad[-1].kept:
                found[kind][name] = value
        self.bad = tuple(bad)
        return found

    def check(self) -> list[str]:
        """Sentences about parameters that are left out.

        :raises Refused: for those that guard something: to overlook them would undo a decision.
        """
        guarding = [each.sentence(self._arn.region) for each in self.bad if each.guards]
        if guarding:
            raise Refused(" ".join(guarding))
        return [each.sentence(self._arn.region) for each in self.bad]

    def with_bad(self, seen: Records) -> Records:
        """``seen`` with what is none, so that it can be removed as a record is."""
        for each in self.bad:
            seen = _with(seen, each.kind, each.name, seen[each.kind].get(each.name, {}))
        return seen

    def apply(self, kind: str, step: Step) -> None:
        name = f"{self.path}/{kind}/{step.arguments['name']}"
        about = f"record {name}"
        if step.operation == DELETE:
            self._parameters.delete(name, about=about)
            return
        text = step.arguments["text"]
        if not step.arguments["exists"]:
            try:
                self._parameters.create(name, text, about=about, tags=collection_tags(self._arn, COMPONENT))
                return
            except AwsError as error:
                if error.code != EXISTS:  # also the answer to a try whose answer was lost
                    raise
        self._parameters.overwrite(name, text, about=about)


def _read(kind: str, name: str, text: str) -> tuple[t.Mapping[str, t.Any], str]:
    """What is recorded, and why it is no record."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return {}, "it is no JSON object"
    if kind != ADOPTED and not is_name(kind, name):
        return value, f"'{printable(name)}' is not {NAMES[kind][1]}"
    numbers = [value.get("uid", 0), *_listed(value.get("other_uids"))]
    if kind == OFFBOARDED and not all(str(number).isdigit() for number in numbers):
        return value, "uid and other_uids are whole numbers"
    return value, ""


def _listed(value: t.Any) -> list[t.Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _own(record: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    return {key: value for key, value in record.items() if key not in ("owner", "since")}


def _subject(kind: str, name: str) -> str:
    return f"record {kind} {name}"


def _with(seen: Records, kind: str, name: str, value: t.Mapping[str, t.Any] | None) -> Records:
    of_kind = {key: item for key, item in seen.get(kind, {}).items() if key != name}
    if value is not None:
        of_kind[name] = value
    return {**seen, kind: of_kind}
