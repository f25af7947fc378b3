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

from .._aws import Api, AwsError
from .._parameters import EXISTS, Parameters
from .._plan import Change, Plan, Refused, Step, refuse_option
from .model import ClusterArn, collection_tags

KINDS = ("drained", "offboarded", "adopted")
COMPONENT = "records"
LARGEST = 4096
"""Characters of a standard parameter."""

PUT, DELETE = "PutParameter", "DeleteParameter"
Records = t.Mapping[str, t.Mapping[str, t.Mapping[str, t.Any]]]
"""Kind, name, and what is recorded: ``owner``, ``since`` and the value's own fields."""


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
        :raises Refused: for a name that no parameter can have, or a value that does not fit.
        """
        if not re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", name):
            refuse_option("name", name, "1 to 128 letters, digits, '.', '_' and '-' are")
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


class RecordStore:
    """The records of one cluster."""

    def __init__(self, ssm: Api, arn: ClusterArn) -> None:
        self._parameters = Parameters(ssm)
        self._arn = arn
        self.path = f"/mlfleet/hyperpod/{arn.id}/records"

    def observe(self) -> Records:
        """All records of the cluster; ten parameters a call.

        :raises Refused: for a record that can't be read: to overlook a decision would undo it.
        """
        found: dict[str, dict[str, t.Mapping[str, t.Any]]] = {kind: {} for kind in KINDS}
        texts = self._parameters.below(self.path, about=f"records {self.path}", recursive=True)
        for path, text in texts.items():
            kind, _slash, name = path[len(self.path) + 1 :].partition("/")
            if kind in found:
                found[kind][name] = _read(path, text)
        return found

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


def _read(name: str, text: str) -> t.Mapping[str, t.Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Refused(f"Parameter {name} is no record of this collection; repair it or delete it.")
    return value


def _own(record: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    return {key: value for key, value in record.items() if key not in ("owner", "since")}


def _subject(kind: str, name: str) -> str:
    return f"record {kind} {name}"


def _with(seen: Records, kind: str, name: str, value: t.Mapping[str, t.Any] | None) -> Records:
    of_kind = {key: item for key, item in seen.get(kind, {}).items() if key != name}
    if value is not None:
        of_kind[name] = value
    return {**seen, kind: of_kind}
