# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the observed CRL of an endpoint."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from ..._core.plan import KNOWN_AFTER_APPLY
from ..connections.model import Connection
from ..pki.values import Crl


@dataclass(frozen=True)
class Desired:
    """The module's options. ``crl`` is None only in check mode, before the CRL exists."""

    endpoint: str
    crl: Crl | None
    allowed: bool
    now: datetime.datetime
    warn_before: int = 30
    wait_timeout: int = 300
    poll_interval: int = 5

    @property
    def resource(self) -> str:
        return f"endpoint {self.endpoint or KNOWN_AFTER_APPLY}"


@dataclass(frozen=True)
class State:
    """The CRL of the endpoint, and the active connections."""

    crl: Crl | None = None
    connected: tuple[Connection, ...] = ()

    @property
    def people(self) -> list[str]:
        """People that an import disconnects."""
        return sorted({each.person for each in self.connected})
