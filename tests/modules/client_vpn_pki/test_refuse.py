# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""client_vpn_pki: which authorities it accepts, which secrets it owns, and which input it refuses."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.values import iso
from modules.fixtures.pki import given, row
from simulated.vpn_pki import NOW, PREFIX, VPC, held, pki


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


@pytest.mark.parametrize("code", ["AccessDeniedException", "DecryptionFailure"])
def test_an_authority_that_cannot_be_read_is_an_error(lab, code):
    pki(lab)
    lab.fault(kind="error", operation="GetSecretValue", code=code)
    result = pki(lab)
    assert result["failed"] and lab.changes() == []
    assert f"GetSecretValue for secret {PREFIX}/authority failed" in result["msg"]


@pytest.mark.parametrize("text", ["no JSON: PRIVATE KEY", '{"version": 1, "certificate": "PRIVATE KEY"}', "[]"])
def test_an_invalid_secret_is_refused_and_not_shown(lab, text):
    pki(lab)
    lab.client("secretsmanager").put_secret_value(SecretId=f"{PREFIX}/authority", SecretString=text)
    result = pki(lab, people=["alice"])
    assert result["failed"] and "does not contain an authority" in result["msg"]
    assert lab.changes() == []


@pytest.mark.parametrize("name", ["authority", "server", "people/alice"])
def test_a_foreign_secret_is_refused(lab, name):
    lab.client("secretsmanager").create_secret(Name=f"{PREFIX}/{name}", SecretString="{}")
    result = pki(lab, people=["alice"])
    assert result["failed"] and f"Secret {PREFIX}/{name}" in result["msg"]
    assert lab.changes() == []


@pytest.mark.parametrize("name", ["authority", "server", "people/alice"])
def test_a_secret_without_our_tag_is_refused(lab, name):
    pki(lab, people=["alice"])
    lab.client("secretsmanager").untag_resource(SecretId=f"{PREFIX}/{name}", TagKeys=["mlfleet.hyperpod/client-vpn"])
    result = pki(lab, people=["alice"], renew_before=100)
    assert result["failed"] and f"Secret {PREFIX}/{name} has no tag mlfleet.hyperpod/client-vpn={VPC}" in result["msg"]
    assert lab.changes() == []


def test_the_key_of_a_given_authority_is_not_stored(lab):
    authority = given()
    result = pki(lab, people=["alice"], authority=authority)
    assert result["client_vpn_pki"]["authority"]["certificate"] == authority["certificate"]
    assert held(lab, "authority")["private_key"] is None
    assert pki(lab, people=["alice"])["changed"] is False
    refused = pki(lab, people=["alice", "bob"])
    assert refused["failed"] and "authority.private_key: None is not allowed: certificate of bob needs a signature" in refused["msg"]
    assert lab.changes() == []
    assert pki(lab, people=["alice", "bob"], authority=authority)["changed"]


def test_another_authority_is_refused(lab):
    pki(lab)
    result = pki(lab, authority=given())
    assert result["failed"] and "a different authority would make every profile useless" in result["msg"]
    assert lab.changes() == []


def test_people_get_new_certificates_after_the_authority_was_deleted(lab):
    first = pki(lab, people=["alice"])
    lab.client("secretsmanager").delete_secret(SecretId=f"{PREFIX}/authority", ForceDeleteWithoutRecovery=True)
    second = pki(lab, people=["alice"])
    assert row(first, "alice")["serial"] != row(second, "alice")["serial"]
    assert held(lab, "server")["chain"] == second["client_vpn_pki"]["authority"]["certificate"]


def test_no_certificate_outlives_its_authority(lab):
    result = pki(lab, authority=given(days=30), people=["alice"])
    assert "The authority expires at" in lab.warnings(result)
    assert row(result, "alice")["not_after"] == iso(NOW + datetime.timedelta(days=30))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vpc_id": "default"}, "vpc_id: 'default' is not allowed"),
        ({"domain": "localhost"}, "domain: 'localhost' is not allowed"),
        ({"people": ["../x"]}, "people: '../x' is not allowed"),
        ({"people": [""]}, "people: '' is not allowed"),
        ({"people": ["a"], "revoked": ["a"]}, "revoked: 'a' is not allowed: it is also in people"),
        ({"server_days": 826}, "server_days: 826 is not allowed"),
        ({"renew_before": 365}, "renew_before: 365 is not allowed. Allowed: a number from 0 to 364"),
        ({"crl_days": 30}, "crl_renew_before: 30 is not allowed. Allowed: a number from 0 to 29"),
        ({"recovery_window": 6}, "recovery_window: 6 is not allowed"),
        ({"recovery_window": 31}, "recovery_window: 31 is not allowed"),
        ({"secret_prefix": "a b"}, "secret_prefix: 'a b' is not allowed"),
        ({"tags": {"mlfleet.hyperpod/x": "y"}}, "tags: 'mlfleet.hyperpod/x' is not allowed"),
        ({"authority": {"certificate": "PRIVATE KEY".lower()}}, "authority.certificate: '(not shown)' is not allowed"),
    ],
)
def test_bad_input_is_refused_before_any_call(lab, options, message):
    result = pki(lab, **options)
    assert result["failed"] and message in result["msg"]
    assert lab.calls() == []


def test_a_key_of_another_authority_is_refused_before_any_call(lab):
    mixed = {**given(), "private_key": given()["private_key"]}
    result = pki(lab, authority=mixed)
    assert result["failed"] and "Allowed: the key of the authority with fingerprint" in result["msg"]
    assert lab.calls() == []
