# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration that AWS exports for clients, without a client certificate and key."""

from __future__ import annotations

import typing as t

from cryptography import x509

from . import checks
from .state import Endpoint

EXTRA = {"federated-authentication": "auth-federate", "directory-service-authentication": "auth-user-pass"}


def configuration(vpn: t.Any, endpoint: Endpoint) -> str:
    """The text of the profile."""
    bundle = vpn.certificate(endpoint.options["ServerCertificateArn"])
    name = checks.names(x509.load_pem_x509_certificate(bundle.cert))[0]
    authority = (bundle.imported_chain or bundle.cert).decode().strip()
    ways = [way["Type"] for way in endpoint.options["AuthenticationOptions"]]
    lines = [
        "client",
        "dev tun",
        f"proto {endpoint.options['TransportProtocol']}",
        f"remote {endpoint.dns_name} {endpoint.options['VpnPort']}",
        "remote-random-hostname",
        "resolv-retry infinite",
        "nobind",
        "remote-cert-tls server",
        "cipher AES-256-GCM",
        "verb 3",
        "<ca>",
        authority,
        "",
        "</ca>",
        "",
        *(EXTRA[way] for way in ways if way in EXTRA),
        "reneg-sec 0",
        "",
        f"verify-x509-name {name} name",
    ]
    return "\n".join(lines) + "\n"
