# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificates of Client VPN users. Plain data in and out, as M(mlfleet.hyperpod.client_vpn_pki) returns it."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY

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


def first_ends(pki: Pki) -> dict[str, str]:
    """The expiry times for the report, keyed by name (``verdict.CERTIFICATES``)."""
    of_users = [str(each["not_after"]) for each in pki.get("people") or () if each["state"] in ("valid", "due")]
    found = {
        "vpn-ca": (pki.get("authority") or {}).get("not_after"),
        "vpn-server": (pki.get("server") or {}).get("not_after"),
        "vpn-crl": (pki.get("crl") or {}).get("next_update"),
        "vpn-user": min(of_users, default=None),
    }
    return {name: str(end) for name, end in found.items() if end and end != KNOWN_AFTER_APPLY}


def valid(pki: Pki) -> list[str]:
    """Users with a valid certificate, even if it is due for renewal."""
    return sorted(str(each["name"]) for each in pki["people"] if each["state"] in ("valid", "due"))
