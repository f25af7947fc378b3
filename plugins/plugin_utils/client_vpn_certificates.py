# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificates of Client VPN users. Plain data in and out, as M(mlfleet.hyperpod.client_vpn_pki) returns it."""

from __future__ import annotations

import typing as t

Pki = t.Mapping[str, t.Any]


def ends(pki: Pki, users: t.Collection[str]) -> list[str]:
    """Expiry times of the CA, the server certificate, the CRL and the certificates of ``users``, without duplicates."""
    found = [
        (pki.get("authority") or {}).get("not_after"),
        (pki.get("server") or {}).get("not_after"),
        (pki.get("crl") or {}).get("next_update"),
        *(each["not_after"] for each in pki["people"] if each["state"] == "valid" and each["name"] in users),
    ]
    return [str(each) for each in dict.fromkeys(found) if each]


def valid(pki: Pki) -> list[str]:
    """Users with a valid certificate, even if it is due for renewal."""
    return sorted(str(each["name"]) for each in pki["people"] if each["state"] in ("valid", "due"))
