# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads Client VPN endpoints and their dependencies from EC2 and ACM."""

from __future__ import annotations

import dataclasses
import typing as t

from .._aws.client import Api, AwsError
from .._aws.tags import plain_tags
from .connections.model import Connection
from .endpoint.model import Certificate, Endpoint, Network, Route, Rule, Subnet, Vpc
from .endpoint.settings import observed
from .mutations import NO_ENDPOINT

NO_VPC = "InvalidVpcID.NotFound"
NO_CERTIFICATE = "ResourceNotFoundException"
INTERFACES = "ClientVPN Endpoint resource*"
"""Matches the description of the network interfaces of all Client VPN endpoints. It contains no endpoint ID."""

Answer = t.Mapping[str, t.Any]


class ClientVpn(Api):
    """The ``ec2`` client for endpoints and their parts."""

    def endpoints(self) -> list[Endpoint]:
        """All endpoints of the account and Region, including those that are being deleted, without their parts."""
        found = self.pages("DescribeClientVpnEndpoints", "ClientVpnEndpoints", about="the Region's endpoints")
        return [_endpoint(each) for each in found]

    def endpoint(self, endpoint_id: str) -> Endpoint | None:
        """An endpoint without its parts."""
        found = self._parts("DescribeClientVpnEndpoints", "ClientVpnEndpoints", ids=[endpoint_id])
        return _endpoint(found[0]) if found else None

    def complete(self, endpoint: Endpoint) -> Endpoint:
        """The endpoint with its parts."""
        return dataclasses.replace(
            endpoint,
            networks=self.networks(endpoint.id),
            rules=self.rules(endpoint.id),
            routes=self.routes(endpoint.id),
        ).in_order()

    def networks(self, endpoint_id: str) -> tuple[Network, ...]:
        found = self._parts("DescribeClientVpnTargetNetworks", "ClientVpnTargetNetworks", one=endpoint_id)
        return tuple(
            Network(
                each["AssociationId"],
                each["TargetNetworkId"],
                *_status(each),
                tuple(sorted(each.get("SecurityGroups", ()))),
            )
            for each in found
        )

    def rules(self, endpoint_id: str) -> tuple[Rule, ...]:
        found = self._parts("DescribeClientVpnAuthorizationRules", "AuthorizationRules", one=endpoint_id)
        return tuple(
            Rule(each["DestinationCidr"], each.get("GroupId") or None, each.get("Description", ""), *_status(each))
            for each in found
        )

    def routes(self, endpoint_id: str) -> tuple[Route, ...]:
        found = self._parts("DescribeClientVpnRoutes", "Routes", one=endpoint_id)
        return tuple(
            Route(
                each["DestinationCidr"],
                each.get("TargetSubnet", ""),
                each.get("Description", ""),
                each.get("Origin", ""),
                *_status(each),
            )
            for each in found
        )

    def connections(self, endpoint_id: str) -> tuple[Connection, ...]:
        found = self._parts("DescribeClientVpnConnections", "Connections", one=endpoint_id)
        return tuple(sorted(map(Connection.of, found), key=lambda each: (each.established, each.id)))

    def revocation_list(self, endpoint_id: str) -> tuple[str, str]:
        """The text of the CRL and its status. Both are empty if no CRL was imported."""
        answer = self.call(
            "ExportClientVpnClientCertificateRevocationList",
            about=f"client VPN endpoint {endpoint_id}",
            ClientVpnEndpointId=endpoint_id,
        )
        return answer.get("CertificateRevocationList", ""), answer.get("Status", {}).get("Code", "")

    def vpc(self, vpc_id: str) -> Vpc | None:
        try:
            found = self.call("DescribeVpcs", about=f"VPC {vpc_id}", VpcIds=[vpc_id])["Vpcs"]
        except AwsError as error:
            if error.code == NO_VPC:
                return None
            raise
        if not found:
            return None
        cidrs = [each["CidrBlock"] for each in found[0].get("CidrBlockAssociationSet", ())]
        first = found[0]["CidrBlock"]
        return Vpc(vpc_id, tuple(dict.fromkeys([first, *cidrs])), found[0].get("InstanceTenancy", "default"))

    def subnets(self, ids: t.Collection[str]) -> dict[str, Subnet]:
        """The subnets that exist, keyed by ID. The call uses a filter, because one unknown ID would fail the whole call."""
        if not ids:
            return {}
        filters = [{"Name": "subnet-id", "Values": sorted(ids)}]
        found = self.pages("DescribeSubnets", "Subnets", about=", ".join(sorted(ids)), Filters=filters)
        return {
            each["SubnetId"]: Subnet(
                each["SubnetId"],
                each["VpcId"],
                each["AvailabilityZone"],
                each["CidrBlock"],
                each["AvailableIpAddressCount"],
            )
            for each in found
        }

    def interfaces(self, vpc_id: str, groups: t.Collection[str]) -> list[str]:
        """IDs of interfaces in a VPC that belong to Client VPN endpoints and have one of the security groups."""
        filters = [
            {"Name": "vpc-id", "Values": [vpc_id]},
            {"Name": "group-id", "Values": sorted(groups)},
            {"Name": "description", "Values": [INTERFACES]},
        ]
        found = self.pages("DescribeNetworkInterfaces", "NetworkInterfaces", about=vpc_id, Filters=filters)
        return [each["NetworkInterfaceId"] for each in found]

    def _parts(self, operation: str, key: str, *, one: str = "", ids: t.Sequence[str] = ()) -> list[dict[str, t.Any]]:
        """The objects below ``key`` in the answer; empty if the endpoint no longer exists."""
        arguments: dict[str, t.Any] = {"ClientVpnEndpointIds": list(ids)} if ids else {"ClientVpnEndpointId": one}
        try:
            return self.pages(operation, key, about=f"client VPN endpoint {one or ids[0]}", **arguments)
        except AwsError as error:
            if error.code == NO_ENDPOINT:
                return []
            raise


class Certificates(Api):
    """The ``acm`` client for certificates of an endpoint."""

    def certificate(self, arn: str) -> Certificate | None:
        try:
            found = self.call("DescribeCertificate", about=f"certificate {arn}", CertificateArn=arn)["Certificate"]
        except AwsError as error:
            if error.code == NO_CERTIFICATE:
                return None
            raise
        names = [found.get("DomainName", ""), *found.get("SubjectAlternativeNames", ())]
        return Certificate(
            arn,
            # ACM returns RSA-2048 or RSA_2048, depending on the source of the certificate.
            found.get("KeyAlgorithm", "").replace("-", "_"),
            tuple(dict.fromkeys(name for name in names if name)),
            found.get("Status", "ISSUED"),
        )


def _endpoint(found: Answer) -> Endpoint:
    return Endpoint(
        id=found["ClientVpnEndpointId"],
        status=found.get("Status", {}).get("Code", ""),
        dns_name=found.get("DnsName", ""),
        vpc_id=found.get("VpcId", ""),
        created=found.get("CreationTime", ""),
        portal_url=found.get("SelfServicePortalUrl", ""),
        settings=observed(found),
        tags=plain_tags(found.get("Tags")),
    )


def _status(found: Answer) -> tuple[str, str]:
    status = found.get("Status", {})
    return status.get("Code", ""), status.get("Message", "")
