# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Content of a new secret that takes over the host keys of a node."""

from __future__ import annotations

import datetime
import json
import typing as t

from ..._core.failure import Refused
from ..._core.times import iso_seconds
from ..._node.sshd.host_keys.options import checked_pairs
from ..keys import VERSION, HostKey, public_half

Pairs = t.Mapping[str, t.Mapping[str, str]]
"""By type: ``private`` and ``public``, the texts of the two files."""


def secret_text(pairs: Pairs, keys: tuple[HostKey, ...], *, now: datetime.datetime) -> str:
    """The text of the new secret. It holds private keys: pass it on, never keep it.

    :raises Refused: if pairs are incomplete, or differ from ``keys``; without any part of them.
    """
    given = {key.type: pairs.get(key.type) for key in keys}
    missing = [key_type for key_type, pair in given.items() if not pair]
    if missing:
        raise Refused(f"The node has no file with the {', '.join(missing)} host key that it presents, in /etc/ssh.")
    # The files as they are, comment included, so that no node's copy has to be written again.
    contents = {
        key.type: {"private": key.private, "public": " ".join(filter(None, (key.public.line, key.comment)))}
        for key in checked_pairs(t.cast(Pairs, given))
    }
    text = json.dumps({"version": VERSION, "created": iso_seconds(now), "keys": contents})
    try:
        found = public_half("of the node", text)
    except Refused:
        raise Refused("The node's private and public host keys in /etc/ssh do not belong together.") from None
    if found != keys:
        raise Refused(
            f"The node holds other host keys in /etc/ssh ({fingerprints(found)}) than it presents "
            f"({fingerprints(keys)}); reload its sshd, or find the cause."
        )
    return text


def fingerprints(keys: t.Iterable[HostKey]) -> str:
    return ", ".join(f"{key.type} {key.fingerprint}" for key in keys)
