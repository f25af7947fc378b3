# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections to the simulated Client VPN, their ends, and the certificates in ACM."""

from __future__ import annotations

import functools
import json
import time
import typing as t

import pytest
from client_vpn_account import AUTHORITY, Vpn, crl, pair, pem, refused
from cryptography import x509


def test_the_exported_configuration_has_the_endpoint_and_no_client_certificate(vpn: Vpn) -> None:
    endpoint = vpn.associated(TransportProtocol="tcp", VpnPort=1194)
    export = vpn.ec2.export_client_vpn_client_configuration
    lines = export(ClientVpnEndpointId=endpoint)["ClientConfiguration"].splitlines()
    assert f"remote {endpoint}.prod.clientvpn.us-west-2.amazonaws.com 1194" in lines
    assert {"client", "proto tcp", "remote-random-hostname", "verify-x509-name server.vpn.internal name"} <= set(lines)
    text = "\n".join(lines)
    assert pem(AUTHORITY).decode().strip() in text and "<cert>" not in text and "PRIVATE KEY" not in text


def test_a_revocation_list_ends_all_connections_and_refuses_revoked_certificates(vpn: Vpn) -> None:
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
def test_faults_apply_to_these_calls(vpn: Vpn, account: t.Any, kind: str) -> None:
    endpoint = vpn.create()
    vpn.control.faults({"kind": kind, "operation": "AuthorizeClientVpnIngress", "times": 1})
    patient = account.client("ec2", attempts=3, read_timeout=1)
    call = functools.partial(patient.authorize_client_vpn_ingress, ClientVpnEndpointId=endpoint)
    call(TargetNetworkCidr="10.1.0.0/16", AuthorizeAllGroups=True)
    assert len(vpn.rules(endpoint)) == 1


def test_a_second_import_keeps_the_arn_of_the_certificate(vpn: Vpn) -> None:
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


def test_a_listing_shows_other_keys_only_on_request(vpn: Vpn) -> None:
    arn = vpn.acm.import_certificate(**pair("EC_prime256v1"))["CertificateArn"]

    def listed(**wanted: t.Any) -> set[str]:
        return {one["CertificateArn"] for one in vpn.acm.list_certificates(**wanted)["CertificateSummaryList"]}

    assert arn not in listed() and vpn.server in listed()
    assert listed(Includes={"keyTypes": ["EC_prime256v1"]}) >= {arn}
