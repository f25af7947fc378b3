# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The content of a new secret with the existing host keys of a node."""

from __future__ import annotations

import datetime
import json
import typing as t

from ..._core.failure import Refused
from ..._core.times import iso_seconds
from ..._node.sshd.host_keys.options import checked_pairs
from ..keys import VERSION, HostKey, public_half

Pairs = t.Mapping[str, t.Mapping[str, str]]
"""Texts of the files ``private`` and ``public``, keyed by key type."""


def secret_text(pairs: Pairs, keys: tuple[HostKey, ...], *, now: datetime.datetime) -> str:
    """The text of the new secret. The text contains private keys. Only pass it on; do not store it.

    :raises Refused: if pairs are missing or differ from ``keys``. The message contains no part of a private key.
    """
    given = {key.type: pairs.get(key.type) for key in keys}
    missing = [key_type for key_type, pair in given.items() if not pair]
    if missing:
        raise Refused(f"/etc/ssh on the node has no file for these host keys that the node presents: {', '.join(missing)}.")
    # The files' content stays as it is, including comments, so that no node's copy has to be rewritten.
    contents = {
        key.type: {"private": key.private, "public": " ".join(filter(None, (key.public.line, key.comment)))}
        for key in checked_pairs(t.cast(Pairs, given))
    }
    text = json.dumps({"version": VERSION, "created": iso_seconds(now), "keys": contents})
    try:
        found = public_half("of the node", text)
    except Refused:
        raise Refused("A private and a public host key in /etc/ssh on the node do not match.") from None
    if found != keys:
        raise Refused(
            f"The host keys in /etc/ssh on the node ({fingerprints(found)}) differ from the keys that the node presents "
            f"({fingerprints(keys)}). Reload the node's sshd, or find the cause."
        )
    return text


def fingerprints(keys: t.Iterable[HostKey]) -> str:
    return ", ".join(f"{key.type} {key.fingerprint}" for key in keys)
