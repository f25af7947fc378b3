# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Records which nodes have the declared users.

One parameter per cluster contains digests of the declaration, and the nodes that do not have the declaration yet. Every run
checks these nodes, so that removed users and keys do not remain on nodes that an earlier run skipped.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
import typing as t
from dataclasses import dataclass

from .._core import finding
from .._core.failure import refuse_option
from .._core.text import printable

LIMIT = 4096
"""Characters of a standard parameter."""
REMOVED, CHANGED, OTHERS = "removed", "changed", "*"
SHOWN = 10
_NODE_SIGNS, _NAME_SIGNS, _ENTRY_SIGNS = 6, 3, 4
_TOKEN_SIGNS = _NAME_SIGNS + _ENTRY_SIGNS
_PERSON = ("digest", "state")


@dataclass(frozen=True)
class Declared:
    """The current declaration: digests of the users' entries, keyed by name, and the users whose account must be absent."""

    digests: t.Mapping[str, str]
    absent: frozenset[str] = frozenset()

    @classmethod
    def from_option(cls, value: t.Any, *, option: str = "people") -> Declared | None:
        """
        :raises Refused: for any value but ``{NAME: {state: present or absent, digest: TEXT}}``.
        """
        if value is None:
            return None
        for name, entry in value.items():
            if not isinstance(entry, dict) or not all(isinstance(entry.get(field), str) for field in _PERSON):
                allowed = "state and digest, as people_digests returns them"
                refuse_option(f"{option}.{name}", printable(entry), allowed)
        absent = frozenset(name for name, entry in value.items() if entry["state"] == "absent")
        return cls({name: f"{entry['state']} {entry['digest']}" for name, entry in value.items()}, absent)

    @property
    def version(self) -> str:
        return _digest(json.dumps(sorted(self.digests.items())), 16)

    @property
    def tokens(self) -> str:
        return "".join(sorted(self.token(name) for name in self.digests))

    def token(self, name: str) -> str:
        return _name_token(name) + _digest(f"{name} {self.digests[name]}", _ENTRY_SIGNS)


@dataclass(frozen=True)
class Given:
    """The record: a declaration, and the nodes that do not have it yet."""

    version: str
    tokens: str | None = None
    """The tokens of all users in the declaration; None if they did not fit into the parameter."""
    behind: frozenset[str] | None = None
    """Digests of instance IDs; None for all nodes. If two IDs share a digest, both are checked, which costs only time."""
    owed: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Why users are still checked, keyed by name: ``removed`` or ``changed``."""

    def lacks(self, instance_id: str) -> bool:
        return self.behind is None or _node_token(instance_id) in self.behind

    @property
    def fitting(self) -> Given:
        """The record, shortened to a parameter's size. Names are dropped first, then tokens, then the list of nodes."""
        fewer = dataclasses.replace(self, owed={OTHERS: CHANGED} if self.owed else {})
        for each in (self, fewer, dataclasses.replace(fewer, tokens=None)):
            if len(each.to_json()) <= LIMIT:
                return each
        return dataclasses.replace(fewer, tokens=None, behind=None)

    def to_json(self) -> str:
        behind = None if self.behind is None else "".join(sorted(self.behind))
        data = {"version": self.version, "tokens": self.tokens, "behind": behind, "owed": dict(self.owed)}
        return json.dumps(data, sort_keys=True)

    @property
    def shown_behind(self) -> str:
        """The number of nodes that lack a changed user. The IDs of the nodes are unknown, because the record has only digests."""
        return "all nodes" if self.behind is None else f"{len(self.behind)} node{'' if len(self.behind) == 1 else 's'}"

    @classmethod
    def from_json(cls, text: str) -> Given | None:
        """The record; None if the text cannot be parsed. Every node is then checked, and the record is written again."""
        try:
            data = json.loads(text)
            tokens, behind = data["tokens"], data["behind"]
            return cls(
                version=_signs(data["version"]),
                tokens=None if tokens is None else _signs(tokens),
                behind=None if behind is None else frozenset(_cut(_signs(behind), _NODE_SIGNS)),
                owed={_name(name): REMOVED if what == REMOVED else CHANGED for name, what in data["owed"].items()},
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            return None


def declare(given: Given | None, declared: Declared) -> Given:
    """The record before the first node gets ``declared``. If the declaration is new, no node has it yet."""
    if given is None:
        return Given(declared.version, declared.tokens, owed=dict.fromkeys(sorted(declared.absent), REMOVED)).fitting
    if given.version == declared.version:
        return given
    before = given.owed if given.behind is None or given.behind else {}
    return Given(declared.version, declared.tokens, owed={**before, **_differing(given, declared)}).fitting


def settle(given: Given | None, declared: Declared, *, listed: t.Iterable[str], seen: t.Iterable[str]) -> Given:
    """The record after the nodes ``seen`` were verified to have ``declared``.

    :param listed: all nodes of the cluster.

    A different declaration in the record comes from a concurrent run; ``seen`` is then ignored.
    """
    now = declare(given, declared)
    if given is not None and given.version != declared.version:
        return now
    left = [each for each in set(listed) - set(seen) if now.lacks(each)]
    return dataclasses.replace(now, behind=frozenset(map(_node_token, left)), owed=now.owed if left else {}).fitting


def pending(given: Given, declared: Declared, *, listed: t.Collection[str]) -> list[finding.Finding]:
    """The users and nodes whose access is not verified since the last change; empty if there are none."""
    left = sorted(each for each in listed if given.lacks(each))
    if not left or not given.owed:
        return []
    people = [_described(name, what, declared) for name, what in sorted(given.owed.items())]
    text = (
        f"Access of {_shown(people)} has not been verified on {len(left)} of {len(listed)} nodes since the change: "
        f"{_shown(left)}."
    )
    return [finding.pending("users-not-everywhere", text)]


def _described(name: str, what: str, declared: Declared) -> str:
    if name == OTHERS:
        return "users with a changed declaration"
    return f"{name} ({REMOVED if name in declared.absent else what})"


def _shown(names: t.Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _differing(given: Given, declared: Declared) -> dict[str, str]:
    """Users whose declaration differs from the record. New names are not included."""
    removed = dict.fromkeys(sorted(declared.absent), REMOVED)
    if given.tokens is None:
        return {**removed, OTHERS: CHANGED}
    before = set(_cut(given.tokens, _TOKEN_SIGNS))
    known = {token[:_NAME_SIGNS] for token in before}
    return {
        name: removed.get(name, CHANGED)
        for name in sorted(declared.digests)
        if declared.token(name) not in before and (name in removed or _name_token(name) in known)
    }


def _name_token(name: str) -> str:
    return _digest(f"name {name}", _NAME_SIGNS)


def _node_token(instance_id: str) -> str:
    return _digest(f"node {instance_id}", _NODE_SIGNS)


def _digest(text: str, signs: int) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()[:signs]


def _cut(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def _signs(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        raise ValueError(text)
    return text


def _name(text: str) -> str:
    if text != OTHERS and not re.fullmatch(r"[a-z_][a-z0-9_-]{0,31}", text):
        raise ValueError(text)
    return text
