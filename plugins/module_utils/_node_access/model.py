# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Trust records, and the keys of nodes and of the operations account."""

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
    """The result of one session with a node, valid for one disk.

    The triple identifies the disk by values of the AWS API, without a session. ``mark`` is stored on the disk itself.
    """

    triple: Triple
    host_keys: Keys
    operations_user: str
    operations_key: str
    """The key's fingerprint."""
    recorded: str
    """ISO time of the session."""
    configured: bool = False
    """Whether a run has configured this disk. Until then, every run processes the node."""
    mark: str = ""
    """The disk mark that our session wrote; empty in records from before disk marks existed."""

    def to_json(self) -> str:
        """Long keys are omitted if the text would exceed ``RECORD_LIMIT``, because the other keys suffice for ssh."""
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
        """The record; None if the text cannot be parsed. A session then creates the trust record again."""
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
    """The operations account and its key."""

    user: str
    key: PublicKey


def checked_mark(text: object) -> str:
    """``text`` if it is a disk mark, otherwise an empty text."""
    return text if isinstance(text, str) and _MARK.fullmatch(text) else ""


def plain_key(line: str) -> PublicKey | None:
    """The key in ``line`` if its type is allowed for host keys and the operations key; None for all else, also for certificates."""
    try:
        key = PublicKey.parse(line)
    except BadKey:
        return None
    return key if key.algorithm in HOST_KEY_ALGORITHMS else None


def parse_keys(lines: t.Iterable[str]) -> Keys:
    """The keys in ``lines``, without duplicates, in a fixed order."""
    keys = {str(key): key for key in map(plain_key, lines) if key is not None}
    return tuple(sorted(keys.values(), key=lambda key: (key.type, key.line)))


def shared_keys(text: str | None) -> Keys:
    """The cluster's shared host keys, from ``{"keys": {"ed25519": {"public": "ssh-ed25519 ..."}, ...}}`` or from lines.

    :raises Refused: if the parameter contains no key. Without the shared keys, the login nodes' keys would be
        refused as changed.
    """
    if not text:
        return ()
    try:
        lines = list(_public_lines(json.loads(text)))
    except ValueError:
        lines = lines_of(text)
    keys = parse_keys(lines)
    if not keys:
        raise Refused("The parameter with the cluster's shared host keys contains no public key. Repair or delete the parameter.")
    return keys


def differing(seen: Keys, accepted: Keys) -> Keys:
    """The keys in ``seen`` that contradict ``accepted``: keys with an accepted algorithm that are not accepted.

    If none of the keys is accepted, all contradict.
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
