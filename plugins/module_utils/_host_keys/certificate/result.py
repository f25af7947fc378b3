# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``host_certificate``."""

from __future__ import annotations

import typing as t

from ..._core.times import iso_seconds
from .model import Certificate, Certificates, Desired


def result(desired: Desired, state: Certificates) -> dict[str, t.Any]:
    return {"host_certificates": [_certificate(state[key]) for key in desired.keys]}


def _certificate(certificate: Certificate) -> dict[str, t.Any]:
    return {
        "type": certificate.key.type,
        "fingerprint": certificate.key.fingerprint,
        "certificate": certificate.line,
        "key_id": certificate.key_id,
        "serial": certificate.serial or None,
        "principals": list(certificate.principals),
        "valid_from": iso_seconds(certificate.begins) if certificate.begins else None,
        "valid_until": iso_seconds(certificate.ends) if certificate.ends else None,
    }
