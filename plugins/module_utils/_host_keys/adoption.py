# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Host keys that the login nodes share already: into the secret of the cluster, instead of new ones."""

from __future__ import annotations

import dataclasses
import datetime
import json
import typing as t

from .._aws.client import Api
from .._core.failure import Refused
from .._core.plan import KNOWN_AFTER_APPLY, Plan
from .._core.times import iso_seconds
from .._node.sshd.host_keys.options import checked_pairs
from .keys import VERSION, HostKey, public_half
from .secret.model import HostKeys, Wanted
from .secret.store import HostKeyStore, plan_present

Pairs = t.Mapping[str, t.Mapping[str, str]]
"""By type: ``private`` and ``public``, the texts of the two files."""


def plan_adoption(wanted: Wanted, seen: HostKeys, keys: tuple[HostKey, ...]) -> Plan:
    """A secret with exactly these keys, and their public half published.

    :raises Refused: for a secret that holds others: people would be greeted with keys that they do not know.
    """
    if seen.keys is not None and seen.keys != keys:
        raise Refused(
            f"Secret {wanted.secret_name} exists and holds other keys ({_fingerprints(seen.keys)}) than the login "
            f"nodes present ({_fingerprints(keys)}); delete it to keep the nodes' keys, or set adopt_host_keys to false "
            "to keep the secret's."
        )
    plan = plan_present(wanted, seen)
    predicted = dataclasses.replace(seen, secret_arn=seen.secret_arn or KNOWN_AFTER_APPLY, keys=keys, published=keys)
    return dataclasses.replace(plan, predicted=predicted)


def secret_text(pairs: Pairs, keys: tuple[HostKey, ...], *, now: datetime.datetime) -> str:
    """The text of the new secret. It holds private keys: pass it on, never keep it.

    :raises Refused: if the pairs are not whole, or are others than ``keys``; without any part of them.
    """
    wanted = {key.type: pairs.get(key.type) for key in keys}
    missing = [key_type for key_type, pair in wanted.items() if not pair]
    if missing:
        raise Refused(f"The node has no file with the {', '.join(missing)} host key that it presents, in /etc/ssh.")
    # The files as they are, comment included, so that no node's copy has to be written again.
    given = {
        key.type: {"private": key.private, "public": " ".join(filter(None, (key.public.line, key.comment)))}
        for key in checked_pairs(t.cast(Pairs, wanted))
    }
    text = json.dumps({"version": VERSION, "created": iso_seconds(now), "keys": given})
    try:
        found = public_half("of the node", text)
    except Refused:
        raise Refused("The node's private and public host keys in /etc/ssh do not belong together.") from None
    if found != keys:
        raise Refused(
            f"The node holds other host keys in /etc/ssh ({_fingerprints(found)}) than it presents "
            f"({_fingerprints(keys)}); reload its sshd, or find out why."
        )
    return text


class AdoptedKeyStore(HostKeyStore):
    """A store whose new secret holds the given keys."""

    def __init__(self, secrets: Api, ssm: Api, wanted: Wanted, text: t.Callable[[], str]) -> None:
        super().__init__(secrets, ssm, wanted)
        self._adopted_text = text

    def new_text(self) -> str:
        return self._adopted_text()


def _fingerprints(keys: t.Iterable[HostKey]) -> str:
    return ", ".join(f"{key.type} {key.fingerprint}" for key in keys)
