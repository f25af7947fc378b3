# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Client VPN operations of EC2; requests and replies are checked against the service model."""

from __future__ import annotations

import base64
import binascii
import functools
import typing as t

from moto.core.responses import ActionResult
from moto.ec2.exceptions import DryRunClientError

from ... import cloud
from ...action import action
from . import answers, checks, export
from .endpoints import ClientVpn

Answer = dict[str, t.Any]


def operation(handler: t.Callable[..., Answer]) -> t.Callable[[t.Any], ActionResult]:
    """Serve ``handler(self, vpn, **parameters)`` under the lock, once for each ClientToken."""

    @action
    @functools.wraps(handler)
    def method(self: t.Any, DryRun: bool = False, **params: t.Any) -> Answer:
        if DryRun:
            raise DryRunClientError
        vpn: ClientVpn = self.ec2_backend.client_vpn
        with vpn.lock:
            vpn.settle()
            answer = vpn.once(params, functools.partial(handler, self, vpn))
        cloud.current().vpn_follower.wake.set()
        return answer

    return method


class ClientVpnResponses:
    """A mixin of the handlers of EC2."""

    # Endpoints

    @operation
    def create_client_vpn_endpoint(self, vpn: ClientVpn, **wanted: t.Any) -> Answer:
        tags: dict[str, str] = {}
        for specification in wanted.pop("TagSpecifications", []):
            if specification.get("ResourceType") != "client-vpn-endpoint":
                checks.invalid(f"'{specification.get('ResourceType')}' is not a valid taggable resource type here.")
            tags.update({tag["Key"]: tag.get("Value", "") for tag in specification.get("Tags", [])})
        made = vpn.create(tags=tags, wanted=wanted)
        return {"ClientVpnEndpointId": made.id, "Status": made.status.answer(), "DnsName": f"*.{made.dns_name}"}

    @operation
    def describe_client_vpn_endpoints(
        self, vpn: ClientVpn, ClientVpnEndpointIds: t.Sequence[str] = (), **listing: t.Any
    ) -> Answer:
        found = [vpn.endpoint(one) for one in ClientVpnEndpointIds] or list(vpn.endpoints.values())
        keys = {"endpoint-id": lambda one: one.id, "transport-protocol": lambda one: one.options["TransportProtocol"]}
        shown, rest = page(found, keys, **listing)
        tags = vpn.ec2.tags
        return {"ClientVpnEndpoints": [answers.endpoint(one, dict(tags.get(one.id, {}))) for one in shown], **rest}

    @operation
    def modify_client_vpn_endpoint(self, vpn: ClientVpn, ClientVpnEndpointId: str, **wanted: t.Any) -> Answer:
        vpn.modify(vpn.endpoint(ClientVpnEndpointId, changing=True), wanted)
        return {"Return": True}

    @operation
    def delete_client_vpn_endpoint(self, vpn: ClientVpn, ClientVpnEndpointId: str) -> Answer:
        endpoint = vpn.endpoint(ClientVpnEndpointId)
        if endpoint.status.code not in ("deleting", "deleted"):
            vpn.delete(endpoint)
        return {"Status": endpoint.status.answer()}

    # Target networks

    @operation
    def associate_client_vpn_target_network(
        self, vpn: ClientVpn, ClientVpnEndpointId: str, SubnetId: str | None = None, **others: t.Any
    ) -> Answer:
        if others:
            raise NotImplementedError("associations by availability zone are not simulated")
        made = vpn.associate(vpn.endpoint(ClientVpnEndpointId, changing=True), SubnetId)
        return {"AssociationId": made.id, "Status": made.status.answer()}

    @operation
    def disassociate_client_vpn_target_network(
        self, vpn: ClientVpn, ClientVpnEndpointId: str, AssociationId: str
    ) -> Answer:
        found = vpn.disassociate(vpn.endpoint(ClientVpnEndpointId, changing=True), AssociationId)
        return {"AssociationId": found.id, "Status": found.status.answer()}

    @operation
    def describe_client_vpn_target_networks(
        self, vpn: ClientVpn, ClientVpnEndpointId: str, AssociationIds: t.Sequence[str] = (), **listing: t.Any
    ) -> Answer:
        endpoint = vpn.endpoint(ClientVpnEndpointId)
        found = [one for one in endpoint.associations.values() if not AssociationIds or one.id in AssociationIds]
        keys = {
            "association-id": lambda one: one.id,
            "target-network-id": lambda one: one.subnet_id,
            "vpc-id": lambda one: one.vpc_id,
        }
        shown, rest = page(found, keys, **listing)
        return {"ClientVpnTargetNetworks": [answers.association(endpoint, one) for one in shown], **rest}

    @operation
    def apply_security_groups_to_client_vpn_target_network(
        self, vpn: ClientVpn, ClientVpnEndpointId: str, VpcId: str, SecurityGroupIds: list[str]
    ) -> Answer:
        endpoint = vpn.endpoint(ClientVpnEndpointId, changing=True)
        vpn.apply_groups(endpoint, VpcId, SecurityGroupIds)
        return {"SecurityGroupIds": list(endpoint.security_groups)}

    # Authorization rules

    @operation
    def authorize_client_vpn_ingress(
        self,
        vpn: ClientVpn,
        ClientVpnEndpointId: str,
        TargetNetworkCidr: str,
        AccessGroupId: str | None = None,
        AuthorizeAllGroups: bool = False,
        Description: str | None = None,
    ) -> Answer:
        endpoint = vpn.endpoint(ClientVpnEndpointId, changing=True)
        group = _one_or_all(AccessGroupId, AuthorizeAllGroups, "AuthorizeAllGroups")
        made = vpn.authorize(endpoint, TargetNetworkCidr, group, Description)
        return {"Status": made.status.answer()}

    @operation
    def revoke_client_vpn_ingress(
        self,
        vpn: ClientVpn,
        ClientVpnEndpointId: str,
        TargetNetworkCidr: str,
        AccessGroupId: str | None = None,
        RevokeAllGroups: bool = False,
    ) -> Answer:
        endpoint = vpn.endpoint(ClientVpnEndpointId, changing=True)
        found = vpn.revoke(endpoint, TargetNetworkCidr, _one_or_all(AccessGroupId, RevokeAllGroups, "RevokeAllGroups"))
        return {"Status": found.status.answer()}

    @operation
    def describe_client_vpn_authorization_rules(
        self, vpn: ClientVpn, ClientVpnEndpointId: str, **listing: t.Any
    ) -> Answer:
        endpoint = vpn.endpoint(ClientVpnEndpointId)
        keys = {
            "description": lambda one: one.description or "",
            "destination-cidr": lambda one: one.cidr,
            "group-id": lambda one: one.group or "",
        }
        shown, rest = page(endpoint.rules, keys, **listing)
        return {"AuthorizationRules": [answers.rule(endpoint, one) for one in shown], **rest}

    # Routes

    @operation
    def create_client_vpn_route(
        self,
        vpn: ClientVpn,
        ClientVpnEndpointId: str,
        DestinationCidrBlock: str,
        TargetVpcSubnetId: str | None = None,
        Description: str | None = None,
    ) -> Answer:
        endpoint = vpn.endpoint(ClientVpnEndpointId, changing=True)
        made = vpn.create_route(endpoint, DestinationCidrBlock, TargetVpcSubnetId, Description)
        return {"Status": made.status.answer()}

    @operation
    def delete_client_vpn_route(
        self,
        vpn: ClientVpn,
        ClientVpnEndpointId: str,
        DestinationCidrBlock: str,
        TargetVpcSubnetId: str | None = None,
    ) -> Answer:
        endpoint = vpn.endpoint(ClientVpnEndpointId, changing=True)
        return {"Status": vpn.delete_route(endpoint, DestinationCidrBlock, TargetVpcSubnetId).status.answer()}

    @operation
    def describe_client_vpn_routes(self, vpn: ClientVpn, ClientVpnEndpointId: str, **listing: t.Any) -> Answer:
        endpoint = vpn.endpoint(ClientVpnEndpointId)
        keys = {
            "destination-cidr": lambda one: one.cidr,
            "origin": lambda one: one.origin,
            "target-subnet": lambda one: one.subnet_id,
        }
        shown, rest = page(endpoint.routes, keys, **listing)
        return {"Routes": [answers.route(endpoint, one) for one in shown], **rest}

    # Certificates and configuration

    @operation
    def export_client_vpn_client_configuration(self, vpn: ClientVpn, ClientVpnEndpointId: str) -> Answer:
        return {"ClientConfiguration": export.configuration(vpn, vpn.endpoint(ClientVpnEndpointId))}

    @operation
    def import_client_vpn_client_certificate_revocation_list(
        self, vpn: ClientVpn, ClientVpnEndpointId: str, CertificateRevocationList: str
    ) -> Answer:
        vpn.import_crl(vpn.endpoint(ClientVpnEndpointId, changing=True), CertificateRevocationList)
        return {"Return": True}

    @operation
    def export_client_vpn_client_certificate_revocation_list(self, vpn: ClientVpn, ClientVpnEndpointId: str) -> Answer:
        endpoint = vpn.endpoint(ClientVpnEndpointId)
        if endpoint.crl is None:
            return {}
        return {"CertificateRevocationList": endpoint.crl, "Status": endpoint.crl_status.answer(described=True)}

    # Connections

    @operation
    def describe_client_vpn_connections(self, vpn: ClientVpn, ClientVpnEndpointId: str, **listing: t.Any) -> Answer:
        endpoint = vpn.endpoint(ClientVpnEndpointId)
        found = cloud.current().tunnels.connections(endpoint.id)
        keys = {"connection-id": lambda one: one.connection_id, "username": lambda one: ""}
        shown, rest = page(found, keys, **listing)
        return {"Connections": [answers.connection(endpoint, one) for one in shown], **rest}

    @operation
    def terminate_client_vpn_connections(
        self,
        vpn: ClientVpn,
        ClientVpnEndpointId: str,
        ConnectionId: str | None = None,
        Username: str | None = None,
    ) -> Answer:
        endpoint = vpn.endpoint(ClientVpnEndpointId, changing=True)
        if (ConnectionId is None) == (Username is None):
            checks.refuse("InvalidParameterCombination", "Name either a connection or a user")
        if ConnectionId is None:  # connections by certificate have no user name
            checks.refuse("InvalidClientVpnConnection.UserNotFound", f"The user '{Username}' has no connection")
        tunnels = cloud.current().tunnels
        found = {one.connection_id: one for one in tunnels.connections(endpoint.id)}.get(ConnectionId)
        if found is None:
            checks.refuse("InvalidClientVpnConnection.IdNotFound", f"Connection {ConnectionId} does not exist")
        active = found.status == "active"
        if active:
            tunnels.terminate(endpoint.id, [found.connection_id])
        status = {
            "ConnectionId": found.connection_id,
            "PreviousStatus": {"Code": found.status},
            "CurrentStatus": {"Code": "terminating" if active else found.status},
        }
        return {"ClientVpnEndpointId": endpoint.id, "ConnectionStatuses": [status]}


def _one_or_all(group: str | None, all_groups: bool, parameter: str) -> str | None:
    if bool(group) == all_groups:
        checks.refuse("InvalidParameterCombination", f"Name either AccessGroupId or {parameter}")
    return group or None


def page(
    items: t.Iterable[t.Any],
    keys: t.Mapping[str, t.Callable[[t.Any], str | None]],
    *,
    Filters: t.Sequence[dict[str, t.Any]] = (),
    MaxResults: int | None = None,
    NextToken: str | None = None,
) -> tuple[list[t.Any], dict[str, str]]:
    """A page of the filtered items, and the token of the next page. Other filters are refused."""
    for wanted in Filters:
        if wanted.get("Name") not in keys:
            checks.invalid(f"The filter '{wanted.get('Name')}' is invalid")
    chosen = [item for item in items if all(keys[one["Name"]](item) in one.get("Values", []) for one in Filters)]
    first = _position(NextToken)
    last = first + min(MaxResults or 1000, cloud.current().settings["page_size"])
    token = base64.urlsafe_b64encode(str(last).encode()).decode()
    return chosen[first:last], {"NextToken": token} if last < len(chosen) else {}


def tag_keys(listing: t.Mapping[str, t.Any]) -> dict[str, t.Callable[[t.Any], str | None]]:
    """Keys for filters by tag, of items with the member Tags."""
    names = (one.get("Name", "") for one in listing.get("Filters", ()))
    return {name: functools.partial(_tag, name.removeprefix("tag:")) for name in names if name.startswith("tag:")}


def _tag(key: str, item: Answer) -> str | None:
    return next((tag.get("Value", "") for tag in item.get("Tags", ()) if tag["Key"] == key), None)


def _position(token: str | None) -> int:
    try:
        return int(base64.urlsafe_b64decode(token.encode())) if token else 0
    except (ValueError, binascii.Error):
        checks.invalid("The token is invalid")
