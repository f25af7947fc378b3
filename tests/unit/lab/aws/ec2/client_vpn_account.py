# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An account with everything that Client VPN needs, and certificates for it."""

from __future__ import annotations

import datetime
import functools
import json
import time
import typing as t
import urllib.request

import pytest
from botocore.exceptions import ClientError
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

TAG = {"Key": "mlfleet.hyperpod/component", "Value": "client_vpn"}
NOW = datetime.datetime.now(datetime.timezone.utc)
DAY = datetime.timedelta(days=1)


@functools.lru_cache(None)
def key(kind: str = "RSA_2048", number: int = 0) -> t.Any:
    if kind.startswith("EC"):
        return ec.generate_private_key(ec.SECP256R1())
    return rsa.generate_private_key(65537, int(kind.split("_")[1]))


def named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def signed(name: str, private: t.Any, *, ca: bool = False, days: int = 90) -> x509.Certificate:
    return (
        x509.CertificateBuilder()
        .subject_name(named(name))
        .issuer_name(named("authority"))
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - DAY)
        .not_valid_after(NOW + days * DAY)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .sign(key(number=9), hashes.SHA256())
    )


def pem(one: t.Any) -> bytes:
    if isinstance(one, x509.Certificate | x509.CertificateRevocationList):
        return one.public_bytes(serialization.Encoding.PEM)
    kind = serialization.PrivateFormat.PKCS8
    return one.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption())


AUTHORITY = signed("authority", key(number=9), ca=True)


def pair(kind: str = "RSA_2048", name: str = "server.vpn.internal", number: int = 0) -> dict[str, bytes]:
    private = key(kind, number)
    return {"Certificate": pem(signed(name, private)), "PrivateKey": pem(private), "CertificateChain": pem(AUTHORITY)}


def crl(*serials: int, signer: int = 9) -> str:
    builder = x509.CertificateRevocationListBuilder().issuer_name(named("authority"))
    builder = builder.last_update(NOW).next_update(NOW + 365 * DAY)
    for serial in serials:
        entry = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(NOW).build()
        builder = builder.add_revoked_certificate(entry)
    return pem(builder.sign(key(number=signer), hashes.SHA256())).decode()


class Vpn:
    """One account's Client VPN with a VPC of three zones."""

    def __init__(self, account: t.Any) -> None:
        self.account, self.control, self.ec2, self.url = account, account.control, account.ec2, account.url
        self.acm, self.logs = account.client("acm"), account.client("logs")
        self.vpc, self.subnets = self.network("10.1")
        self.group = self.ec2.create_security_group(GroupName="vpn", Description="vpn", VpcId=self.vpc)["GroupId"]
        self.server = self.acm.import_certificate(**pair())["CertificateArn"]

    def network(self, start: str) -> tuple[str, list[str]]:
        vpc = self.ec2.create_vpc(CidrBlock=f"{start}.0.0/16")["Vpc"]["VpcId"]
        subnets = [
            self.ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZone=f"us-west-2{zone}")["Subnet"]["SubnetId"]
            for zone, cidr in (("a", f"{start}.1.0/24"), ("b", f"{start}.2.0/24"), ("b", f"{start}.3.0/24"))
        ]
        return vpc, subnets

    def request(self, **changes: t.Any) -> dict[str, t.Any]:
        wanted = {
            "ServerCertificateArn": self.server,
            "AuthenticationOptions": [
                {
                    "Type": "certificate-authentication",
                    "MutualAuthentication": {"ClientRootCertificateChainArn": self.server},
                }
            ],
            "ConnectionLogOptions": {"Enabled": False},
            "ClientCidrBlock": "10.250.0.0/22",
            "SplitTunnel": True,
            "VpcId": self.vpc,
            "SecurityGroupIds": [self.group],
            "TagSpecifications": [{"ResourceType": "client-vpn-endpoint", "Tags": [TAG]}],
        }
        return {name: value for name, value in {**wanted, **changes}.items() if value is not None}

    def create(self, **changes: t.Any) -> str:
        return self.ec2.create_client_vpn_endpoint(**self.request(**changes))["ClientVpnEndpointId"]

    def associated(self, subnet: int = 0, **changes: t.Any) -> str:
        endpoint = self.create(**changes)
        self.ec2.associate_client_vpn_target_network(ClientVpnEndpointId=endpoint, SubnetId=self.subnets[subnet])
        self.until(lambda: self.show(endpoint)["Status"]["Code"] == "available")
        return endpoint

    def show(self, endpoint: str) -> dict[str, t.Any]:
        return self.ec2.describe_client_vpn_endpoints(ClientVpnEndpointIds=[endpoint])["ClientVpnEndpoints"][0]

    def networks(self, endpoint: str) -> list[dict[str, t.Any]]:
        return self.ec2.describe_client_vpn_target_networks(ClientVpnEndpointId=endpoint)["ClientVpnTargetNetworks"]

    def rules(self, endpoint: str) -> list[dict[str, t.Any]]:
        return self.ec2.describe_client_vpn_authorization_rules(ClientVpnEndpointId=endpoint)["AuthorizationRules"]

    def routes(self, endpoint: str) -> list[dict[str, t.Any]]:
        return self.ec2.describe_client_vpn_routes(ClientVpnEndpointId=endpoint)["Routes"]

    def connections(self, endpoint: str) -> list[dict[str, t.Any]]:
        return self.ec2.describe_client_vpn_connections(ClientVpnEndpointId=endpoint)["Connections"]

    def connect(self, endpoint: str, name: str, serial: str = "0") -> t.Any:
        body = json.dumps({"endpoint_id": endpoint, "common_name": name, "serial": serial}).encode()
        with urllib.request.urlopen(f"{self.url}/lab/vpn-connect", body) as answer:
            return json.load(answer)

    def interfaces(self) -> list[dict[str, t.Any]]:
        filters = [{"Name": "group-id", "Values": [self.group]}]
        return self.ec2.describe_network_interfaces(Filters=filters)["NetworkInterfaces"]

    def until(self, condition: t.Callable[[], t.Any], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "the condition did not become true in time"
            time.sleep(0.02)

    def clear(self) -> None:
        for found in self.ec2.describe_client_vpn_endpoints()["ClientVpnEndpoints"]:
            endpoint = found["ClientVpnEndpointId"]
            for network in self.networks(endpoint):
                self.ec2.disassociate_client_vpn_target_network(
                    ClientVpnEndpointId=endpoint, AssociationId=network["AssociationId"]
                )
            self.until(lambda endpoint=endpoint: not self.networks(endpoint))
            self.ec2.delete_client_vpn_endpoint(ClientVpnEndpointId=endpoint)
        self.until(lambda: not self.ec2.describe_client_vpn_endpoints()["ClientVpnEndpoints"] and not self.interfaces())


def refused(code: str, call: t.Callable[..., t.Any], **arguments: t.Any) -> None:
    with pytest.raises(ClientError) as error:
        call(**arguments)
    assert error.value.response["Error"]["Code"] == code
