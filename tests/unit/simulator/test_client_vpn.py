# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Client VPN as the simulator offers it: what takes time, what is refused and by which code, who uses what."""

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


# Certificates


@functools.lru_cache(None)
def key(kind: str = "RSA_2048", number: int = 0) -> t.Any:
    if kind.startswith("EC"):
        return ec.generate_private_key(ec.SECP256R1())
    return rsa.generate_private_key(65537, int(kind.split("_")[1]))


def named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def signed(name: str, own: t.Any, *, ca: bool = False, days: int = 90) -> x509.Certificate:
    return (
        x509.CertificateBuilder()
        .subject_name(named(name))
        .issuer_name(named("authority"))
        .public_key(own.public_key())
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
    own = key(kind, number)
    return {"Certificate": pem(signed(name, own)), "PrivateKey": pem(own), "CertificateChain": pem(AUTHORITY)}


def crl(*serials: int, signer: int = 9) -> str:
    builder = x509.CertificateRevocationListBuilder().issuer_name(named("authority"))
    builder = builder.last_update(NOW).next_update(NOW + 365 * DAY)
    for serial in serials:
        entry = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(NOW).build()
        builder = builder.add_revoked_certificate(entry)
    return pem(builder.sign(key(number=signer), hashes.SHA256())).decode()


# An endpoint


class Vpn:
    """One account's Client VPN with a VPC of three zones."""

    def __init__(self, account: t.Any) -> None:
        self.control, self.ec2, self.url = account.control, account.ec2, account.url
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

    def until(self, true: t.Callable[[], t.Any], seconds: float = 10) -> None:
        deadline = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < deadline, "it did not come to that"
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


@pytest.fixture(scope="module")
def whole(account: t.Any) -> Vpn:
    return Vpn(account)


@pytest.fixture
def vpn(whole: Vpn) -> t.Iterator[Vpn]:
    whole.control.settings(client_vpn_seconds=0.05, client_vpn_linger_seconds=0.1)
    yield whole
    whole.control.clear_faults()
    whole.control.settings(client_vpn_seconds=0.05, client_vpn_linger_seconds=0.1, page_size=1000)
    whole.clear()
    problems = whole.control.problems()
    whole.control.reset_calls()
    assert problems == []


def refused(code: str, call: t.Callable[..., t.Any], **arguments: t.Any) -> None:
    with pytest.raises(ClientError) as error:
        call(**arguments)
    assert error.value.response["Error"]["Code"] == code


# Endpoints


def test_an_endpoint_shows_what_was_asked_for(vpn: Vpn) -> None:
    made = vpn.ec2.create_client_vpn_endpoint(**vpn.request(DnsServers=["10.1.0.2"], SessionTimeoutHours=10))
    endpoint = made["ClientVpnEndpointId"]
    assert made["DnsName"] == f"*.{endpoint}.prod.clientvpn.us-west-2.amazonaws.com"
    assert made["Status"] == {"Code": "pending-associate"}
    shown = vpn.show(endpoint)
    assert shown["AuthenticationOptions"] == [
        {
            "Type": "certificate-authentication",
            "MutualAuthentication": {"ClientRootCertificateChain": vpn.server},
        }
    ]
    expected = {
        "TransportProtocol": "udp",
        "VpnPort": 443,
        "SplitTunnel": True,
        "DnsServers": ["10.1.0.2"],
        "SessionTimeoutHours": 10,
        "SecurityGroupIds": [vpn.group],
        "VpcId": vpn.vpc,
        "Tags": [TAG],
        "VpnProtocol": "openvpn",
    }
    assert {name: shown[name] for name in expected} == expected
    assert "SelfServicePortalUrl" not in shown


def test_tags_change_and_are_found_by_the_tagging_api_only(vpn: Vpn, account: t.Any) -> None:
    endpoint = vpn.create()
    vpn.ec2.create_tags(Resources=[endpoint, vpn.group], Tags=[{"Key": "team", "Value": "a"}])
    assert {"Key": "team", "Value": "a"} in vpn.show(endpoint)["Tags"]
    found = account.client("resourcegroupstaggingapi").get_resources(TagFilters=[{"Key": "team", "Values": ["a"]}])
    assert {one["ResourceARN"].rsplit("/", 1)[1] for one in found["ResourceTagMappingList"]} == {endpoint, vpn.group}
    vpn.ec2.delete_tags(Resources=[endpoint], Tags=[{"Key": "team"}])
    assert vpn.show(endpoint)["Tags"] == [TAG]
    by_tag = [{"Name": "tag:team", "Values": ["a"]}]
    refused("InvalidParameterValue", vpn.ec2.describe_client_vpn_endpoints, Filters=by_tag)
    missing = {"Resources": ["cvpn-endpoint-0123456789abcdef0"], "Tags": [TAG]}
    refused("InvalidClientVpnEndpointId.NotFound", vpn.ec2.create_tags, **missing)


ALICE = {"Type": "directory-service-authentication", "ActiveDirectory": {"DirectoryId": "d-1234567890"}}
SAML = {
    "Type": "federated-authentication",
    "FederatedAuthentication": {"SAMLProviderArn": "arn:aws:iam::111111111111:saml-provider/idp"},
}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"ClientCidrBlock": None}, "MissingParameter"),
        ({"ClientCidrBlock": "10.250.0.0/23"}, "InvalidParameterValue"),
        ({"ClientCidrBlock": "10.0.0.0/11"}, "InvalidParameterValue"),
        ({"ClientCidrBlock": "10.250.0.1/22"}, "InvalidParameterValue"),
        ({"DnsServers": ["10.1.0.2", "10.1.0.3", "10.1.0.4"]}, "InvalidParameterValue"),
        ({"TransportProtocol": "sctp"}, "InvalidParameterValue"),
        ({"VpnPort": 80}, "InvalidParameterValue"),
        ({"SessionTimeoutHours": 9}, "InvalidParameterValue"),
        ({"ClientLoginBannerOptions": {"Enabled": True, "BannerText": "x" * 1401}}, "InvalidParameterValue"),
        ({"AuthenticationOptions": [ALICE, SAML]}, "InvalidParameterValue"),
        ({"AuthenticationOptions": [{"Type": "certificate-authentication"}]}, "MissingParameter"),
        ({"ConnectionLogOptions": {"Enabled": True}}, "MissingParameter"),
        ({"ConnectionLogOptions": {"Enabled": True, "CloudwatchLogGroup": "none"}}, "InvalidParameterValue"),
        ({"VpcId": None}, "MissingParameter"),
        ({"SecurityGroupIds": ["sg-01234567"]}, "InvalidGroup.NotFound"),
        ({"ServerCertificateArn": "arn:aws:acm:us-west-2:111111111111:certificate/no"}, "InvalidParameterValue"),
        ({"DryRun": True}, "DryRunOperation"),
    ],
)
def test_requests_that_aws_refuses(vpn: Vpn, changes: dict[str, t.Any], code: str) -> None:
    refused(code, vpn.ec2.create_client_vpn_endpoint, **vpn.request(**changes))
    assert vpn.ec2.describe_client_vpn_endpoints()["ClientVpnEndpoints"] == []


@pytest.mark.parametrize(
    ("kind", "name", "fits"),
    [
        ("RSA_2048", "server.vpn.internal", True),
        ("RSA_1024", "server.vpn.internal", True),
        ("RSA_4096", "server.vpn.internal", False),
        ("EC_prime256v1", "server.vpn.internal", False),
        ("RSA_2048", "server", False),
    ],
)
def test_server_certificates_are_rsa_and_have_a_domain(vpn: Vpn, kind: str, name: str, fits: bool) -> None:
    arn = vpn.acm.import_certificate(**pair(kind, name))["CertificateArn"]
    assert vpn.acm.describe_certificate(CertificateArn=arn)["Certificate"]["KeyAlgorithm"] == kind
    if fits:
        vpn.create(ServerCertificateArn=arn)
    else:
        refused("InvalidParameterValue", vpn.create, ServerCertificateArn=arn)


def test_the_same_client_token_makes_one_endpoint(vpn: Vpn) -> None:
    first = vpn.create(ClientToken="once")
    assert vpn.create(ClientToken="once") == first
    refused("IdempotentParameterMismatch", vpn.create, ClientToken="once", SplitTunnel=False)
    assert vpn.create(ClientToken="twice") != first


def test_five_endpoints_a_region_and_pages_of_them(vpn: Vpn) -> None:
    made = [vpn.create() for _ in range(5)]
    refused("ClientVpnEndpointLimitExceeded", vpn.create)
    vpn.control.settings(page_size=2)
    pages = list(vpn.ec2.get_paginator("describe_client_vpn_endpoints").paginate())
    assert [len(page["ClientVpnEndpoints"]) for page in pages] == [2, 2, 1]
    assert [one["ClientVpnEndpointId"] for page in pages for one in page["ClientVpnEndpoints"]] == made
    chosen = [{"Name": "endpoint-id", "Values": made[3:4]}]
    found = vpn.ec2.describe_client_vpn_endpoints(Filters=chosen)["ClientVpnEndpoints"]
    assert [one["ClientVpnEndpointId"] for one in found] == made[3:4]


def test_what_can_be_modified(vpn: Vpn) -> None:
    endpoint = vpn.create()
    vpn.ec2.modify_client_vpn_endpoint(
        ClientVpnEndpointId=endpoint,
        DnsServers={"CustomDnsServers": ["10.1.0.2"], "Enabled": True},
        VpnPort=1194,
        Description="people",
        SplitTunnel=False,
        ClientLoginBannerOptions={"Enabled": True, "BannerText": "hello"},
    )
    shown = vpn.show(endpoint)
    assert (shown["DnsServers"], shown["VpnPort"], shown["Description"]) == (["10.1.0.2"], 1194, "people")
    assert (shown["SplitTunnel"], shown["ClientLoginBannerOptions"]["BannerText"]) == (False, "hello")
    vpn.ec2.modify_client_vpn_endpoint(ClientVpnEndpointId=endpoint, DnsServers={"Enabled": False})
    assert vpn.show(endpoint)["DnsServers"] == []
    refused("InvalidParameterValue", vpn.ec2.modify_client_vpn_endpoint, ClientVpnEndpointId=endpoint, VpnPort=1)


def test_a_deleted_endpoint_lingers_and_uses_its_certificate_until_it_is_gone(vpn: Vpn) -> None:
    vpn.control.settings(client_vpn_seconds=0.4, client_vpn_linger_seconds=0.4)
    endpoint = vpn.create()
    refused("ResourceInUseException", vpn.acm.delete_certificate, CertificateArn=vpn.server)
    used = vpn.acm.describe_certificate(CertificateArn=vpn.server)["Certificate"]["InUseBy"]
    assert [one.rsplit("/", 1)[1] for one in used] == [endpoint]
    assert vpn.ec2.delete_client_vpn_endpoint(ClientVpnEndpointId=endpoint)["Status"]["Code"] == "deleting"
    assert vpn.acm.describe_certificate(CertificateArn=vpn.server)["Certificate"]["InUseBy"] == used
    refused("IncorrectState", vpn.ec2.modify_client_vpn_endpoint, ClientVpnEndpointId=endpoint, VpnPort=1194)
    vpn.until(lambda: vpn.show(endpoint)["Status"]["Code"] == "deleted")
    assert vpn.show(endpoint)["DeletionTime"]
    assert vpn.acm.describe_certificate(CertificateArn=vpn.server)["Certificate"]["InUseBy"] == []
    vpn.until(lambda: not vpn.ec2.describe_client_vpn_endpoints()["ClientVpnEndpoints"])
    refused("InvalidClientVpnEndpointId.NotFound", vpn.show, endpoint=endpoint)


# Target networks


def test_an_association_brings_an_interface_a_route_and_the_endpoint_up(vpn: Vpn) -> None:
    vpn.control.settings(client_vpn_seconds=0.3)
    endpoint = vpn.create()
    made = vpn.ec2.associate_client_vpn_target_network(ClientVpnEndpointId=endpoint, SubnetId=vpn.subnets[0])
    assert made["Status"]["Code"] == "associating" and vpn.show(endpoint)["Status"]["Code"] == "pending-associate"
    assert vpn.routes(endpoint) == []
    vpn.until(lambda: vpn.networks(endpoint)[0]["Status"]["Code"] == "associated")
    shown = vpn.show(endpoint)
    assert shown["Status"]["Code"] == "available"
    assert shown["AssociatedTargetNetworks"] == [{"NetworkId": vpn.subnets[0], "NetworkType": "vpc"}]
    route = vpn.routes(endpoint)[0]
    assert (route["DestinationCidr"], route["Origin"], route["TargetSubnet"]) == (
        "10.1.0.0/16",
        "associate",
        vpn.subnets[0],
    )
    refused(
        "InvalidParameterValue",
        vpn.ec2.delete_client_vpn_route,
        ClientVpnEndpointId=endpoint,
        DestinationCidrBlock="10.1.0.0/16",
        TargetVpcSubnetId=vpn.subnets[0],
    )
    (interface,) = vpn.interfaces()
    assert interface["RequesterManaged"] and interface["SubnetId"] == vpn.subnets[0]
    refused("DependencyViolation", vpn.ec2.delete_security_group, GroupId=vpn.group)
    refused("DependencyViolation", vpn.ec2.delete_client_vpn_endpoint, ClientVpnEndpointId=endpoint)


def test_the_last_association_takes_routes_and_interface_along(vpn: Vpn) -> None:
    endpoint = vpn.associated()
    vpn.ec2.create_client_vpn_route(
        ClientVpnEndpointId=endpoint, DestinationCidrBlock="10.9.0.0/16", TargetVpcSubnetId=vpn.subnets[0]
    )
    vpn.until(lambda: vpn.routes(endpoint)[-1]["Status"]["Code"] == "active")
    vpn.connect(endpoint, "alice")
    (network,) = vpn.networks(endpoint)
    vpn.control.settings(client_vpn_seconds=0.3)
    association = {"ClientVpnEndpointId": endpoint, "AssociationId": network["AssociationId"]}
    left = vpn.ec2.disassociate_client_vpn_target_network(**association)
    assert left["Status"]["Code"] == "disassociating" and len(vpn.interfaces()) == 1
    vpn.until(lambda: not vpn.networks(endpoint))
    assert vpn.routes(endpoint) == [] and vpn.show(endpoint)["Status"]["Code"] == "pending-associate"
    assert len(vpn.interfaces()) == 1  # it outlives its association
    vpn.until(lambda: not vpn.interfaces())
    vpn.until(lambda: vpn.connections(endpoint)[0]["Status"]["Code"] == "terminated")
    code = "InvalidClientVpnAssociationIdNotFound"
    refused(code, vpn.ec2.disassociate_client_vpn_target_network, **association)


def test_subnets_that_do_not_fit(vpn: Vpn) -> None:
    endpoint = vpn.associated(subnet=1)
    other_vpc, foreign = vpn.network("10.7")
    small = vpn.ec2.create_subnet(VpcId=vpn.vpc, CidrBlock="10.1.9.0/28", AvailabilityZone="us-west-2c")
    cases = {
        vpn.subnets[1]: "InvalidClientVpnDuplicateAssociationException",
        vpn.subnets[2]: "InvalidClientVpnSubnetId.DuplicateAz",
        foreign[0]: "InvalidClientVpnSubnetId.NotFound",
        small["Subnet"]["SubnetId"]: "InvalidParameterValue",
        "subnet-01234567": "InvalidSubnetID.NotFound",
    }
    for subnet, code in cases.items():
        associate = vpn.ec2.associate_client_vpn_target_network
        refused(code, associate, ClientVpnEndpointId=endpoint, SubnetId=subnet)
    overlapping = vpn.create(ClientCidrBlock="10.1.0.0/22", VpcId=None, SecurityGroupIds=None)
    code = "InvalidClientVpnSubnetId.OverlappingCidr"
    associate = vpn.ec2.associate_client_vpn_target_network
    refused(code, associate, ClientVpnEndpointId=overlapping, SubnetId=vpn.subnets[0])
    assert len(vpn.networks(endpoint)) == 1 and vpn.networks(overlapping) == []


def test_an_association_can_fail_and_can_last(vpn: Vpn) -> None:
    endpoint = vpn.create()
    operation = {"operation": "AssociateClientVpnTargetNetwork"}
    vpn.control.faults({"kind": "fail_later", "code": "NoCapacity", "times": 1, **operation})
    associate = functools.partial(vpn.ec2.associate_client_vpn_target_network, ClientVpnEndpointId=endpoint)
    failed = associate(SubnetId=vpn.subnets[0])["AssociationId"]
    vpn.until(lambda: vpn.networks(endpoint)[0]["Status"]["Code"] == "association-failed")
    assert "NoCapacity" in vpn.networks(endpoint)[0]["Status"]["Message"]
    assert vpn.show(endpoint)["Status"]["Code"] == "pending-associate"
    vpn.ec2.disassociate_client_vpn_target_network(ClientVpnEndpointId=endpoint, AssociationId=failed)
    vpn.until(lambda: not vpn.networks(endpoint))
    vpn.control.faults({"kind": "polls", "polls": 3, **operation})
    associate(SubnetId=vpn.subnets[0])
    time.sleep(0.2)
    seen = [vpn.networks(endpoint)[0]["Status"]["Code"] for _ in range(4)]
    assert seen == ["associating"] * 3 + ["associated"]


def test_security_groups_are_replaced_on_all_interfaces(vpn: Vpn) -> None:
    endpoint = vpn.associated()
    other = vpn.ec2.create_security_group(GroupName=endpoint, Description="other", VpcId=vpn.vpc)["GroupId"]
    apply = vpn.ec2.apply_security_groups_to_client_vpn_target_network
    assert apply(ClientVpnEndpointId=endpoint, VpcId=vpn.vpc, SecurityGroupIds=[other])["SecurityGroupIds"] == [other]
    assert vpn.interfaces() == [] and vpn.networks(endpoint)[0]["SecurityGroups"] == [other]
    vpn.ec2.modify_client_vpn_endpoint(ClientVpnEndpointId=endpoint, VpcId=vpn.vpc, SecurityGroupIds=[vpn.group])
    assert len(vpn.interfaces()) == 1
    vpn.ec2.delete_security_group(GroupId=other)


# Rules and routes


def test_rules_come_and_go(vpn: Vpn) -> None:
    endpoint = vpn.create()
    everybody = {"ClientVpnEndpointId": endpoint, "TargetNetworkCidr": "10.1.0.0/16"}
    authorize, revoke = vpn.ec2.authorize_client_vpn_ingress, vpn.ec2.revoke_client_vpn_ingress
    made = authorize(**everybody, AuthorizeAllGroups=True, Description="nodes")
    assert made["Status"]["Code"] == "authorizing"
    refused("InvalidClientVpnDuplicateAuthorizationRule", authorize, **everybody, AuthorizeAllGroups=True)
    refused("InvalidParameterCombination", authorize, **everybody)
    authorize(**everybody, AccessGroupId="g-1")
    vpn.until(lambda: [rule["Status"]["Code"] for rule in vpn.rules(endpoint)] == ["active"] * 2)
    first, second = vpn.rules(endpoint)
    assert (first["AccessAll"], first["GroupId"], first["Description"]) == (True, "", "nodes")
    assert (second["AccessAll"], second["GroupId"]) == (False, "g-1")
    assert revoke(**everybody, RevokeAllGroups=True)["Status"]["Code"] == "revoking"
    vpn.until(lambda: [rule["GroupId"] for rule in vpn.rules(endpoint)] == ["g-1"])
    refused("InvalidClientVpnEndpointAuthorizationRuleNotFound", revoke, **everybody, RevokeAllGroups=True)


def test_routes_come_and_go(vpn: Vpn) -> None:
    endpoint = vpn.associated()
    route = {
        "ClientVpnEndpointId": endpoint,
        "DestinationCidrBlock": "10.9.0.0/16",
        "TargetVpcSubnetId": vpn.subnets[0],
    }
    create, delete = vpn.ec2.create_client_vpn_route, vpn.ec2.delete_client_vpn_route
    assert create(**route)["Status"]["Code"] == "creating"
    refused("InvalidClientVpnDuplicateRoute", create, **route)
    refused("InvalidParameterValue", create, **{**route, "DestinationCidrBlock": "10.250.0.0/16"})
    refused("InvalidClientVpnActiveAssociationNotFound", create, **{**route, "TargetVpcSubnetId": vpn.subnets[1]})
    by_hand = [{"Name": "origin", "Values": ["add-route"]}]
    found = vpn.ec2.describe_client_vpn_routes(ClientVpnEndpointId=endpoint, Filters=by_hand)["Routes"]
    assert [one["DestinationCidr"] for one in found] == ["10.9.0.0/16"]
    assert delete(**route)["Status"]["Code"] == "deleting"
    vpn.until(lambda: len(vpn.routes(endpoint)) == 1)
    refused("InvalidClientVpnRouteNotFound", delete, **route)


def test_too_many_changes_at_once_are_refused(vpn: Vpn) -> None:
    endpoint = vpn.create()
    vpn.control.settings(client_vpn_seconds=5)
    authorize = functools.partial(
        vpn.ec2.authorize_client_vpn_ingress, ClientVpnEndpointId=endpoint, AuthorizeAllGroups=True
    )
    for number in range(10):
        authorize(TargetNetworkCidr=f"10.{number}.0.0/16")
    refused("ConcurrentMutationLimitExceeded", authorize, TargetNetworkCidr="10.99.0.0/16")
    vpn.control.settings(client_vpn_seconds=0.05)


# Certificates and connections


def test_the_exported_configuration_names_the_endpoint_and_nobody(vpn: Vpn) -> None:
    endpoint = vpn.associated(TransportProtocol="tcp", VpnPort=1194)
    export = vpn.ec2.export_client_vpn_client_configuration
    lines = export(ClientVpnEndpointId=endpoint)["ClientConfiguration"].splitlines()
    assert f"remote {endpoint}.prod.clientvpn.us-west-2.amazonaws.com 1194" in lines
    assert {"client", "proto tcp", "remote-random-hostname", "verify-x509-name server.vpn.internal name"} <= set(lines)
    text = "\n".join(lines)
    assert pem(AUTHORITY).decode().strip() in text and "<cert>" not in text and "PRIVATE KEY" not in text


def test_a_revocation_list_ends_all_connections_and_refuses_the_revoked(vpn: Vpn) -> None:
    endpoint = vpn.associated()
    export = vpn.ec2.export_client_vpn_client_certificate_revocation_list
    load = vpn.ec2.import_client_vpn_client_certificate_revocation_list
    assert "CertificateRevocationList" not in export(ClientVpnEndpointId=endpoint)
    vpn.connect(endpoint, "alice", "a1")
    vpn.connect(endpoint, "mallory", "bad")
    assert [one["CommonName"] for one in vpn.connections(endpoint)] == ["alice", "mallory"]
    for wrong in ("no list", crl(signer=8)):
        refused("InvalidParameterValue", load, ClientVpnEndpointId=endpoint, CertificateRevocationList=wrong)
    load(ClientVpnEndpointId=endpoint, CertificateRevocationList=crl(0xBAD))
    vpn.until(lambda: {one["Status"]["Code"] for one in vpn.connections(endpoint)} == {"terminated"})
    shown = export(ClientVpnEndpointId=endpoint)
    assert shown["CertificateRevocationList"] == crl(0xBAD) and shown["Status"]["Code"] == "active"
    assert vpn.connect(endpoint, "mallory", "bad") is None
    assert vpn.connect(endpoint, "alice", "a1")["status"] == "active"


@pytest.mark.parametrize(("split", "ended"), [(True, True), (False, False)])
def test_a_new_route_ends_connections_of_a_split_tunnel_only(vpn: Vpn, split: bool, ended: bool) -> None:
    endpoint = vpn.associated(SplitTunnel=split)
    vpn.connect(endpoint, "alice")
    vpn.ec2.create_client_vpn_route(
        ClientVpnEndpointId=endpoint, DestinationCidrBlock="10.9.0.0/16", TargetVpcSubnetId=vpn.subnets[0]
    )
    vpn.until(lambda: vpn.routes(endpoint)[-1]["Status"]["Code"] == "active")
    time.sleep(0.4)
    assert (vpn.connections(endpoint)[0]["Status"]["Code"] == "terminated") is ended
    vpn.ec2.modify_client_vpn_endpoint(
        ClientVpnEndpointId=endpoint, DnsServers={"CustomDnsServers": ["10.1.0.2"], "Enabled": True}
    )
    vpn.until(lambda: vpn.connections(endpoint)[0]["Status"]["Code"] == "terminated")


def test_connections_are_ended_by_id(vpn: Vpn) -> None:
    endpoint = vpn.associated()
    made = vpn.connect(endpoint, "alice")
    terminate = functools.partial(vpn.ec2.terminate_client_vpn_connections, ClientVpnEndpointId=endpoint)
    refused("InvalidClientVpnConnection.IdNotFound", terminate, ConnectionId="cvpn-connection-0")
    refused("InvalidClientVpnConnection.UserNotFound", terminate, Username="alice")
    refused("InvalidParameterCombination", terminate)
    (status,) = terminate(ConnectionId=made["connection_id"])["ConnectionStatuses"]
    assert (status["PreviousStatus"]["Code"], status["CurrentStatus"]["Code"]) == ("active", "terminating")
    (shown,) = vpn.connections(endpoint)
    assert shown["Status"]["Code"] == "terminated" and shown["ConnectionEndTime"] != "-" and "Username" not in shown


def test_connections_are_written_to_the_log_group(vpn: Vpn) -> None:
    vpn.logs.create_log_group(logGroupName="/mlfleet/vpn")
    log = {"Enabled": True, "CloudwatchLogGroup": "/mlfleet/vpn", "CloudwatchLogStream": "connections"}
    endpoint = vpn.associated(ConnectionLogOptions=log)
    assert vpn.show(endpoint)["ConnectionLogOptions"] == log
    vpn.connect(endpoint, "alice")
    events = vpn.logs.get_log_events(logGroupName="/mlfleet/vpn", logStreamName="connections")["events"]
    assert [json.loads(event["message"])["common-name"] for event in events] == ["alice"]
    vpn.logs.put_retention_policy(logGroupName="/mlfleet/vpn", retentionInDays=30)
    (group,) = vpn.logs.describe_log_groups(logGroupNamePrefix="/mlfleet/vpn")["logGroups"]
    assert group["retentionInDays"] == 30


@pytest.mark.parametrize("kind", ["throttle", "cut_after", "hold"])
def test_faults_strike_these_calls_too(vpn: Vpn, account: t.Any, kind: str) -> None:
    endpoint = vpn.create()
    vpn.control.faults({"kind": kind, "operation": "AuthorizeClientVpnIngress", "times": 1})
    patient = account.client("ec2", attempts=3, read_timeout=1)
    call = functools.partial(patient.authorize_client_vpn_ingress, ClientVpnEndpointId=endpoint)
    call(TargetNetworkCidr="10.1.0.0/16", AuthorizeAllGroups=True)
    assert len(vpn.rules(endpoint)) == 1


# ACM


def test_importing_again_keeps_the_certificate_s_place(vpn: Vpn) -> None:
    tags = [{"Key": "team", "Value": "a"}]
    first = pair(number=1)
    arn = vpn.acm.import_certificate(**first, Tags=tags)["CertificateArn"]
    endpoint = vpn.create(ServerCertificateArn=arn)
    again = pair(number=2)
    refused("ValidationException", vpn.acm.import_certificate, **again, CertificateArn=arn, Tags=tags)
    refused("ValidationException", vpn.acm.import_certificate, **pair("EC_prime256v1"), CertificateArn=arn)
    assert vpn.acm.import_certificate(**again, CertificateArn=arn)["CertificateArn"] == arn
    found = vpn.acm.get_certificate(CertificateArn=arn)
    assert found["Certificate"].encode() == again["Certificate"]
    assert found["CertificateChain"].encode() == again["CertificateChain"]
    assert vpn.acm.list_tags_for_certificate(CertificateArn=arn)["Tags"] == tags
    shown = vpn.acm.describe_certificate(CertificateArn=arn)["Certificate"]
    assert [one.rsplit("/", 1)[1] for one in shown["InUseBy"]] == [endpoint]
    serial = x509.load_pem_x509_certificate(again["Certificate"]).serial_number
    assert int(shown["Serial"].replace(":", ""), 16) == serial


def test_a_key_that_does_not_belong_to_the_certificate_is_refused(vpn: Vpn) -> None:
    wrong = {**pair(number=1), "PrivateKey": pair(number=2)["PrivateKey"]}
    refused("ValidationException", vpn.acm.import_certificate, **wrong)


def test_a_listing_shows_other_keys_only_when_asked(vpn: Vpn) -> None:
    arn = vpn.acm.import_certificate(**pair("EC_prime256v1"))["CertificateArn"]

    def listed(**wanted: t.Any) -> set[str]:
        return {one["CertificateArn"] for one in vpn.acm.list_certificates(**wanted)["CertificateSummaryList"]}

    assert arn not in listed() and vpn.server in listed()
    assert listed(Includes={"keyTypes": ["EC_prime256v1"]}) >= {arn}
