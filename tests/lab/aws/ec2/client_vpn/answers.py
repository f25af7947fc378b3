# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of Client VPN in the shapes of API replies, which differ from those of requests."""

from __future__ import annotations

import copy
import typing as t

from lab.vpn.view import ConnectionView

from .state import Association, Endpoint, Route, Rule, now

PLAIN = (
    "Description",
    "ClientCidrBlock",
    "DnsServers",
    "SplitTunnel",
    "TransportProtocol",
    "VpnPort",
    "ServerCertificateArn",
    "ConnectionLogOptions",
    "SessionTimeoutHours",
    "ClientLoginBannerOptions",
    "ClientRouteEnforcementOptions",
    "DisconnectOnSessionTimeout",
    "EndpointIpAddressType",
    "TrafficIpAddressType",
)


def endpoint(found: Endpoint, tags: dict[str, str]) -> dict[str, t.Any]:
    """A ClientVpnEndpoint."""
    options = found.options
    connect = options["ClientConnectOptions"]
    networks = [{"NetworkId": one.subnet_id, "NetworkType": "vpc"} for one in found.usable]
    others = any(way["Type"] != "certificate-authentication" for way in options["AuthenticationOptions"])
    portal = f"https://self-service.clientvpn.amazonaws.com/endpoints/{found.id}"
    return {
        "ClientVpnEndpointId": found.id,
        "Status": found.status.answer(described=True),
        "CreationTime": found.created,
        **({"DeletionTime": found.deleted} if found.deleted else {}),
        "DnsName": f"*.{found.dns_name}",
        "VpnProtocol": "openvpn",
        **{name: copy.deepcopy(options[name]) for name in PLAIN if name in options},
        "AssociatedTargetNetworks": networks,
        "AuthenticationOptions": [_way(way) for way in options["AuthenticationOptions"]],
        "ClientConnectOptions": {**connect, **({"Status": {"Code": "applied"}} if connect.get("Enabled") else {})},
        "SecurityGroupIds": list(found.security_groups),
        **({"VpcId": found.vpc_id} if found.vpc_id else {}),
        **({"SelfServicePortalUrl": portal} if others and options["SelfServicePortal"] == "enabled" else {}),
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
    }


def _way(way: dict[str, t.Any]) -> dict[str, t.Any]:
    answer: dict[str, t.Any] = {"Type": way["Type"]}
    if "MutualAuthentication" in way:
        root = way["MutualAuthentication"]["ClientRootCertificateChainArn"]
        answer["MutualAuthentication"] = {"ClientRootCertificateChain": root}
    if "ActiveDirectory" in way:
        answer["ActiveDirectory"] = {"DirectoryId": way["ActiveDirectory"]["DirectoryId"]}
    if "FederatedAuthentication" in way:
        names = {"SAMLProviderArn": "SamlProviderArn", "SelfServiceSAMLProviderArn": "SelfServiceSamlProviderArn"}
        given = way["FederatedAuthentication"]
        answer["FederatedAuthentication"] = {names[name]: arn for name, arn in given.items()}
    return answer


def association(home: Endpoint, found: Association) -> dict[str, t.Any]:
    """A TargetNetwork."""
    return {
        "AssociationId": found.id,
        "VpcId": found.vpc_id,
        "TargetNetworkId": found.subnet_id,
        "ClientVpnEndpointId": home.id,
        "Status": found.status.answer(described=True),
        "SecurityGroups": list(home.security_groups),
    }


def rule(home: Endpoint, found: Rule) -> dict[str, t.Any]:
    """An AuthorizationRule."""
    return {
        "ClientVpnEndpointId": home.id,
        "Description": found.description or "",
        "GroupId": found.group or "",
        "AccessAll": found.group is None,
        "DestinationCidr": found.cidr,
        "Status": found.status.answer(described=True),
    }


def route(home: Endpoint, found: Route) -> dict[str, t.Any]:
    """A ClientVpnRoute."""
    return {
        "ClientVpnEndpointId": home.id,
        "DestinationCidr": found.cidr,
        "TargetSubnet": found.subnet_id,
        "Type": "Nat",
        "Origin": found.origin,
        "Status": found.status.answer(described=True),
        "Description": found.description or "",
    }


def connection(home: Endpoint, found: ConnectionView) -> dict[str, t.Any]:
    """A ClientVpnConnection; connections with certificates have no user name."""
    return {
        "ClientVpnEndpointId": home.id,
        "Timestamp": _plain(now()),
        "ConnectionId": found.connection_id,
        "ConnectionEstablishedTime": _plain(found.established),
        "ConnectionEndTime": _plain(found.ended) if found.ended else "-",
        "IngressBytes": str(found.ingress_bytes),
        "EgressBytes": str(found.egress_bytes),
        "IngressPackets": "0",
        "EgressPackets": "0",
        "ClientIp": found.client_ip,
        "CommonName": found.common_name,
        "Status": {"Code": found.status},
    }


def _plain(moment: str) -> str:
    """``2026-11-21T09:00:00+00:00`` as ``2026-11-21 09:00:00``."""
    return moment.replace("T", " ")[:19]
