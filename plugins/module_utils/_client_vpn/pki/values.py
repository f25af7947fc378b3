# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Certificates, CRLs and their times as plain values. They contain only public parts."""

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
    """In ACM's form, for example ``RSA_2048``."""

    @classmethod
    def to_be_made(cls, common_name: str) -> Certificate:
        unknown = KNOWN_AFTER_APPLY
        return cls(unknown, unknown, unknown, unknown, common_name, key_algorithm="RSA_2048")

    def ends_within(self, days: int, *, now: datetime.datetime) -> bool:
        return ends_within(self.not_after, days, now=now)


@dataclass(frozen=True)
class Issued:
    """A person's certificate, as an entry of the authority's ledger."""

    name: str
    serial: str
    """Lower-case hex."""
    not_after: str


@dataclass(frozen=True)
class Revoked:
    """An entry of the CRL, with values that the CRL itself does not contain."""

    serial: str
    name: str
    date: str
    """ISO time of the revocation."""
    not_after: str
    """Expiry time of the certificate. An expired certificate need not be listed."""

    def to_result(self) -> dict[str, str]:
        return {"serial": self.serial, "name": self.name, "date": self.date}


@dataclass(frozen=True)
class Crl:
    """A certificate revocation list."""

    pem: str
    number: int
    next_update: str
    """ISO time of the expiry."""
    serials: tuple[str, ...]
    """Sorted."""
    authority_key: str = ""
    """Identifier of the key that signed the CRL, in hex."""

    @property
    def content(self) -> tuple[int, str, tuple[str, ...], str]:
        """The values to compare, because two CRLs with the same content can have different texts."""
        return self.number, self.next_update, self.serials, self.authority_key


def iso(moment: datetime.datetime) -> str:
    return moment.astimezone(datetime.timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")


def ends_within(not_after: str, days: int, *, now: datetime.datetime) -> bool:
    """Whether ``not_after`` is less than ``days`` days away, or in the past. True for an invalid time."""
    ends = _moment(not_after)
    return ends is None or ends < now + datetime.timedelta(days=days)


def has_ended(not_after: str, *, now: datetime.datetime) -> bool:
    """Whether ``not_after`` is in the past. False for an invalid time: the certificate may still be valid."""
    ends = _moment(not_after)
    return ends is not None and ends < now


def _moment(text: str) -> datetime.datetime | None:
    try:
        ends = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return ends if ends.tzinfo else None
