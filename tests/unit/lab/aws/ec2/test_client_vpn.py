# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Endpoints of the simulated Client VPN: descriptions, refused requests, and deletion."""

from __future__ import annotations

import typing as t

import pytest
from client_vpn_account import TAG, Vpn, pair, refused


def test_an_endpoint_shows_the_requested_settings(vpn: Vpn) -> None:
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


def test_tags_change_and_only_the_tagging_api_finds_them(vpn: Vpn, account: t.Any) -> None:
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


DIRECTORY = {"Type": "directory-service-authentication", "ActiveDirectory": {"DirectoryId": "d-1234567890"}}
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
        ({"AuthenticationOptions": [DIRECTORY, SAML]}, "InvalidParameterValue"),
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


def test_the_same_client_token_creates_one_endpoint(vpn: Vpn) -> None:
    first = vpn.create(ClientToken="once")
    assert vpn.create(ClientToken="once") == first
    refused("IdempotentParameterMismatch", vpn.create, ClientToken="once", SplitTunnel=False)
    assert vpn.create(ClientToken="twice") != first


def test_five_endpoints_a_region_and_pages_of_them(vpn: Vpn) -> None:
    made = [vpn.create() for number in range(5)]
    refused("ClientVpnEndpointLimitExceeded", vpn.create)
    vpn.control.settings(page_size=2)
    pages = list(vpn.ec2.get_paginator("describe_client_vpn_endpoints").paginate())
    assert [len(page["ClientVpnEndpoints"]) for page in pages] == [2, 2, 1]
    assert [one["ClientVpnEndpointId"] for page in pages for one in page["ClientVpnEndpoints"]] == made
    chosen = [{"Name": "endpoint-id", "Values": made[3:4]}]
    found = vpn.ec2.describe_client_vpn_endpoints(Filters=chosen)["ClientVpnEndpoints"]
    assert [one["ClientVpnEndpointId"] for one in found] == made[3:4]


def test_modifiable_settings(vpn: Vpn) -> None:
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


def test_a_deleted_endpoint_is_listed_for_a_while_and_uses_its_certificate(vpn: Vpn) -> None:
    endpoint = vpn.create()
    refused("ResourceInUseException", vpn.acm.delete_certificate, CertificateArn=vpn.server)
    used = vpn.acm.describe_certificate(CertificateArn=vpn.server)["Certificate"]["InUseBy"]
    assert [one.rsplit("/", 1)[1] for one in used] == [endpoint]
    with vpn.account.held("client_vpn_linger_seconds"):
        with vpn.account.held("client_vpn_seconds"):
            assert vpn.ec2.delete_client_vpn_endpoint(ClientVpnEndpointId=endpoint)["Status"]["Code"] == "deleting"
            assert vpn.acm.describe_certificate(CertificateArn=vpn.server)["Certificate"]["InUseBy"] == used
            refused("IncorrectState", vpn.ec2.modify_client_vpn_endpoint, ClientVpnEndpointId=endpoint, VpnPort=1194)
        vpn.until(lambda: vpn.show(endpoint)["Status"]["Code"] == "deleted")
        assert vpn.show(endpoint)["DeletionTime"]
    assert vpn.acm.describe_certificate(CertificateArn=vpn.server)["Certificate"]["InUseBy"] == []
    vpn.until(lambda: not vpn.ec2.describe_client_vpn_endpoints()["ClientVpnEndpoints"])
    refused("InvalidClientVpnEndpointId.NotFound", vpn.show, endpoint=endpoint)
