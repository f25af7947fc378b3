# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps from the present objects of AWX to the wanted ones. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from . import compared
from .objects import KINDS, Key, Object

CREATE, CHANGE, ADOPT, RENAME, REMOVE = "create", "change", "adopt", "rename", "remove"


@dataclass(frozen=True)
class Step:
    action: str
    kind: str
    name: str
    before: dict[str, t.Any] = field(default_factory=dict)
    after: dict[str, t.Any] = field(default_factory=dict)
    """The fields that change. Values that can be secrets are not shown."""
    former: str = ""
    """The present name of an object that is renamed."""
    kept: tuple[str, ...] = ()
    """The names of secrets that the step does not write."""
    refers: dict[str, t.Any] = field(default_factory=dict)
    """The objects that a removed one belongs to, by field."""

    def __str__(self) -> str:
        return f"{self.action} {_words(self.kind)} {self.former or self.name}"


@dataclass(frozen=True)
class Plan:
    steps: tuple[Step, ...]
    refused: tuple[Key, ...] = ()
    """Objects of someone else that have a name of ours."""
    left: tuple[Key, ...] = ()
    """Our objects that are no longer declared, and stay."""
    not_compared: tuple[Key, ...] = ()
    """Objects with secrets, which AWX does not return."""

    def notes(self) -> list[str]:
        """A sentence about each object that no step changes, although it may differ."""
        why = "has secrets, which AWX does not return: not compared."
        secret = [f"The {_words(kind)} {name} {why}" for kind, name in self.not_compared]
        left = [f"The {_words(kind)} {name} is no longer declared. -e awx_purge=true removes it." for kind, name in self.left]
        return [*secret, *left]


@dataclass(frozen=True)
class Choice:
    """What the user allows for one run."""

    adopt: frozenset[str] = frozenset()
    """Names of objects without our mark that become ours."""
    purge: bool = False
    write_secrets: frozenset[str] = frozenset()
    """Names of objects whose secrets are written again."""


def plan(wanted: t.Sequence[Object], found: t.Sequence[Object], choice: Choice) -> Plan:
    """:param found: the objects of the organization."""
    found = compared.as_if_renamed(found, _renames(wanted, found))
    by_name, by_mark = {each.key: each for each in found}, {(each.kind, each.mark): each for each in found if each.mark}
    steps, refused, not_compared, kept = [], [], [], set()
    for each in wanted:
        existing = by_mark.get((each.kind, each.mark)) or by_name.get(each.key)
        if existing is None:
            steps.append(Step(CREATE, each.kind, each.name, after=compared.shown(each, each.fields)))
            continue
        kept.add(existing.key)
        if each.kind == "organization" and not existing.mark:
            continue
        taken = existing.name != each.name and each.key in by_name
        if taken or not (existing.mark or each.name in choice.adopt):
            refused.append(each.key)
            continue
        secrets = () if each.name in choice.write_secrets else compared.secrets(each, existing)
        steps += _steps(each, existing, secrets)
        not_compared += [each.key] if secrets else []
    left = [each for each in found if each.mark and each.key not in kept]
    if choice.purge:
        return Plan((*steps, *_removals(left)), tuple(refused), (), tuple(not_compared))
    return Plan(tuple(steps), tuple(refused), tuple(each.key for each in left), tuple(not_compared))


def _renames(wanted: t.Sequence[Object], found: t.Sequence[Object]) -> dict[str, str]:
    """New names by former names."""
    names = {(each.kind, each.mark): each.name for each in wanted if each.mark}
    return {each.name: names[each.kind, each.mark] for each in found if names.get((each.kind, each.mark), each.name) != each.name}


def _steps(wanted: Object, found: Object, kept: t.Sequence[str]) -> t.Iterator[Step]:
    changes = compared.differences(wanted, found, kept)
    before = compared.shown(found, {name: found.fields.get(name) for name in changes})
    after = compared.shown(wanted, {name: wanted.fields[name] for name in changes})
    step = Step(CHANGE, wanted.kind, wanted.name, before, after, kept=tuple(kept))
    if not found.mark:
        yield dataclasses.replace(step, action=ADOPT)
    elif found.name != wanted.name:
        names = ({**before, "name": found.name}, {**after, "name": wanted.name})
        yield dataclasses.replace(step, action=RENAME, former=found.name, before=names[0], after=names[1])
    elif changes:
        yield step


def _removals(left: t.Sequence[Object]) -> t.Iterator[Step]:
    """Remove first what AWX creates last."""
    order = list(KINDS)
    for each in sorted(left, key=lambda one: order.index(one.kind), reverse=True):
        rights = {name: list(names) for name, names in each.lists.items()} if each.kind == "role" else {}
        refers = {name: each.refers[name] for name in (KINDS[each.kind].scope, "credential_type") if each.refers.get(name)}
        yield Step(REMOVE, each.kind, each.name, before={"name": each.name, **rights}, refers=refers)


def _words(kind: str) -> str:
    return kind.replace("_", " ")
