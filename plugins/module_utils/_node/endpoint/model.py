# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""SSH endpoints, and the keys that they present to clients. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from dataclasses import dataclass

from ..._ssh.public_key import PublicKey


@dataclass(frozen=True)
class Endpoint:
    name: str
    host: str
    port: int
    expected: frozenset[PublicKey] = frozenset()
    """Keys and certificates that this endpoint must present; empty if the expected keys of all endpoints apply."""

    @property
    def shows_certificates(self) -> bool:
        return any(key.certifies for key in self.expected)


@dataclass(frozen=True)
class ScanResult:
    """The result for one endpoint. ``keys`` has all keys that it presented in any attempt."""

    endpoint: Endpoint
    keys: frozenset[PublicKey]
    """Including certificates, if the endpoint must present any."""
    banner: str
    latency_ms: float | None
    error: str

    @property
    def complete(self) -> bool:
        return bool(self.keys) and not self.error


State = tuple[ScanResult, ...]


@dataclass(frozen=True)
class Desired:
    """The endpoints to query, and the keys that they must present."""

    endpoints: tuple[Endpoint, ...]
    expected: frozenset[PublicKey]
    types: tuple[str, ...]
    via: str
    timeout: int
    attempts: int
