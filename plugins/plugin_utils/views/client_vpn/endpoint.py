# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The endpoint, and the certificates of its users."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import client_vpn, client_vpn_certificates
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.endpoint import refusal
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

from .. import Variables, view
from .users import users


@dataclass(frozen=True)
class Endpoint:
    """The existing endpoint, as AWS returns it."""

    found: dict[str, t.Any]
    """The endpoint; empty if it does not exist."""
    id: str
    associated: list[str]


@view
def endpoint(variables: Variables) -> Endpoint:
    found: dict[str, t.Any] = next(iter(variables["__client_vpn_found"]["client_vpn_endpoints"]), {})
    return Endpoint(found, found.get("client_vpn_endpoint_id", ""), list(found.get("subnets") or []))


@dataclass(frozen=True)
class Configuration:
    """Options that depend on results of earlier tasks."""

    server_certificate_arn: str
    authentication: list[dict[str, t.Any]]
    connection_log: dict[str, str]
    security_groups: list[str]


@view
def configuration(variables: Variables) -> Configuration:
    made = (variables.get("__client_vpn_certificate") or {}).get("client_vpn_certificate") or {}
    own_arn = made.get("certificate_arn") or KNOWN_AFTER_APPLY
    log_group = client_vpn.log_group(variables["hyperpod_run"]["vpn_vpc"])
    return Configuration(
        server_certificate_arn=variables["client_vpn_server_certificate_arn"] or own_arn,
        authentication=client_vpn.with_authority(plain(variables["client_vpn_authentication"]), own_arn),
        connection_log={"log_group": log_group} if variables["client_vpn_connection_log"] else {},
        security_groups=[(variables.get("__client_vpn_group_made") or {}).get("group_id") or KNOWN_AFTER_APPLY],
    )


@dataclass(frozen=True)
class Outcome:
    """The outcome of the task that configures the endpoint."""

    refusals: Findings
    """Refusals of variables for settings that AWS can't change on the existing endpoint."""
    cost: str


@view
def outcome(variables: Variables) -> Outcome:
    made = variables["__client_vpn_made"]
    if "client_vpn_endpoint" not in made:
        option = (made.get("hyperpod_failure") or {}).get("subject", "")
        reason = refusal(option, made.get("msg", ""))
        return Outcome(finding("vpn-endpoint-refused", reason=reason) if reason else [], "")
    associations = len(made["client_vpn_endpoint"]["subnets"])
    present = len(users(variables).present)
    cost = client_vpn.cost(associations=associations, people=present, price=variables["client_vpn_price"])
    return Outcome([], f"Client VPN of {variables['hyperpod_run']['vpn_vpc']}. {cost}")


@dataclass(frozen=True)
class Certificates:
    """The certificates, as ``client_vpn_pki`` returned them."""

    ends: list[dict[str, t.Any]]
    """The expiry of each certificate (``until``), and how many ``days`` earlier the certificate must be renewed."""
    first: dict[str, str]
    """The expiry of each kind of certificate, for the report."""
    not_revoked: list[str]
    """Users in ``client_vpn_revoke`` who had no valid certificate."""


@view
def certificates(variables: Variables) -> Certificates:
    pki = variables["__client_vpn_pki"]["client_vpn_pki"]
    nothing = set(pki.get("nothing_to_revoke") or ())
    until = client_vpn_certificates.ends(pki, users(variables).present)
    days = int(variables["client_vpn_renew_before"])
    return Certificates(
        ends=[{"until": each, "days": days} for each in until],
        first=client_vpn_certificates.first_ends(pki),
        not_revoked=[name for name in given_names(variables["client_vpn_revoke"]) if name in nothing],
    )


@view
def crl_waits(variables: Variables) -> bool:
    """Whether the endpoint gets the new CRL later. Until then, users with revoked certificates could connect again."""
    return bool((variables.get("__client_vpn_list") or {}).get("waiting"))
