# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the certificate, its private key and its chain from the content of a secret."""

from __future__ import annotations

import json
import typing as t

from ..._core.failure import Refused
from ..pki.crypto import NotReadable, key_fits, read_certificate
from ..pki.values import Certificate


class Pair(t.NamedTuple):
    """The content of a secret. It contains a private key and must not be stored."""

    certificate: str
    private_key: str
    chain: str


def pair(name: str, text: str | None) -> Pair | None:
    """
    :raises Refused: if the secret does not contain a certificate and its private key.
    """
    if text is None:
        return None
    try:
        data = json.loads(text)
        found = Pair(data["certificate"], data["private_key"], data.get("chain") or "")
        if not key_fits(found.private_key, read_certificate(found.certificate)):
            raise NotReadable("key and certificate do not match")
        chain(found.chain)
    except (ValueError, KeyError, TypeError, AttributeError):  # NotReadable is a ValueError
        raise Refused(
            f"Secret {name} does not contain a certificate and its private key in PEM (fields certificate, private_key and "
            "chain). The secret was not changed."
        ) from None
    return found


def chain(pem: str) -> tuple[str, ...]:
    return tuple(read_certificate(part).fingerprint for part in _parts(pem))


def _parts(pem: str) -> list[str]:
    end = "-----END CERTIFICATE-----"
    return [f"{part}{end}" for part in pem.split(end)[:-1]]


def authorities(text: str | None) -> tuple[Certificate, ...]:
    """The certificates of the chain in a secret; empty if the secret has no readable chain."""
    try:
        pem = json.loads(text or "{}").get("chain") or ""
        return tuple(read_certificate(part) for part in _parts(pem))
    except (ValueError, AttributeError):
        return ()
