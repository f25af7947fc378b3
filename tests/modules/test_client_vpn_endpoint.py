# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""client_vpn_endpoint end to end against the simulated API."""

from __future__ import annotations

import datetime

import pytest
import reported
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from modules.fixtures.client_vpn_place import certificate
from simulated.shape import changes_once, one_shape

MODULE, INFO = "client_vpn_endpoint", "client_vpn_endpoint_info"


def crl(key: rsa.RSAPrivateKey) -> str:
    """A revocation list of the authority that ``certificate`` creates with the key."""
    now = datetime.datetime.now(datetime.timezone.utc)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "server.vpn.example.com")])
    builder = x509.CertificateRevocationListBuilder().issuer_name(name).last_update(now)
    built = builder.next_update(now + datetime.timedelta(days=365)).sign(key, hashes.SHA256())
    return built.public_bytes(serialization.Encoding.PEM).decode()


def test_made_and_removed(lab, place):
    one_shape(lab, MODULE, present=place.options, absent={"vpc_id": place.vpc, "state": "absent", "poll_interval": 1})


def test_created_changed_and_removed(lab, place):
    lab.client("logs").create_log_group(logGroupName="/vpn")
    created = changes_once(lab, MODULE, **place.options)["client_vpn_endpoint"]
    assert created["status"] == "available" and created["split_tunnel"] is True
    assert created["subnets"] == place.subnets[:1]
    assert [(rule["cidr"], rule["status"]) for rule in created["authorization_rules"]] == [("10.1.0.0/16", "active")]
    assert [route["origin"] for route in created["routes"]] == ["associate"]
    assert created["tags"]["mlfleet.hyperpod/client-vpn"] == place.vpc
    changed = changes_once(
        lab,
        MODULE,
        **{
            **place.options,
            "subnets": place.subnets[1:2],
            "security_groups": place.groups,
            "authorization_rules": [{"cidr": "10.9.0.0/16", "description": "lab"}],
            "routes": [{"cidr": "10.9.0.0/16", "subnet": place.subnets[0]}],
            "dns_servers": ["10.1.0.2"],
            "vpn_port": 1194,
            "description": "people",
            "connection_log": {"log_group": "/vpn", "log_stream": "connections"},
            "session_hours": 8,
            "login_banner": "Be kind.",
            "route_enforcement": True,
            "disconnect_on_session_timeout": False,
            "tags": {"team": "research"},
        },
    )["client_vpn_endpoint"]
    assert sorted(changed["subnets"]) == sorted(place.subnets[:2])
    assert changed["security_groups"] == sorted(place.groups)
    assert {rule["cidr"] for rule in changed["authorization_rules"]} == {"10.1.0.0/16", "10.9.0.0/16"}
    emptied = changes_once(
        lab,
        MODULE,
        vpc_id=place.vpc,
        poll_interval=1,
        dns_servers=[],
        connection_log={},
        login_banner="",
        description="",
        tags={},
        subnets=[place.subnets[2]],
        purge_subnets=True,
        authorization_rules=[{"cidr": "10.1.0.0/16", "description": "all"}],
        purge_authorization_rules=True,
        routes=[],
        purge_routes=True,
    )["client_vpn_endpoint"]
    assert (emptied["dns_servers"], emptied["connection_log"], emptied["login_banner"]) == ([], None, "")
    assert emptied["subnets"] == [place.subnets[2]] and "team" not in emptied["tags"]
    assert [rule["description"] for rule in emptied["authorization_rules"]] == ["all"]
    removed = changes_once(lab, MODULE, vpc_id=place.vpc, state="absent", poll_interval=1)
    assert removed["client_vpn_endpoint"] == {"exists": False, "vpc_id": place.vpc}
    for group in place.groups:
        interfaces = lab.client("ec2").describe_network_interfaces(Filters=[{"Name": "group-id", "Values": [group]}])
        assert interfaces["NetworkInterfaces"] == []


def test_immutable_settings_recreate_the_endpoint_only_on_request(lab, place, key):
    first = lab.run(MODULE, **place.options)["client_vpn_endpoint"]
    ec2, revoked = lab.client("ec2"), crl(key)
    ec2.import_client_vpn_client_certificate_revocation_list(
        ClientVpnEndpointId=first["client_vpn_endpoint_id"], CertificateRevocationList=revoked
    )
    other = {"vpc_id": place.vpc, "client_cidr": "172.24.0.0/20", "poll_interval": 1}
    refused = lab.run(MODULE, **other)
    assert refused["failed"] and "client_cidr" in refused["msg"] and "recreate" in refused["msg"]
    assert lab.changes() == []
    waiting = lab.run(MODULE, **other, recreate=True, disruptive=False)
    assert not waiting["changed"] and lab.changes() == []
    assert waiting["deferred"][0]["field"] == "client_cidr" and waiting["deferred"][0]["profiles"]
    assert "every profile" in reported.texts_of(waiting, "pending")[0]
    second = changes_once(lab, MODULE, **other, recreate=True)["client_vpn_endpoint"]
    assert second["client_vpn_endpoint_id"] != first["client_vpn_endpoint_id"]
    assert second["client_cidr"] == "172.24.0.0/20" and second["subnets"] == first["subnets"]
    assert second["server_certificate_arn"] == first["server_certificate_arn"]
    assert [each["cidr"] for each in second["authorization_rules"]] == ["10.1.0.0/16"]
    exported = ec2.export_client_vpn_client_certificate_revocation_list(
        ClientVpnEndpointId=second["client_vpn_endpoint_id"]
    )
    assert exported["CertificateRevocationList"].strip() == revoked.strip() and exported["Status"]["Code"] == "active"


def test_connections_are_not_cut_unless_allowed(lab, place):
    endpoint = lab.run(MODULE, **place.options)["client_vpn_endpoint"]["client_vpn_endpoint_id"]
    lab.control("vpn-connect", {"endpoint_id": endpoint, "common_name": "alice"})
    wanted = {"vpc_id": place.vpc, "poll_interval": 1, "dns_servers": ["10.1.0.2"], "description": "people"}
    kept = lab.run(MODULE, **wanted, disruptive=False)
    assert [each["field"] for each in kept["changes"]] == ["description"]
    assert [(each["field"], each["disconnects"]) for each in kept["deferred"]] == [("dns_servers", ["alice"])]
    assert "alice" in reported.texts_of(kept, "pending")[0]
    second = lab.run(MODULE, **wanted, disruptive=False)
    assert not second["changed"] and lab.changes() == [] and second["deferred"] == kept["deferred"]
    connections = lab.run(INFO, vpc_id=place.vpc, connections=True)["client_vpn_endpoints"][0]["connections"]
    assert [(each["common_name"], each["status"], each["ended"]) for each in connections] == [("alice", "active", "")]
    loud = lab.run(MODULE, **wanted)
    assert loud["changed"] and loud["deferred"] == [] and loud["hyperpod_findings"] == []
    assert any("disconnects alice" in str(warning) for warning in loud["warnings"])


@pytest.mark.parametrize("kind", ["cut_after", "throttle"])
def test_lost_replies_and_throttling(lab, place, kind):
    options = {**place.options, "routes": [{"cidr": "10.9.0.0/16", "subnet": place.subnets[0]}]}
    for operation in (
        "CreateClientVpnEndpoint",
        "AssociateClientVpnTargetNetwork",
        "AuthorizeClientVpnIngress",
        "CreateClientVpnRoute",
    ):
        lab.fault(kind=kind, operation=operation, times=1)
    done = lab.run(MODULE, **options)
    assert not done.get("failed"), done
    second = lab.run(MODULE, **options)
    assert not second["changed"] and lab.changes() == []
    assert len(lab.run(INFO, vpc_id=place.vpc)["client_vpn_endpoints"]) == 1


def test_new_resources_become_visible_late(lab, place):
    """Late in the description, the first route and the final listing; only one endpoint is created."""
    invisible = {"kind": "error", "operation": "DescribeClientVpnEndpoints"}
    lab.fault(**invisible, code="InvalidClientVpnEndpointId.NotFound", after=1, times=1)
    lab.fault(kind="error", operation="CreateClientVpnRoute", code="InvalidClientVpnActiveAssociationNotFound", times=1)
    lab.fault(kind="error", operation="AuthorizeClientVpnIngress", code="InvalidClientVpnEndpointId.NotFound", times=1)
    options = {**place.options, "routes": [{"cidr": "10.9.0.0/16", "subnet": place.subnets[0]}]}
    done = lab.run(MODULE, **options)
    assert not done.get("failed"), done
    assert done["client_vpn_endpoint"]["status"] == "available"
    lab.fault(**invisible, code="InvalidClientVpnEndpointId.NotFound", after=1, times=2)
    second = lab.run(MODULE, **options)
    assert not second["changed"] and lab.changes() == [], "two empty replies create no second endpoint"


def test_subnets_are_associated_at_the_same_time(lab, place):
    lab.run(MODULE, **{**place.options, "subnets": place.subnets[:2]})
    calls = lab.calls()
    first = calls.index("AssociateClientVpnTargetNetwork")
    assert calls[first + 1] == "AssociateClientVpnTargetNetwork"
    lab.run(MODULE, vpc_id=place.vpc, state="absent", poll_interval=1)
    assert "RevokeClientVpnIngress" not in lab.calls(), "rules are removed with the endpoint"
    assert list(lab.changes()) == ["DisassociateClientVpnTargetNetwork"] * 2 + ["DeleteClientVpnEndpoint"]


def test_a_removal_continues_after_lost_replies(lab, place):
    lab.run(MODULE, **place.options, routes=[{"cidr": "10.9.0.0/16", "subnet": place.subnets[0]}])
    for operation in (
        "DeleteClientVpnRoute",
        "DisassociateClientVpnTargetNetwork",
        "DeleteClientVpnEndpoint",
    ):
        lab.fault(kind="cut_after", operation=operation, times=1)
    done = lab.run(MODULE, vpc_id=place.vpc, state="absent", poll_interval=1)
    assert done["changed"] and not done["client_vpn_endpoint"]["exists"]


def test_a_failed_association_is_reported_at_once_and_repaired_by_the_next_run(lab, place):
    lab.fault(kind="fail_later", operation="AssociateClientVpnTargetNetwork", times=1, code="NoRoom")
    failed = lab.run(MODULE, **place.options)
    assert failed["failed"] and place.subnets[0] in failed["msg"], failed
    assert "association-failed" in failed["msg"] and "NoRoom" in failed["msg"]
    assert [change["action"] for change in failed["changes"]] == ["create"]
    mended = lab.run(MODULE, **place.options)
    assert mended["client_vpn_endpoint"]["status"] == "available", mended
    assert not lab.run(MODULE, **place.options)["changed"]


def test_a_timeout_reports_the_last_state(lab, place):
    lab.fault(kind="polls", operation="AuthorizeClientVpnIngress", times=1, polls=8)
    late = lab.run(MODULE, **{**place.options, "wait_timeout": 3})
    assert late["failed"] and "authorization rule 10.1.0.0/16" in late["msg"] and "authorizing" in late["msg"]


def test_a_certificate_that_aws_would_refuse_is_never_sent(lab, place, key):
    acm = lab.client("acm")
    cases = {
        "EC_prime256v1": certificate(ec.generate_private_key(ec.SECP256R1())),
        "RSA_4096": certificate(rsa.generate_private_key(65537, 4096)),
        "domain form": certificate(key, "server"),
    }
    for message, bundle in cases.items():
        arn = acm.import_certificate(**bundle)["CertificateArn"]
        refused = lab.run(MODULE, **{**place.options, "server_certificate_arn": arn})
        assert refused["failed"] and arn in refused["msg"] and message in refused["msg"], refused
        assert lab.changes() == []


def test_foreign_endpoints_are_unchanged(lab, place):
    ec2 = lab.client("ec2")
    foreign = ec2.create_client_vpn_endpoint(
        ServerCertificateArn=place.certificate,
        AuthenticationOptions=[
            {
                "Type": "certificate-authentication",
                "MutualAuthentication": {"ClientRootCertificateChainArn": place.certificate},
            }
        ],
        ConnectionLogOptions={"Enabled": False},
        ClientCidrBlock="172.28.0.0/20",
        VpcId=place.vpc,
    )["ClientVpnEndpointId"]
    try:
        lab.run(MODULE, **place.options)
        removed = lab.run(MODULE, vpc_id=place.vpc, state="absent", poll_interval=1)
        assert removed["changed"]
        left = lab.run(INFO, vpc_id=place.vpc)["client_vpn_endpoints"]
        assert [each["client_vpn_endpoint_id"] for each in left] == [foreign]
        tagged = lab.run(INFO, tags={"mlfleet.hyperpod/component": "client_vpn"})
        assert tagged["client_vpn_endpoints"] == []
    finally:
        ec2.delete_client_vpn_endpoint(ClientVpnEndpointId=foreign)
