# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the observed server certificate in ACM."""

from __future__ import annotations

import dataclasses
import re
import typing as t
from dataclasses import dataclass, field

from ..pki.crypto import is_issued_by
from ..pki.values import Certificate

_CLIENT_VPN = re.compile(r"client-?vpn")


@dataclass(frozen=True)
class Desired:
    """The module's options."""

    vpc_id: str
    secret: str
    tags: t.Mapping[str, str]
    fingerprint: str | None = None
    present: bool = True
    wait_timeout: int = 900
    poll_interval: int = 10


@dataclass(frozen=True)
class Imported:
    """A certificate in ACM that our secret records or that has our tags. The tags prove nothing: any caller can set them."""

    arn: str
    certificate: Certificate
    chain: tuple[str, ...] = ()
    """Fingerprints of the certificates in the chain."""
    in_use_by: tuple[str, ...] = ()
    tags: t.Mapping[str, str] = field(default_factory=dict)

    @property
    def used_elsewhere(self) -> tuple[str, ...]:
        """Resources of this account, except Client VPN endpoints, that use the certificate.

        Resources of other accounts are ignored, because AWS may list an endpoint under an account of its own.
        """
        account = self.arn.split(":")[4:5]
        return tuple(
            each for each in self.in_use_by if each.split(":")[4:5] == account and not _CLIENT_VPN.search(each.lower())
        )


@dataclass(frozen=True)
class State:
    """Observed state of the secret and of ACM."""

    secret: Certificate | None = None
    chain: tuple[str, ...] = ()
    """Fingerprints of the certificates in the chain."""
    imported: tuple[Imported, ...] = ()
    recorded: str = ""
    """The ARN that the secret records."""
    authorities: tuple[Certificate, ...] = ()
    """The certificates in the chain."""

    @property
    def ours(self) -> tuple[Imported, ...]:
        """Our certificates: the one to keep, and then those of imports whose reply was lost.

        A certificate is ours if the secret records it, contains it, or contains the authority that issued it. Tags prove nothing.
        """
        known = [each for each in self.imported if self._is_ours(each)]
        known.sort(key=lambda each: (each.arn != self.recorded, bool(each.used_elsewhere), not each.in_use_by))
        return tuple(known)

    def _is_ours(self, each: Imported) -> bool:
        if each.arn == self.recorded:
            return True
        own = self.secret is not None and each.certificate.fingerprint == self.secret.fingerprint
        return own or any(is_issued_by(each.certificate, authority) for authority in self.authorities)

    def having(self, arn: str, **values: t.Any) -> State:
        """A copy in which these values of one certificate in ACM are replaced."""
        changed = (dataclasses.replace(each, **values) if each.arn == arn else each for each in self.imported)
        return dataclasses.replace(self, imported=tuple(changed))

    def without(self, arn: str) -> State:
        return dataclasses.replace(self, imported=tuple(each for each in self.imported if each.arn != arn))

    def recording(self, held: Imported, secret: Certificate) -> State:
        """A copy after an import: the secret contains the certificate and records its ARN in ACM."""
        imported = (held, *self.without(held.arn).imported)
        return dataclasses.replace(self, secret=secret, imported=imported, recorded=held.arn)
