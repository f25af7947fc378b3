# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The settings of a Client VPN endpoint as a table.

AWS uses three different forms of settings: for the creation of an endpoint, for changes, and in answers. In this table each
setting has one name and one plain value. Comparisons, requests and results use the table.
"""

from __future__ import annotations

import typing as t

from ..._core import fields
from ..._core.fields import Answer, Field, Parameters
from ..._core.plan import KNOWN_AFTER_APPLY
from .model import Settings

CONNECTIONS = "connections"
"""The change resets connections. The clients of users reconnect automatically."""
PROFILES = "profiles"
"""The change makes every profile useless."""

_KINDS = {
    "certificate": "certificate-authentication",
    "directory": "directory-service-authentication",
    "federated": "federated-authentication",
}
_OPTIONS = {kind: option for option, kind in _KINDS.items()}


def _read_authentication(answer: Answer) -> tuple[dict[str, str], ...]:
    ways = []
    for each in answer.get("AuthenticationOptions", ()):
        federated = each.get("FederatedAuthentication", {})
        values = {
            "type": _OPTIONS.get(each["Type"], each["Type"]),
            "client_root_certificate_arn": each.get("MutualAuthentication", {}).get("ClientRootCertificateChain"),
            "directory_id": each.get("ActiveDirectory", {}).get("DirectoryId"),
            "saml_provider_arn": federated.get("SamlProviderArn"),
            "self_service_saml_provider_arn": federated.get("SelfServiceSamlProviderArn"),
        }
        ways.append({name: value for name, value in values.items() if value})
    return tuple(sorted(ways, key=lambda way: way["type"]))


def _write_authentication(ways: tuple[dict[str, str], ...]) -> Parameters:
    return {"AuthenticationOptions": [_api_way(way) for way in ways]}


def _api_way(way: t.Mapping[str, str]) -> Parameters:
    kind = {"Type": _KINDS[way["type"]]}
    if way["type"] == "certificate":
        return {**kind, "MutualAuthentication": {"ClientRootCertificateChainArn": way["client_root_certificate_arn"]}}
    if way["type"] == "directory":
        return {**kind, "ActiveDirectory": {"DirectoryId": way["directory_id"]}}
    federated = {"SAMLProviderArn": way["saml_provider_arn"]}
    if "self_service_saml_provider_arn" in way:
        federated["SelfServiceSAMLProviderArn"] = way["self_service_saml_provider_arn"]
    return {**kind, "FederatedAuthentication": federated}


def _read_log(answer: Answer) -> dict[str, str] | None:
    log = answer.get("ConnectionLogOptions", {})
    if not log.get("Enabled"):
        return None
    return {"log_group": log.get("CloudwatchLogGroup", ""), "log_stream": log.get("CloudwatchLogStream", "")}


def _write_log(value: t.Mapping[str, str] | None) -> Parameters:
    if value is None:
        return {"ConnectionLogOptions": {"Enabled": False}}
    options = {"Enabled": True, "CloudwatchLogGroup": value["log_group"]}
    if value["log_stream"]:
        options["CloudwatchLogStream"] = value["log_stream"]
    return {"ConnectionLogOptions": options}


def _same_log(have: t.Mapping[str, str] | None, want: t.Mapping[str, str] | None) -> bool:
    """Whether the settings of the log match. Any stream matches if the option is omitted, because AWS then chooses one."""
    if have is None or want is None:
        return have is want
    return have["log_group"] == want["log_group"] and want["log_stream"] in ("", have["log_stream"])


def _read_banner(answer: Answer) -> str:
    banner = answer.get("ClientLoginBannerOptions", {})
    return banner.get("BannerText", "") if banner.get("Enabled") else ""


SETTINGS: fields.Table = (
    Field("server_certificate_arn", "ServerCertificateArn", "str", "", cuts=CONNECTIONS),
    Field(
        "authentication",
        "AuthenticationOptions",
        "list",
        (),
        reads=_read_authentication,
        writes=_write_authentication,
        immutable=True,
    ),
    Field("client_cidr", "ClientCidrBlock", "str", "", immutable=True),
    Field("split_tunnel", "SplitTunnel", "bool", True, cuts=CONNECTIONS),
    Field(
        "dns_servers",
        "DnsServers",
        "list",
        (),
        reads=lambda answer: tuple(answer.get("DnsServers", ())),
        writes=lambda value: {"DnsServers": {"CustomDnsServers": list(value), "Enabled": bool(value)}},
        creates=lambda value: {"DnsServers": list(value)} if value else {},
        cuts=CONNECTIONS,
    ),
    Field("transport_protocol", "TransportProtocol", "str", "udp", immutable=True),
    Field("vpn_port", "VpnPort", "int", 443, cuts=PROFILES),
    Field("description", "Description", "str", ""),
    Field("connection_log", "ConnectionLogOptions", "dict", None, reads=_read_log, writes=_write_log, same=_same_log),
    Field(
        "security_groups",
        "SecurityGroupIds",
        "list",
        (KNOWN_AFTER_APPLY,),
        reads=lambda answer: tuple(sorted(answer.get("SecurityGroupIds", ()))),
        writes=lambda value: {"SecurityGroupIds": list(value)},
    ),
    Field("session_hours", "SessionTimeoutHours", "int", 24),
    Field(
        "login_banner",
        "ClientLoginBannerOptions",
        "str",
        "",
        reads=_read_banner,
        writes=lambda value: {
            "ClientLoginBannerOptions": {"Enabled": True, "BannerText": value} if value else {"Enabled": False}
        },
    ),
    Field(
        "self_service_portal",
        "SelfServicePortal",
        "bool",
        False,
        reads=lambda answer: bool(answer.get("SelfServicePortalUrl")),
        writes=lambda value: {"SelfServicePortal": "enabled" if value else "disabled"},
    ),
    Field(
        "route_enforcement",
        "ClientRouteEnforcementOptions",
        "bool",
        False,
        reads=lambda answer: bool(answer.get("ClientRouteEnforcementOptions", {}).get("Enforced")),
        writes=lambda value: {"ClientRouteEnforcementOptions": {"Enforced": value}},
    ),
    Field("disconnect_on_session_timeout", "DisconnectOnSessionTimeout", "bool", True),
)


def observed(answer: Answer) -> dict[str, t.Any]:
    """The settings in AWS's answer, keyed by option name. A setting that the answer omits has AWS's default."""
    return {**defaults(), **fields.observed(SETTINGS, answer)}


def defaults() -> dict[str, t.Any]:
    """The settings of a new endpoint."""
    return fields.defaults(SETTINGS)


def different(have: Settings, want: Settings) -> fields.Table:
    """Settings that differ between ``have`` and ``want``."""
    return fields.different(SETTINGS, have, want)


def creation(want: Settings, vpc_id: str) -> Parameters:
    """The arguments of CreateClientVpnEndpoint. Our defaults that differ from AWS's are passed explicitly."""
    said = {"split_tunnel": True, "connection_log": None, "self_service_portal": False, **want}
    return {"VpcId": vpc_id, **fields.creation(SETTINGS, said)}


def modification(want: Settings, settings: t.Iterable[Field], vpc_id: str) -> Parameters:
    """The arguments of ModifyClientVpnEndpoint for some of the settings."""
    parameters = fields.modification(settings, want)
    if "SecurityGroupIds" in parameters:
        parameters["VpcId"] = vpc_id
    return parameters
