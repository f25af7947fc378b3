# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the secrets of the PKI of a Client VPN: one for the authority, one for the server, and one for each person.

Listings of Secrets Manager may be minutes old, so the secret of each person in the options is described individually. The
listing only adds people who are not in the options.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from ..._aws.secrets import Kept, Secrets
from ..._core.failure import Refused
from ..identity import OWNER
from . import contents as pki_contents
from .model import SERIAL, Authority, Desired, Person, Server, State
from .values import Certificate

THREADS = 8
"""The maximum number of concurrent calls. Calls are concurrent because each person in the options needs one, and the number of
people whose certificates are revoked grows over time.
"""


class Observer:
    def __init__(self, secrets: Secrets, desired: Desired) -> None:
        self._secrets = secrets
        self._desired = desired

    def __call__(self) -> State:
        return self._names() if self._desired.state == "absent" else self._whole()

    def _whole(self) -> State:
        """Observed state. A person's secret is read only if the ledger lacks its certificate, or for a renewal or a revocation.

        :raises AwsError: if a call fails for any reason except a missing secret.
        :raises Refused: if the secret of the authority, the server or a person in the options has unexpected content.
        """
        authority, server = read_authority(self._secrets, self._desired), self._server()
        with ThreadPoolExecutor(max_workers=THREADS) as pool:
            known = [self._known(authority, kept) for kept in self._kept(pool)]
            own = authority.certificate if authority else None
            read = [each for each in known if self._needs_read(each, own)]
            seen = {each.name: each for each in known if each not in read}
            seen.update({each.name: each for each in pool.map(self._read, read) if each is not None})
        return State(authority, server, seen)

    def _names(self) -> State:
        """The existing secrets without their contents."""
        authority = self._secrets.describe(self._desired.authority_secret)
        server = self._secrets.describe(self._desired.server_secret)
        listed = [kept.name for kept in self._listed().values()]
        named = [self._desired.person_secret(name) for name in self._desired.people]
        with ThreadPoolExecutor(max_workers=THREADS) as pool:
            people = list(pool.map(self._secrets.describe, dict.fromkeys([*listed, *named])))
        return State(
            Authority(authority) if authority else None,
            Server(server) if server else None,
            {self._name(kept): Person(self._name(kept), kept) for kept in people if kept is not None},
        )

    def _kept(self, pool: ThreadPoolExecutor) -> list[Kept]:
        desired = self._desired
        named = (*desired.people, *desired.revoked)
        described = list(pool.map(self._secrets.describe, map(desired.person_secret, named)))
        listed = [kept for name, kept in self._listed().items() if name not in named]
        return [*(kept for kept in described if kept is not None), *listed]

    def _known(self, authority: Authority | None, kept: Kept) -> Person:
        name = self._name(kept)
        return Person(name, kept, issued=authority.entry(name, kept.tags.get(SERIAL, "")) if authority else None)

    def _needs_read(self, person: Person, authority: Certificate | None) -> bool:
        desired = self._desired
        if person.kept.deleted or person.kept.tags.get(OWNER) != desired.vpc_id:
            return False
        due = person.name in desired.people and not person.is_fresh(authority, desired.days.renew_before, now=desired.now)
        return due or person.issued is None or person.name in (*desired.revoked, *desired.lost)

    def _read(self, person: Person) -> Person | None:
        """None if the secret no longer exists. Unexpected content is ignored for people who are not in the options."""
        text = self._secrets.text_if_any(person.kept.name)
        if text is None:
            return None
        try:
            return pki_contents.read_person(person.name, person.kept, text)
        except Refused:
            if person.name in (*self._desired.people, *self._desired.revoked):
                raise
            return person

    def _server(self) -> Server | None:
        kept = self._secrets.describe(self._desired.server_secret)
        if kept is None or kept.deleted:
            return Server(kept) if kept else None
        return pki_contents.read_server(kept, self._secrets.text(kept.name))

    def _listed(self) -> dict[str, Kept]:
        """The listed secrets, keyed by person."""
        return {self._name(kept): kept for kept in self._secrets.below(self._desired.person_secret(""))}

    def _name(self, kept: Kept) -> str:
        return kept.name[len(self._desired.person_secret("")) :]


def read_authority(secrets: Secrets, desired: Desired) -> Authority | None:
    kept = secrets.describe(desired.authority_secret)
    if kept is None or kept.deleted:
        return Authority(kept) if kept else None
    return pki_contents.read_authority(kept, secrets.text(kept.name))
