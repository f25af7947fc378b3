# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Certificates, lists of revoked ones and their times as plain values: public parts only."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from ..._core.plan import KNOWN_AFTER_APPLY


@dataclass(frozen=True)
class Certificate:
    """A certificate's public content."""

    pem: str
    serial: str
    """Lower-case hex."""
    fingerprint: str
    """SHA-256, lower-case hex."""
    not_after: str
    """ISO time."""
    common_name: str = ""
    dns_names: tuple[str, ...] = ()
    key_algorithm: str = ""
    """As ACM writes it, for example ``RSA_2048``."""

    @classmethod
    def to_be_made(cls, common_name: str) -> Certificate:
        unknown = KNOWN_AFTER_APPLY
        return cls(unknown, unknown, unknown, unknown, common_name, key_algorithm="RSA_2048")

    def ends_within(self, days: int, *, now: datetime.datetime) -> bool:
        return ends_within(self.not_after, days, now=now)


@dataclass(frozen=True)
class Issued:
    """A certificate that the authority gave to a person, as its ledger has it."""

    name: str
    serial: str
    """Lower-case hex."""
    not_after: str


@dataclass(frozen=True)
class Revoked:
    """An entry of the list, with values that the list itself lacks."""

    serial: str
    name: str
    date: str
    """When it was revoked, ISO time."""
    not_after: str
    """End of the certificate; afterwards it need not be listed."""

    def to_result(self) -> dict[str, str]:
        return {"serial": self.serial, "name": self.name, "date": self.date}


@dataclass(frozen=True)
class Crl:
    """A list of revoked certificates."""

    pem: str
    number: int
    next_update: str
    """End, ISO time."""
    serials: tuple[str, ...]
    """Sorted."""
    authority_key: str = ""
    """Identifier of the key that signed it, hex."""

    @property
    def content(self) -> tuple[int, str, tuple[str, ...], str]:
        """Two lists with the same content need not be the same text."""
        return self.number, self.next_update, self.serials, self.authority_key


def iso(moment: datetime.datetime) -> str:
    return moment.astimezone(datetime.timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")


def ends_within(not_after: str, days: int, *, now: datetime.datetime) -> bool:
    """Whether ``not_after`` is less than so many days away, or past. An invalid time is due at once."""
    ends = _moment(not_after)
    return ends is None or ends < now + datetime.timedelta(days=days)


def has_ended(not_after: str, *, now: datetime.datetime) -> bool:
    """Whether ``not_after`` is certainly past. A certificate whose end is unknown may still hold."""
    ends = _moment(not_after)
    return ends is not None and ends < now


def _moment(text: str) -> datetime.datetime | None:
    try:
        ends = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return ends if ends.tzinfo else None
