# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""client_vpn_pki against the simulated Secrets Manager: what is made, kept, renewed, revoked, refused and recovered."""

from __future__ import annotations

import datetime
import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import (
    contents as pki_contents,
    crypto as pki_crypto,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.values import iso
from cryptography import x509
from simulated.vpn_pki import NOW, PREFIX, VPC, held, pki


def tags_of(lab, name):
    about = lab.client("secretsmanager").describe_secret(SecretId=f"{PREFIX}/{name}")
    return {tag["Key"]: tag["Value"] for tag in about["Tags"]}


def names(lab):
    listed = lab.client("secretsmanager").list_secrets()["SecretList"]
    return sorted(each["Name"].removeprefix(f"{PREFIX}/") for each in listed)


def listed_serials(result):
    crl = x509.load_pem_x509_crl(result["client_vpn_pki"]["crl"]["pem"].encode())
    return sorted(f"{each.serial_number:x}" for each in crl)


def row(result, name):
    (found,) = [each for each in result["client_vpn_pki"]["people"] if each["name"] == name]
    return found


def age(lab, name, days):
    """Let a person's certificate look as if it ended in ``days``: in the ledger, in the tags and in the secret."""
    authority = held(lab, "authority")
    own = pki_crypto.read_certificate(authority["certificate"])
    made = pki_crypto.Signer(own, authority["private_key"]).person(name, days=days, now=NOW)
    secrets, secret = lab.client("secretsmanager"), f"{PREFIX}/people/{name}"
    text = pki_contents.person_text(name, made.certificate.pem, made.private_key)
    secrets.put_secret_value(SecretId=secret, SecretString=text)
    authority["issued"][name] = {made.certificate.serial: made.certificate.not_after}
    secrets.put_secret_value(SecretId=f"{PREFIX}/authority", SecretString=json.dumps(authority))
    tags = {
        "mlfleet.hyperpod/serial": made.certificate.serial,
        "mlfleet.hyperpod/not-after": made.certificate.not_after,
    }
    secrets.tag_resource(SecretId=secret, Tags=[{"Key": key, "Value": value} for key, value in tags.items()])
    return made.certificate.serial


def test_check_mode_of_an_empty_account_tells_everything_and_changes_nothing(lab):
    result = pki(lab, people=["alice"], check=True)
    assert result["changed"] and lab.changes() == []
    assert [each["resource"] for each in result["changes"]] == [
        f"secret {PREFIX}/authority",
        f"secret {PREFIX}/server",
        "certificate of alice",
    ]
    assert (row(result, "alice")["state"], row(result, "alice")["serial"]) == ("valid", "(known after apply)")
    assert result["client_vpn_pki"]["crl"]["number"] == 1


def test_everything_is_made_once(lab):
    first = pki(lab, people=["bob", "alice"])
    assert names(lab) == ["authority", "people/alice", "people/bob", "server"]
    again = pki(lab, people=["bob", "alice"])
    assert (again["changed"], lab.changes()) == (False, [])
    assert again["client_vpn_pki"] == first["client_vpn_pki"]


def test_what_is_made_fits_client_vpn(lab):
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


def test_people_who_are_not_named_are_left_alone(lab):
    pki(lab, people=["alice"])
    result = pki(lab, people=["bob"])
    assert [each["name"] for each in result["client_vpn_pki"]["people"]] == ["alice", "bob"]
    assert lab.changes() == ["PutSecretValue", "CreateSecret"]


def test_a_certificate_that_ends_soon_is_made_anew_and_both_are_revoked_later(lab):
    pki(lab, people=["mallory"])
    old = age(lab, "mallory", 20)
    assert row(pki(lab, state="query"), "mallory")["state"] == "due"
    assert pki(lab)["changed"] is False  # not named
    renewed = pki(lab, people=["mallory"])
    new = row(renewed, "mallory")["serial"]
    assert new != old and lab.changes() == ["PutSecretValue", "PutSecretValue", "TagResource"]
    assert listed_serials(renewed) == []
    assert listed_serials(pki(lab, revoked=["mallory"])) == sorted([old, new])


def test_a_certificate_that_has_ended_need_not_be_listed(lab):
    pki(lab, people=["mallory"])
    age(lab, "mallory", 0)
    result = pki(lab, revoked=["mallory"])
    assert listed_serials(result) == [] and names(lab) == ["authority", "server"]


def test_tags_that_a_dead_run_left_behind_are_put_right_without_a_new_certificate(lab):
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


def test_revoking_signs_the_list_and_forgets_the_key(lab):
    serial = row(pki(lab, people=["alice", "mallory"]), "mallory")["serial"]
    foreseen = pki(lab, people=["alice"], revoked=["mallory"], check=True)
    assert lab.changes() == [] and foreseen["client_vpn_pki"]["crl"]["number"] == 2
    result = pki(lab, people=["alice"], revoked=["mallory", "nobody"])
    assert lab.changes() == ["PutSecretValue", "DeleteSecret"]
    assert result["changes"] == foreseen["changes"]
    assert listed_serials(result) == [serial]
    assert [(each["serial"], each["name"]) for each in result["client_vpn_pki"]["crl"]["entries"]] == [
        (serial, "mallory")
    ]
    assert (row(result, "mallory")["state"], row(result, "mallory")["secret"]) == ("revoked", None)
    assert names(lab) == ["authority", "people/alice", "server"]
    again = pki(lab, people=["alice"], revoked=["mallory"])
    assert (again["changed"], lab.changes()) == (False, [])
    assert again["client_vpn_pki"]["crl"] == result["client_vpn_pki"]["crl"]


def test_who_comes_back_gets_a_new_certificate_and_the_old_one_stays_revoked(lab):
    old = row(pki(lab, people=["mallory"]), "mallory")["serial"]
    pki(lab, revoked=["mallory"])
    result = pki(lab, people=["mallory"])
    states = {each["serial"]: each["state"] for each in result["client_vpn_pki"]["people"]}
    assert states.pop(old) == "revoked"
    assert list(states.values()) == ["valid"]
    assert listed_serials(result) == [old]


@pytest.mark.parametrize("operation", ["PutSecretValue", "DeleteSecret"])
def test_a_revocation_that_was_cut_off_is_finished(lab, operation):
    serial = row(pki(lab, people=["mallory"]), "mallory")["serial"]
    lab.fault(kind="error", service="secretsmanager", operation=operation, code="InvalidRequestException", times=1)
    assert pki(lab, revoked=["mallory"])["failed"]
    result = pki(lab, revoked=["mallory"])
    assert listed_serials(result) == [serial]
    assert names(lab) == ["authority", "server"]
    assert result["client_vpn_pki"]["crl"]["number"] == 2


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_first_run_that_was_cut_off_is_finished_with_what_is_there(lab, after):
    lab.fault(kind="error", operation="CreateSecret", code="InternalServiceError", status=400, after=after, times=1)
    failed = pki(lab, people=["alice"])
    assert failed["failed"] and "CreateSecret" in failed["msg"]
    before = held(lab, "authority")["certificate"] if after else None
    result = pki(lab, people=["alice"])
    assert names(lab) == ["authority", "people/alice", "server"]
    assert before in (None, result["client_vpn_pki"]["authority"]["certificate"])


@pytest.mark.parametrize("operation", ["CreateSecret", "PutSecretValue", "TagResource", "DeleteSecret"])
def test_a_lost_answer_changes_nothing(lab, operation):
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


def test_throttling_is_waited_out(lab):
    lab.fault(kind="throttle", service="secretsmanager", probability=0.3, seed=7, times=6)
    result = pki(lab, people=["alice"])
    assert not result.get("failed"), result["msg"]
    assert names(lab) == ["authority", "people/alice", "server"]


def test_the_list_is_signed_anew_before_it_ends(lab):
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
    assert "every profile has to be written anew" in lab.warnings(moved)


def test_an_authority_that_is_scheduled_for_deletion_is_never_replaced(lab):
    pki(lab, people=["alice"])
    assert pki(lab, state="absent")["changed"]
    assert pki(lab, state="absent")["changed"] is False
    refused = pki(lab, people=["alice"])
    assert refused["failed"] and f"restore-secret --secret-id {PREFIX}/authority" in refused["msg"]
    assert lab.changes() == []
    lab.client("secretsmanager").restore_secret(SecretId=f"{PREFIX}/authority")
    result = pki(lab, people=["alice"])
    assert row(result, "alice")["state"] == "valid" and result["client_vpn_pki"]["server"]
    assert pki(lab, people=["alice"])["changed"] is False


def test_somebody_whose_secret_was_scheduled_for_deletion_is_revoked_all_the_same(lab):
    serial = row(pki(lab, people=["mallory"]), "mallory")["serial"]
    lab.client("secretsmanager").delete_secret(SecretId=f"{PREFIX}/people/mallory")
    assert row(pki(lab, state="query"), "mallory")["state"] == "deleted"
    assert listed_serials(pki(lab, revoked=["mallory"])) == [serial]
    assert names(lab) == ["authority", "server"]


@pytest.mark.parametrize("code", ["AccessDeniedException", "DecryptionFailure"])
def test_an_authority_that_cannot_be_read_is_an_error(lab, code):
    pki(lab)
    lab.fault(kind="error", operation="GetSecretValue", code=code)
    result = pki(lab)
    assert result["failed"] and lab.changes() == []
    assert f"GetSecretValue for secret {PREFIX}/authority failed" in result["msg"]


@pytest.mark.parametrize("text", ["no JSON: PRIVATE KEY", '{"version": 1, "certificate": "PRIVATE KEY"}', "[]"])
def test_a_secret_that_holds_something_else_is_refused_without_showing_it(lab, text):
    pki(lab)
    lab.client("secretsmanager").put_secret_value(SecretId=f"{PREFIX}/authority", SecretString=text)
    result = pki(lab, people=["alice"])
    assert result["failed"] and "does not hold an authority" in result["msg"]
    assert lab.changes() == []


@pytest.mark.parametrize("name", ["authority", "server", "people/alice"])
def test_a_secret_of_somebody_else_is_refused(lab, name):
    lab.client("secretsmanager").create_secret(Name=f"{PREFIX}/{name}", SecretString="{}")
    result = pki(lab, people=["alice"])
    assert result["failed"] and f"Secret {PREFIX}/{name}" in result["msg"]
    assert lab.changes() == []


@pytest.mark.parametrize("name", ["authority", "server", "people/alice"])
def test_a_secret_that_looks_like_ours_but_has_not_our_tag_is_refused(lab, name):
    pki(lab, people=["alice"])
    lab.client("secretsmanager").untag_resource(SecretId=f"{PREFIX}/{name}", TagKeys=["mlfleet.hyperpod/client-vpn"])
    result = pki(lab, people=["alice"], renew_before=100)
    assert result["failed"] and f"Secret {PREFIX}/{name} has no tag mlfleet.hyperpod/client-vpn={VPC}" in result["msg"]
    assert lab.changes() == []


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


def given(days=3650):
    made = pki_crypto.make_authority("example", days=days, now=NOW)
    return {"certificate": made.certificate.pem, "private_key": made.private_key}


def test_the_key_of_a_given_authority_is_not_stored(lab):
    authority = given()
    result = pki(lab, people=["alice"], authority=authority)
    assert result["client_vpn_pki"]["authority"]["certificate"] == authority["certificate"]
    assert held(lab, "authority")["private_key"] is None
    assert pki(lab, people=["alice"])["changed"] is False
    refused = pki(lab, people=["alice", "bob"])
    assert refused["failed"] and "authority.private_key: it is needed to sign (certificate of bob)" in refused["msg"]
    assert lab.changes() == []
    assert pki(lab, people=["alice", "bob"], authority=authority)["changed"]


def test_another_authority_is_refused(lab):
    pki(lab)
    result = pki(lab, authority=given())
    assert result["failed"] and "another authority would make every profile useless" in result["msg"]
    assert lab.changes() == []


def test_people_of_an_authority_that_is_gone_for_good_get_new_certificates(lab):
    first = pki(lab, people=["alice"])
    lab.client("secretsmanager").delete_secret(SecretId=f"{PREFIX}/authority", ForceDeleteWithoutRecovery=True)
    second = pki(lab, people=["alice"])
    assert row(first, "alice")["serial"] != row(second, "alice")["serial"]
    assert held(lab, "server")["chain"] == second["client_vpn_pki"]["authority"]["certificate"]


def test_no_certificate_outlives_its_authority(lab):
    result = pki(lab, authority=given(days=30), people=["alice"])
    assert "The authority ends" in lab.warnings(result)
    assert row(result, "alice")["not_after"] == iso(NOW + datetime.timedelta(days=30))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"vpc_id": "default"}, "vpc_id: 'default' is not allowed"),
        ({"domain": "localhost"}, "domain: 'localhost' is not allowed"),
        ({"people": ["../x"]}, "people: '../x' is not allowed"),
        ({"people": [""]}, "people: '' is not allowed"),
        ({"people": ["a"], "revoked": ["a"]}, "revoked: 'a' is not allowed; who is in people too"),
        ({"server_days": 826}, "server_days: 826 is not allowed"),
        ({"renew_before": 365}, "renew_before: 365 is not allowed; a number from 0 to 364"),
        ({"crl_days": 30}, "crl_renew_before: 30 is not allowed; a number from 0 to 29"),
        ({"recovery_window": 6}, "recovery_window: 6 is not allowed"),
        ({"secret_prefix": "a b"}, "secret_prefix: 'a b' is not allowed"),
        ({"tags": {"mlfleet.hyperpod/x": "y"}}, "tags: 'mlfleet.hyperpod/x' is not allowed"),
        ({"authority": {"certificate": "PRIVATE KEY".lower()}}, "authority.certificate: '(not shown)' is not allowed"),
    ],
)
def test_bad_input_is_refused_before_any_call(lab, options, words):
    result = pki(lab, **options)
    assert result["failed"] and words in result["msg"]
    assert lab.calls() == []


def test_a_key_that_does_not_fit_is_refused_before_any_call(lab):
    mixed = {**given(), "private_key": given()["private_key"]}
    result = pki(lab, authority=mixed)
    assert result["failed"] and "it does not belong to the authority" in result["msg"]
    assert lab.calls() == []
