# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""SSH endpoints, and what they present to a client. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from dataclasses import dataclass

from ..._ssh.public_key import PublicKey


@dataclass(frozen=True)
class Endpoint:
    name: str
    host: str
    port: int
    expected: frozenset[PublicKey] = frozenset()
    """Keys and certificates that this one has to present, whatever the others do; empty for what all have to."""

    @property
    def shows_certificates(self) -> bool:
        return any(key.certifies for key in self.expected)


@dataclass(frozen=True)
class ScanResult:
    """What one endpoint presented: every distinct key over all attempts."""

    endpoint: Endpoint
    keys: frozenset[PublicKey]
    """And certificates, where it was asked for those, too."""
    banner: str
    latency_ms: float | None
    error: str

    @property
    def complete(self) -> bool:
        return bool(self.keys) and not self.error


State = tuple[ScanResult, ...]


@dataclass(frozen=True)
class Desired:
    """What is asked, and what has to be presented."""

    endpoints: tuple[Endpoint, ...]
    expected: frozenset[PublicKey]
    types: tuple[str, ...]
    via: str
    timeout: int
    attempts: int
