# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Certificates for the host keys of a node, desired and observed."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from ..._ssh.public_key import PublicKey

SKEW = datetime.timedelta(hours=1)
"""A certificate's validity begins this long before the signing, for clients whose clocks are behind."""


@dataclass(frozen=True)
class Desired:
    """The options, after validation."""

    authority: PublicKey
    keys: tuple[PublicKey, ...]
    principals: tuple[str, ...]
    key_id: str
    valid_days: int
    renew_before_days: int
    now: datetime.datetime

    @property
    def lifetime(self) -> datetime.timedelta:
        return datetime.timedelta(days=self.valid_days) + SKEW


@dataclass(frozen=True)
class Certificate:
    """An existing certificate, or a predicted one."""

    key: PublicKey
    line: str
    authority: PublicKey | None = None
    key_id: str = ""
    serial: int = 0
    principals: tuple[str, ...] = ()
    begins: datetime.datetime | None = None
    ends: datetime.datetime | None = None


Certificates = t.Mapping[PublicKey, Certificate]
"""Certificates, keyed by the key that they certify."""
