# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""client_vpn_pki against the simulated Secrets Manager: certificates are created, kept, renewed, recovered and removed."""

from __future__ import annotations

import pytest
from cryptography import x509
from modules.fixtures.pki import age, listed_serials, names, row, tags_of
from simulated.shape import one_shape
from simulated.vpn_pki import PREFIX, VPC, held, pki


def test_made_and_removed(lab):
    one_shape(lab, "client_vpn_pki", present={"vpc_id": VPC, "people": ["alice"]}, absent={"vpc_id": VPC, "state": "absent", "force": True})


def test_check_mode_in_an_empty_account_predicts_all_changes_and_makes_none(lab):
    result = pki(lab, people=["alice"], check=True)
    assert result["changed"] and lab.changes() == []
    assert [each["resource"] for each in result["changes"]] == [
        f"secret {PREFIX}/authority",
        f"secret {PREFIX}/server",
        "certificate of alice",
    ]
    assert (row(result, "alice")["state"], row(result, "alice")["serial"]) == ("valid", "(known after apply)")
    assert result["client_vpn_pki"]["crl"]["number"] == 1


def test_everything_is_created_once(lab):
    first = pki(lab, people=["bob", "alice"])
    assert names(lab) == ["authority", "people/alice", "people/bob", "server"]
    second = pki(lab, people=["bob", "alice"])
    assert (second["changed"], lab.changes()) == (False, [])
    assert second["client_vpn_pki"] == first["client_vpn_pki"]


def test_certificates_meet_the_requirements_of_client_vpn(lab):
    result = pki(lab, people=["alice"], domain="vpn.example.com")["client_vpn_pki"]
    authority = x509.load_pem_x509_certificate(result["authority"]["certificate"].encode())
    server = x509.load_pem_x509_certificate(result["server"]["certificate"].encode())
    person = x509.load_pem_x509_certificate(held(lab, "people/alice")["certificate"].encode())
    for each in (server, person):
        each.verify_directly_issued_by(authority)
        assert each.public_key().key_size == 2048
    assert server.subject.rfc4514_string() == "CN=server.vpn.example.com"
    assert person.subject.rfc4514_string() == "CN=alice"
    alternatives = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert alternatives.get_values_for_type(x509.DNSName) == ["server.vpn.example.com"]
    with pytest.raises(x509.ExtensionNotFound):
        person.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    assert result["server"]["chain"] == result["authority"]["certificate"]
    tags = tags_of(lab, "people/alice")
    assert tags["mlfleet.hyperpod/serial"] == f"{person.serial_number:x}"
    assert tags["mlfleet.hyperpod/client-vpn"] == VPC
    crl = x509.load_pem_x509_crl(result["crl"]["pem"].encode())
    assert crl.is_signature_valid(authority.public_key()) and len(crl) == 0


def test_people_outside_the_options_are_unchanged(lab):
    pki(lab, people=["alice"])
    result = pki(lab, people=["bob"])
    assert [each["name"] for each in result["client_vpn_pki"]["people"]] == ["alice", "bob"]
    assert lab.changes() == ["PutSecretValue", "CreateSecret"]


def test_an_expiring_certificate_is_renewed_and_both_are_revoked_later(lab):
    pki(lab, people=["mallory"])
    old = age(lab, "mallory", 20)
    assert row(pki(lab, state="query"), "mallory")["state"] == "due"
    assert pki(lab)["changed"] is False  # not named
    renewed = pki(lab, people=["mallory"])
    new = row(renewed, "mallory")["serial"]
    assert new != old and lab.changes() == ["PutSecretValue", "PutSecretValue", "TagResource"]
    assert listed_serials(renewed) == []
    assert listed_serials(pki(lab, revoked=["mallory"])) == sorted([old, new])


def test_tags_left_by_a_killed_run_are_corrected_without_a_new_certificate(lab):
    pki(lab, people=["alice"])
    serial = row(pki(lab, state="query"), "alice")["serial"]
    secrets = lab.client("secretsmanager")
    secrets.tag_resource(
        SecretId=f"{PREFIX}/people/alice",
        Tags=[{"Key": "mlfleet.hyperpod/serial", "Value": "ab"}, {"Key": "mlfleet.hyperpod/not-after", "Value": "x"}],
    )
    result = pki(lab, people=["alice"])
    assert lab.changes() == ["TagResource"]
    assert row(result, "alice")["serial"] == serial


@pytest.mark.parametrize("after", [0, 1, 2])
def test_the_next_run_completes_an_interrupted_first_run(lab, after):
    lab.fault(kind="error", operation="CreateSecret", code="InternalServiceError", status=400, after=after, times=1)
    failed = pki(lab, people=["alice"])
    assert failed["failed"] and "CreateSecret" in failed["msg"]
    before = held(lab, "authority")["certificate"] if after else None
    result = pki(lab, people=["alice"])
    assert names(lab) == ["authority", "people/alice", "server"]
    assert before in (None, result["client_vpn_pki"]["authority"]["certificate"])


@pytest.mark.parametrize("operation", ["CreateSecret", "PutSecretValue", "TagResource", "DeleteSecret"])
def test_a_lost_reply_changes_nothing(lab, operation):
    if operation == "CreateSecret":
        lab.fault(kind="cut_after", operation=operation, times=1)
    pki(lab, people=["alice", "mallory"])
    age(lab, "alice", 20)
    if operation != "CreateSecret":
        lab.fault(kind="cut_after", operation=operation, times=1)
    result = pki(lab, people=["alice"], revoked=["mallory"])
    assert not result.get("failed"), result["msg"]
    assert names(lab) == ["authority", "people/alice", "server"]
    assert pki(lab, people=["alice"], revoked=["mallory"])["changed"] is False


def test_throttled_calls_are_retried(lab):
    lab.fault(kind="throttle", service="secretsmanager", probability=0.3, seed=7, times=6)
    result = pki(lab, people=["alice"])
    assert not result.get("failed"), result["msg"]
    assert names(lab) == ["authority", "people/alice", "server"]


def test_the_revocation_list_is_signed_again_before_it_expires(lab):
    first = pki(lab, crl_days=40)["client_vpn_pki"]["crl"]
    assert pki(lab, crl_days=40, crl_renew_before=39)["changed"] is False
    lab.control("reset-calls", {})
    second = pki(lab, crl_days=60, crl_renew_before=45)["client_vpn_pki"]["crl"]
    assert (first["number"], second["number"]) == (1, 2)
    assert second["next_update"] > first["next_update"]


def test_the_server_certificate_is_renewed_and_follows_the_domain(lab):
    first = pki(lab, server_days=31, domain="a.example.com")["client_vpn_pki"]["server"]
    second = pki(lab, renew_before=100, domain="a.example.com")["client_vpn_pki"]["server"]
    assert second["fingerprint"] != first["fingerprint"] and second["name"] == "server.a.example.com"
    moved = pki(lab, domain="b.example.com")
    assert moved["client_vpn_pki"]["server"]["name"] == "server.b.example.com"
    assert "Write and distribute every profile again" in lab.warnings(moved)


def test_absent_removes_only_ours(lab):
    pki(lab, people=["alice"])
    secrets = lab.client("secretsmanager")
    secrets.create_secret(Name=f"{PREFIX}/people/theirs", SecretString="{}")
    secrets.create_secret(Name=f"{PREFIX}x/authority", SecretString="{}")
    result = pki(lab, state="absent", force=True)
    assert names(lab) == ["mlfleet/hyperpod/client-vpn/vpc-0123456789abcdef0x/authority", "people/theirs"]
    assert "people/theirs has no tag" in lab.warnings(result)
    assert (result["client_vpn_pki"]["authority"], result["client_vpn_pki"]["people"]) == (None, [])
    assert pki(lab, people=["alice"])["changed"]
