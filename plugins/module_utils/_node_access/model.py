# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Trust records and the state of access to nodes."""

from __future__ import annotations

import json
import re
import typing as t
from dataclasses import dataclass

from .._core.failure import Refused
from .._core.text import lines_of
from .._ssh.public_key import BY_ALGORITHM, HOST_KEY_ALGORITHMS, BadKey, PublicKey

RECORD_LIMIT = 4096
"""Bytes of a standard parameter."""
_MARK = re.compile(r"[0-9a-f]{32}")


Keys = tuple[PublicKey, ...]
Triple = tuple[str, str, str]


@dataclass(frozen=True)
class Record:
    """Result of one session with a node. It is valid for one disk.

    The triple identifies the disk by values of the AWS API, without a session; ``mark`` is stored on the disk itself.
    """

    triple: Triple
    host_keys: Keys
    operations_user: str
    operations_key: str
    """Fingerprint."""
    recorded: str
    """ISO time."""
    configured: bool = False
    """Whether a run has configured this disk since; until then every run looks after the node."""
    mark: str = ""
    """The random mark that our session wrote on the disk; empty in records of before there were marks."""

    def to_json(self) -> str:
        """At most 4,096 characters; a long key that does not fit is left out, the others suffice for ssh."""
        text = self._json(self.host_keys)
        if len(text) > RECORD_LIMIT:
            text = self._json(tuple(key for key in self.host_keys if not BY_ALGORITHM[key.algorithm].is_long))
        return text

    def _json(self, keys: Keys) -> str:
        return json.dumps(
            {
                "version": 1,
                "triple": list(self.triple),
                "host_keys": [str(key) for key in keys],
                "operations_user": self.operations_user,
                "operations_key": self.operations_key,
                "recorded": self.recorded,
                "configured": self.configured,
                "mark": self.mark,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Record | None:
        """None for a record that cannot be read: a session then renews the trust in its node."""
        try:
            data = json.loads(text)
            instance_id, launched, updated = data["triple"]
            return cls(
                triple=(instance_id, launched, updated),
                host_keys=parse_keys(data["host_keys"]),
                operations_user=data["operations_user"],
                operations_key=data["operations_key"],
                recorded=data.get("recorded", ""),
                configured=bool(data.get("configured")),
                mark=checked_mark(data.get("mark")),
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            return None


@dataclass(frozen=True)
class Operations:
    """The account and key of Ansible's connections."""

    user: str
    key: PublicKey


def checked_mark(text: object) -> str:
    """A disk's mark, or an empty text for anything else: it is compared, and means nothing."""
    return text if isinstance(text, str) and _MARK.fullmatch(text) else ""


def plain_key(line: str) -> PublicKey | None:
    """The key of a host or of the operations account in a line; None for anything else, a certificate included."""
    try:
        key = PublicKey.parse(line)
    except BadKey:
        return None
    return key if key.algorithm in HOST_KEY_ALGORITHMS else None


def parse_keys(lines: t.Iterable[str]) -> Keys:
    """The keys among ``lines``, each once, in a fixed order."""
    keys = {str(key): key for key in map(plain_key, lines) if key is not None}
    return tuple(sorted(keys.values(), key=lambda key: (key.type, key.line)))


def shared_keys(text: str | None) -> Keys:
    """The cluster's shared host keys: ``{"keys": {"ed25519": {"public": "ssh-ed25519 ..."}, ...}}``, or lines.

    :raises Refused: for a parameter that holds anything else; without it login nodes would look like impostors.
    """
    if not text:
        return ()
    try:
        lines = list(_public_lines(json.loads(text)))
    except ValueError:
        lines = lines_of(text)
    keys = parse_keys(lines)
    if not keys:
        raise Refused("The parameter with the cluster's shared host keys holds no public key; write it again.")
    return keys


def differing(seen: Keys, accepted: Keys) -> Keys:
    """The seen keys that contradict ``accepted``: of a type that is known there, with another value.

    When no seen key is accepted at all, every one of them contradicts.
    """
    known = {key.algorithm for key in accepted}
    if not set(seen) & set(accepted):
        return seen
    return tuple(key for key in seen if key.algorithm in known and key not in accepted)


def _public_lines(value: t.Any) -> t.Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _public_lines(item)
    elif isinstance(value, list):
        for item in value:
            yield from _public_lines(item)
