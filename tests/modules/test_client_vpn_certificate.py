# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""client_vpn_certificate against the simulated ACM."""

from __future__ import annotations

import datetime
import json
import threading
import time

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import (
    contents as pki_contents,
    crypto as pki_crypto,
)
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from simulated.shape import one_shape

VPC = "vpc-0123456789abcdef0"
SECRET = f"mlfleet/hyperpod/client-vpn/{VPC}/server"
OURS = {"mlfleet.hyperpod/component": "client_vpn", "mlfleet.hyperpod/client-vpn": VPC}
NOW = datetime.datetime.now(datetime.timezone.utc)


@pytest.fixture(autouse=True)
def _clean(lab):
    yield
    lab.control("faults", method="DELETE")
    acm = lab.client("acm")
    for each in acm.list_certificates()["CertificateSummaryList"]:
        acm.delete_certificate(CertificateArn=each["CertificateArn"])


def run(lab, **options):
    return lab.run("client_vpn_certificate", **{"vpc_id": VPC, **options})


def pki(lab, **options):
    return lab.run("client_vpn_pki", vpc_id=VPC, **options)["client_vpn_pki"]["server"]


def arns(lab):
    return [each["CertificateArn"] for each in lab.client("acm").list_certificates()["CertificateSummaryList"]]


def in_acm(lab, arn):
    return pki_crypto.read_certificate(lab.client("acm").get_certificate(CertificateArn=arn)["Certificate"])


def import_foreign(lab, *, tags=()):
    """Import a certificate of another team."""
    made = pki_crypto.make_authority("server.their.example", days=9, now=NOW)
    return lab.client("acm").import_certificate(
        Certificate=made.certificate.pem.encode(),
        PrivateKey=made.private_key.encode(),
        **({"Tags": tags} if tags else {}),
    )["CertificateArn"]


def keep(lab, key, name="server.vpn.example.com", secret=SECRET):
    """Create a secret with a self-signed certificate of this key."""
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    start, subject = NOW - datetime.timedelta(hours=1), pki_crypto._name(name)
    builder = pki_crypto._builder(subject, subject, key.public_key(), now=start, ends=NOW + datetime.timedelta(days=9))
    certificate = builder.sign(key, hashes.SHA256()).public_bytes(pem).decode()
    text = pki_contents.server_text(certificate, private, "")
    lab.client("secretsmanager").create_secret(Name=secret, SecretString=text)


def test_imported_and_removed(lab):
    pki(lab)
    one_shape(lab, "client_vpn_certificate", present={"vpc_id": VPC}, absent={"vpc_id": VPC, "state": "absent"})


def test_a_certificate_is_imported_once_with_our_tags(lab):
    other, server = import_foreign(lab), pki(lab)
    foreseen = run(lab, check=True)
    assert foreseen["changed"] and lab.changes() == []
    result = run(lab, fingerprint=server["fingerprint"], tags={"team": "research"})["client_vpn_certificate"]
    assert lab.changes() == ["ImportCertificate", "PutSecretValue"]
    assert result["certificate_arn"] != other
    assert (result["fingerprint"], result["not_after"]) == (server["fingerprint"], server["not_after"])
    assert result["key_algorithm"] == "RSA_2048"
    assert result["tags"] == {**OURS, "team": "research"}
    second = run(lab, fingerprint=server["fingerprint"])
    assert (second["changed"], lab.changes()) == (False, [])
    assert second["client_vpn_certificate"] == result


def test_a_renewed_one_keeps_its_arn(lab):
    pki(lab, server_days=31)
    first = run(lab)["client_vpn_certificate"]
    renewed = pki(lab, renew_before=100)
    result = run(lab, fingerprint=renewed["fingerprint"])
    assert lab.changes() == ["ImportCertificate"]
    assert lab.calls().count("ListCertificates") == 0, "no listing, because the secret records the ARN"
    assert result["client_vpn_certificate"]["certificate_arn"] == first["certificate_arn"]
    assert in_acm(lab, first["certificate_arn"]).fingerprint == renewed["fingerprint"]
    assert result["client_vpn_certificate"]["tags"] == OURS


def test_check_mode_without_a_secret(lab):
    result = run(lab, check=True, fingerprint="(known after apply)")
    assert result["changed"] and lab.changes() == []
    assert result["client_vpn_certificate"]["certificate_arn"] == "(known after apply)"
    refused = run(lab)
    assert refused["failed"] and f"Secret {SECRET} does not exist" in refused["msg"]


def test_check_mode_predicts_the_import_of_a_future_certificate(lab):
    pki(lab)
    arn = run(lab)["client_vpn_certificate"]["certificate_arn"]
    result = run(lab, check=True, fingerprint="(known after apply)")
    assert [(each["action"], each["after"]) for each in result["changes"]] == [("update", "(known after apply)")]
    assert result["client_vpn_certificate"]["certificate_arn"] == arn


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        (ec.generate_private_key(ec.SECP256R1()), "EC_secp256r1"),
        (rsa.generate_private_key(65537, 4096), "RSA_4096"),
    ],
)
def test_keys_that_client_vpn_rejects_are_refused_before_the_import(lab, key, kind):
    keep(lab, key)
    result = run(lab)
    assert result["failed"] and kind in result["msg"] and "RSA_2048" in result["msg"]
    assert lab.changes() == []


def test_another_certificate_than_expected_is_refused(lab):
    pki(lab)
    result = run(lab, fingerprint="0" * 64)
    assert result["failed"] and "was changed concurrently" in result["msg"]


@pytest.mark.parametrize("text", ["PRIVATE KEY", "{}", '{"certificate": "x", "private_key": "PRIVATE KEY"}'])
def test_an_invalid_secret_is_refused_and_not_shown(lab, text):
    lab.client("secretsmanager").create_secret(Name=SECRET, SecretString=text)
    result = run(lab)
    assert result["failed"] and "does not contain a certificate and its private key" in result["msg"]


def test_a_lost_reply_to_the_import_creates_no_second_certificate(lab):
    pki(lab)
    lab.fault(kind="cut_after", operation="ImportCertificate", times=1)
    result = run(lab)
    assert not result.get("failed"), result["msg"]
    assert arns(lab) == [result["client_vpn_certificate"]["certificate_arn"]]
    assert run(lab)["changed"] is False


def test_throttled_calls_are_retried(lab):
    pki(lab)
    lab.fault(kind="throttle", service="acm", operation="ImportCertificate", times=2)
    assert run(lab)["changed"] and len(arns(lab)) == 1


def tagged():
    return [{"Key": key, "Value": value} for key, value in OURS.items()]


def forget_arn(lab):
    """Remove the record of the ARN, as after a killed run or with an earlier release."""
    secrets = lab.client("secretsmanager")
    held = json.loads(secrets.get_secret_value(SecretId=SECRET)["SecretString"])
    del held["certificate_arn"]
    secrets.put_secret_value(SecretId=SECRET, SecretString=json.dumps(held))
    return held


def test_a_duplicate_certificate_is_removed(lab):
    """A killed run did not record its reply, or another machine did not see the first one."""
    pki(lab)
    run(lab)
    held = forget_arn(lab)
    material = {"Certificate": held["certificate"], "PrivateKey": held["private_key"], "CertificateChain": held["chain"]}
    encoded = {name: text.encode() for name, text in material.items()}
    lab.client("acm").import_certificate(**encoded, Tags=tagged())
    assert len(arns(lab)) == 2
    result = run(lab)
    assert lab.changes() == ["DeleteCertificate", "PutSecretValue"]
    assert arns(lab) == [result["client_vpn_certificate"]["certificate_arn"]]
    assert run(lab)["changed"] is False


def test_an_unrecorded_certificate_is_found_by_its_issuer(lab):
    pki(lab, server_days=31)
    first = run(lab)["client_vpn_certificate"]["certificate_arn"]
    forget_arn(lab)
    pki(lab, renew_before=100)
    foreseen = run(lab, check=True)
    result = run(lab)
    assert lab.changes() == ["ImportCertificate", "PutSecretValue"] and result["changes"] == foreseen["changes"]
    assert result["client_vpn_certificate"]["certificate_arn"] == first and arns(lab) == [first]


def test_our_tags_alone_do_not_prove_ownership(lab):
    """Foreign certificates with our tags are neither overwritten nor removed."""
    shop = import_foreign(lab, tags=tagged())
    before = in_acm(lab, shop)
    server = pki(lab)
    result = run(lab)
    assert result["client_vpn_certificate"]["certificate_arn"] != shop
    assert result["client_vpn_certificate"]["fingerprint"] == server["fingerprint"]
    assert f"Certificate {shop} was not changed. It has the tags" in lab.warnings(result)
    assert run(lab)["changed"] is False
    removed = run(lab, state="absent")
    assert arns(lab) == [shop] and in_acm(lab, shop) == before
    assert f"Certificate {shop} was not changed. It has the tags" in lab.warnings(removed)


def test_missing_tags_are_restored(lab):
    pki(lab)
    arn = run(lab)["client_vpn_certificate"]["certificate_arn"]
    lab.client("acm").remove_tags_from_certificate(CertificateArn=arn, Tags=tagged())
    result = run(lab, tags={"team": "research"})
    assert lab.changes() == ["AddTagsToCertificate"]
    assert result["client_vpn_certificate"]["tags"] == {**OURS, "team": "research"}
    changed = run(lab, tags={"team": "operations"})
    assert [(each["field"], each["before"], each["after"]) for each in changed["changes"]] == [
        ("tags.team", "research", "operations")
    ]
    assert lab.changes() == ["AddTagsToCertificate"]
    assert changed["client_vpn_certificate"]["tags"]["team"] == "operations"
    assert run(lab, state="absent")["changed"] and arns(lab) == []


def test_a_new_certificate_is_waited_for_until_acm_lists_it(lab):
    pki(lab)
    lab.control("settings", {"acm_seconds": 2})
    result = run(lab)
    assert not result.get("failed"), result["msg"]
    assert result["client_vpn_certificate"]["tags"] == OURS
    assert arns(lab) == [result["client_vpn_certificate"]["certificate_arn"]]


def test_a_renewed_server_certificate_keeps_the_record(lab):
    pki(lab, server_days=31)
    arn = run(lab)["client_vpn_certificate"]["certificate_arn"]
    pki(lab, renew_before=100)
    held = json.loads(lab.client("secretsmanager").get_secret_value(SecretId=SECRET)["SecretString"])
    assert held["certificate_arn"] == arn


def test_absent_removes_only_ours(lab):
    other = import_foreign(lab)
    pki(lab)
    run(lab)
    assert run(lab, state="absent", check=True)["changed"] and len(arns(lab)) == 2
    assert run(lab, state="absent")["client_vpn_certificate"] is None
    assert arns(lab) == [other]
    assert run(lab, state="absent")["changed"] is False


def test_absent_waits_while_the_certificate_is_in_use(lab, endpoint):
    server = run(lab, vpc_id=endpoint.vpc)["client_vpn_certificate"]
    assert endpoint.id in json.dumps(server["in_use_by"])
    result = run(lab, vpc_id=endpoint.vpc, state="absent", wait_timeout=1, poll_interval=1)
    assert result["failed"] and "in use by" in result["msg"] and endpoint.id in result["msg"]

    def release():
        deadline = time.monotonic() + 20
        while lab.calls().count("DescribeCertificate") < 3:  # a second listing shows that the module waits
            assert time.monotonic() < deadline, lab.calls()
            time.sleep(0.05)
        endpoint.remove()

    lab.control("reset-calls", {})
    thread = threading.Thread(target=release)
    thread.start()
    result = run(lab, vpc_id=endpoint.vpc, state="absent", wait_timeout=60, poll_interval=1)
    thread.join()
    assert not result.get("failed"), result["msg"]
    assert arns(lab) == []


def test_a_secret_scheduled_for_deletion_counts_as_missing(lab):
    pki(lab, people=["alice"])
    secrets = lab.client("secretsmanager")
    secrets.delete_secret(SecretId=SECRET)
    result = run(lab)
    assert result["failed"] and f"Secret {SECRET} does not exist" in result["msg"]
