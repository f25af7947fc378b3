# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The revocation of an offboarded user's certificates."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import client_vpn
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from ..client_vpn.declared import endpoint_poll_interval, may_disconnect


@dataclass(frozen=True)
class Asked:
    certificates: bool
    """Whether users authenticate with certificates."""
    may_disconnect: bool
    """Whether users may be disconnected now."""
    endpoint_poll_interval: int


@view
def asked(variables: Variables) -> Asked:
    return Asked(
        certificates=client_vpn.with_certificates(variables["client_vpn_authentication"]),
        may_disconnect=may_disconnect(variables),
        endpoint_poll_interval=endpoint_poll_interval(variables),
    )


@view
def crl_waits(variables: Variables) -> bool:
    """Whether the endpoint gets the new CRL later. Until then, the user could connect again."""
    return bool((variables.get("__client_vpn_access_list") or {}).get("waiting"))


@dataclass(frozen=True)
class Revoked:
    """The result of the revocation for the offboarded user."""

    evidence: dict[str, t.Any]
    notes: Findings


@view
def revoked(variables: Variables) -> Revoked:
    leaver, vpc_id = variables["client_vpn_leaver"], variables["hyperpod_run"]["vpn_vpc"]
    pki, waits = variables["__client_vpn_access_pki"]["client_vpn_pki"], crl_waits(variables)
    nothing = leaver in pki["nothing_to_revoke"]
    evidence = {
        "vpc": vpc_id,
        "serials": [each["serial"] for each in pki["crl"]["entries"] if each["name"] == leaver],
        "without_certificate": nothing,
        "connections": len((variables.get("__client_vpn_access_ended") or {}).get("connections") or []),
        "waiting": [each["text"] for each in variables["__client_vpn_access_list"]["hyperpod_findings"]] if waits else [],
    }
    return Revoked(evidence, finding("no-certificate-of-user", vpc=vpc_id, name=leaver) if nothing else [])
