# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The settings of a Client VPN endpoint as data.

AWS takes them in one form when it makes an endpoint, in a second when it changes one, and answers in a third. Here each
has one name and one plain value; comparison, requests and results come from this table.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._core.plan import KNOWN_AFTER_APPLY
from .model import Settings

Answer = t.Mapping[str, t.Any]
Parameters = dict[str, t.Any]

CONNECTIONS = "connections"
"""The change resets connections; people's clients connect again by themselves."""
PROFILES = "profiles"
"""The change makes every profile useless."""

_KINDS = {
    "certificate": "certificate-authentication",
    "directory": "directory-service-authentication",
    "federated": "federated-authentication",
}
_OPTIONS = {kind: option for option, kind in _KINDS.items()}


@dataclass(frozen=True)
class Setting:
    """One setting. ``default`` is what a new endpoint has when nobody says anything."""

    option: str
    default: t.Any
    read: t.Callable[[Answer], t.Any]
    write: t.Callable[[t.Any], Parameters]
    create: t.Callable[[t.Any], Parameters] | None = None
    """Where AWS takes another form to make an endpoint than to change it."""
    immutable: bool = False
    cuts: str = ""
    same: t.Callable[[t.Any, t.Any], bool] = lambda have, want: have == want


def plain(option: str, api: str, default: t.Any, *, immutable: bool = False, cuts: str = "") -> Setting:
    """A setting that AWS calls ``api`` in requests and answers alike."""
    return Setting(
        option,
        default,
        read=lambda answer: answer.get(api, default),
        write=lambda value: {api: value},
        immutable=immutable,
        cuts=cuts,
    )


def _read_authentication(answer: Answer) -> tuple[dict[str, str], ...]:
    ways = []
    for each in answer.get("AuthenticationOptions", ()):
        federated = each.get("FederatedAuthentication", {})
        fields = {
            "type": _OPTIONS.get(each["Type"], each["Type"]),
            "client_root_certificate_arn": each.get("MutualAuthentication", {}).get("ClientRootCertificateChain"),
            "directory_id": each.get("ActiveDirectory", {}).get("DirectoryId"),
            "saml_provider_arn": federated.get("SamlProviderArn"),
            "self_service_saml_provider_arn": federated.get("SelfServiceSamlProviderArn"),
        }
        ways.append({name: value for name, value in fields.items() if value})
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
    """AWS picks a stream where none was asked for."""
    if have is None or want is None:
        return have is want
    return have["log_group"] == want["log_group"] and want["log_stream"] in ("", have["log_stream"])


def _read_banner(answer: Answer) -> str:
    banner = answer.get("ClientLoginBannerOptions", {})
    return banner.get("BannerText", "") if banner.get("Enabled") else ""


SETTINGS: tuple[Setting, ...] = (
    plain("server_certificate_arn", "ServerCertificateArn", "", cuts=CONNECTIONS),
    Setting("authentication", (), _read_authentication, _write_authentication, immutable=True),
    plain("client_cidr", "ClientCidrBlock", "", immutable=True),
    plain("split_tunnel", "SplitTunnel", True, cuts=CONNECTIONS),
    Setting(
        "dns_servers",
        (),
        read=lambda answer: tuple(answer.get("DnsServers", ())),
        write=lambda value: {"DnsServers": {"CustomDnsServers": list(value), "Enabled": bool(value)}},
        create=lambda value: {"DnsServers": list(value)} if value else {},
        cuts=CONNECTIONS,
    ),
    plain("transport_protocol", "TransportProtocol", "udp", immutable=True),
    plain("vpn_port", "VpnPort", 443, cuts=PROFILES),
    plain("description", "Description", ""),
    Setting("connection_log", None, _read_log, _write_log, same=_same_log),
    Setting(
        "security_groups",
        (KNOWN_AFTER_APPLY,),
        read=lambda answer: tuple(sorted(answer.get("SecurityGroupIds", ()))),
        write=lambda value: {"SecurityGroupIds": list(value)},
    ),
    plain("session_hours", "SessionTimeoutHours", 24),
    Setting(
        "login_banner",
        "",
        read=_read_banner,
        write=lambda value: {
            "ClientLoginBannerOptions": {"Enabled": True, "BannerText": value} if value else {"Enabled": False}
        },
    ),
    Setting(
        "self_service_portal",
        False,
        read=lambda answer: bool(answer.get("SelfServicePortalUrl")),
        write=lambda value: {"SelfServicePortal": "enabled" if value else "disabled"},
    ),
    Setting(
        "route_enforcement",
        False,
        read=lambda answer: bool(answer.get("ClientRouteEnforcementOptions", {}).get("Enforced")),
        write=lambda value: {"ClientRouteEnforcementOptions": {"Enforced": value}},
    ),
    plain("disconnect_on_session_timeout", "DisconnectOnSessionTimeout", True),
)


def observed(answer: Answer) -> dict[str, t.Any]:
    """The settings in AWS's answer by our names."""
    return {each.option: each.read(answer) for each in SETTINGS}


def defaults() -> dict[str, t.Any]:
    """The settings of a new endpoint."""
    return {each.option: each.default for each in SETTINGS}


def different(have: Settings, want: Settings) -> list[Setting]:
    """Those of which ``have`` is not yet as ``want`` says."""
    return [
        each for each in SETTINGS if each.option in want and not each.same(have.get(each.option), want[each.option])
    ]


def creation(want: Settings, vpc_id: str) -> Parameters:
    """The settings as CreateClientVpnEndpoint takes them; what AWS would take otherwise is said."""
    parameters: Parameters = {"VpcId": vpc_id}
    said = {"split_tunnel": True, "connection_log": None, "self_service_portal": False, **want}
    for each in SETTINGS:
        if each.option in said:
            parameters.update((each.create or each.write)(said[each.option]))
    return parameters


def modification(want: Settings, settings: t.Iterable[Setting], vpc_id: str) -> Parameters:
    """Some of the settings as ModifyClientVpnEndpoint takes them."""
    parameters: Parameters = {}
    for each in settings:
        parameters.update(each.write(want[each.option]))
    if "SecurityGroupIds" in parameters:
        parameters["VpcId"] = vpc_id
    return parameters
