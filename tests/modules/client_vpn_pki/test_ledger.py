# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger keeps every issued certificate, whatever happens to the secrets and tags of people."""

from __future__ import annotations

import datetime
import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import (
    contents as pki_contents,
    crypto as pki_crypto,
    values as pki_values,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.values import iso
from simulated.vpn_pki import NOW, PREFIX, held, pki


def hold(lab, name, content):
    secrets = lab.client("secretsmanager")
    secrets.put_secret_value(SecretId=f"{PREFIX}/{name}", SecretString=json.dumps(content))


def tag(lab, name, **tags):
    tags = [{"Key": f"mlfleet.hyperpod/{key.replace('_', '-')}", "Value": value} for key, value in tags.items()]
    lab.client("secretsmanager").tag_resource(SecretId=f"{PREFIX}/people/{name}", Tags=tags)


def forget(lab, name):
    lab.client("secretsmanager").delete_secret(SecretId=f"{PREFIX}/people/{name}", ForceDeleteWithoutRecovery=True)


def serials(result):
    return {each["name"]: each["serial"] for each in result["client_vpn_pki"]["people"]}


def listed(result):
    return {each["name"]: each["serial"] for each in result["client_vpn_pki"]["crl"]["entries"]}


def without_ledger(lab):
    """Remove the ledger, as before the release that introduced it."""
    authority = held(lab, "authority")
    del authority["issued"]
    hold(lab, "authority", authority)


@pytest.mark.parametrize("bad", ["zz", "alice's"])
def test_a_wrong_serial_tag_is_ignored(lab, bad):
    given = serials(pki(lab, people=["alice", "mallory"]))
    tag(lab, "mallory", serial=given["alice"] if bad == "alice's" else bad)
    assert serials(pki(lab, state="query")) == given
    result = pki(lab, people=["alice"], revoked=["mallory"])
    assert not result.get("failed"), result["msg"]
    assert listed(result) == {"mallory": given["mallory"]}
    assert serials(result) == given


def test_a_tag_does_not_delay_a_renewal(lab):
    given = serials(pki(lab, people=["alice"], person_days=31))
    tag(lab, "alice", not_after=iso(NOW + datetime.timedelta(days=3000)))
    result = pki(lab, people=["alice"], person_days=400, renew_before=60)
    assert serials(result) != given and result["changed"]


def test_a_person_without_a_secret_is_revoked(lab):
    given = serials(pki(lab, people=["mallory"]))
    forget(lab, "mallory")
    (row,) = pki(lab, state="query")["client_vpn_pki"]["people"]
    assert (row["state"], row["serial"], row["secret"]) == ("issued", given["mallory"], None)
    result = pki(lab, revoked=["mallory", "nobody"])
    assert lab.changes() == ["PutSecretValue"]
    assert listed(result) == given
    assert result["client_vpn_pki"]["nothing_to_revoke"] == ["nobody"]
    second = pki(lab, revoked=["mallory"])
    assert (second["changed"], second["client_vpn_pki"]["nothing_to_revoke"]) == (False, [])


def test_certificates_of_a_lost_and_of_a_new_secret_are_both_revoked(lab):
    first = serials(pki(lab, people=["mallory"]))["mallory"]
    forget(lab, "mallory")
    second = serials(pki(lab, people=["mallory"]))["mallory"]
    entries = pki(lab, revoked=["mallory"])["client_vpn_pki"]["crl"]["entries"]
    assert {each["serial"] for each in entries} == {first, second}


def test_certificates_issued_before_the_ledger_are_added_once(lab):
    given = serials(pki(lab, people=["alice", "mallory"]))
    without_ledger(lab)
    mallory = held(lab, "people/mallory")
    mallory["earlier"] = [{"serial": "ef01", "not_after": iso(NOW + datetime.timedelta(days=9))}]
    hold(lab, "people/mallory", mallory)
    foreseen = pki(lab, people=["alice"], check=True)
    assert foreseen["changed"] and lab.changes() == []
    result = pki(lab, people=["alice"])
    assert lab.changes() == ["PutSecretValue"] and result["changes"] == foreseen["changes"]
    assert {name: set(serials) for name, serials in held(lab, "authority")["issued"].items()} == {
        "alice": {given["alice"]},
        "mallory": {given["mallory"], "ef01"},
    }
    assert pki(lab, people=["alice"])["changed"] is False
    forget(lab, "mallory")
    entries = pki(lab, revoked=["mallory"])["client_vpn_pki"]["crl"]["entries"]
    assert {each["serial"] for each in entries} == {given["mallory"], "ef01"}


def test_a_person_whose_secret_was_scheduled_for_deletion_before_the_ledger_is_revoked(lab):
    first = serials(pki(lab, people=["mallory"]))["mallory"]
    pki(lab, people=["mallory"], lost=["mallory"])
    second = pki_crypto.read_certificate(held(lab, "people/mallory")["certificate"]).serial
    without_ledger(lab)
    lab.client("secretsmanager").delete_secret(SecretId=f"{PREFIX}/people/mallory")
    foreseen = pki(lab, revoked=["mallory"], check=True)
    assert foreseen["client_vpn_pki"]["nothing_to_revoke"] == []
    late = {"operation": "GetSecretValue", "where": {"SecretId": f"{PREFIX}/people/mallory"}, "times": 1}
    lab.fault(kind="error", code="ResourceNotFoundException", **late)
    result = pki(lab, revoked=["mallory"])
    assert lab.changes() == ["RestoreSecret", "PutSecretValue", "DeleteSecret"]
    assert [each["resource"] for each in result["changes"]] == [each["resource"] for each in foreseen["changes"]]
    assert {each["serial"] for each in result["client_vpn_pki"]["crl"]["entries"]} == {first, second}
    assert pki(lab, revoked=["mallory"])["changed"] is False


def test_the_certificate_of_a_restored_secret_is_recorded_before_its_renewal(lab):
    first = serials(pki(lab, people=["mallory"]))["mallory"]
    without_ledger(lab)
    lab.client("secretsmanager").delete_secret(SecretId=f"{PREFIX}/people/mallory")
    second = serials(pki(lab, people=["mallory"]))["mallory"]
    assert set(held(lab, "authority")["issued"]["mallory"]) == {first, second}
    assert pki(lab, people=["mallory"])["changed"] is False


def test_expired_certificates_in_a_restored_ledger_do_not_block_revocation(lab):
    given = serials(pki(lab, people=["alice", "mallory"]))
    hold(lab, "authority", {**held(lab, "authority"), "issued": {"eve": {"ab": iso(NOW - datetime.timedelta(days=1))}}})
    result = pki(lab, people=["alice"], revoked=["mallory"])
    assert not result.get("failed"), result["msg"]
    assert listed(result) == {"mallory": given["mallory"]}


def test_a_foreign_secret_does_not_block_the_others(lab):
    pki(lab, people=["alice", "bob"])
    without_ledger(lab)
    lab.client("secretsmanager").put_secret_value(SecretId=f"{PREFIX}/people/bob", SecretString="no JSON")
    assert not pki(lab, people=["alice"]).get("failed")
    assert set(held(lab, "authority")["issued"]) == {"alice"}


def test_a_certificate_is_recorded_before_its_secret_is_created(lab):
    pki(lab)
    lab.fault(kind="error", operation="CreateSecret", code="InternalServiceError", times=1)
    assert pki(lab, people=["mallory"])["failed"]
    recorded = list(held(lab, "authority")["issued"]["mallory"])
    second = serials(pki(lab, people=["mallory"]))["mallory"]
    entries = pki(lab, revoked=["mallory"])["client_vpn_pki"]["crl"]["entries"]
    assert {each["serial"] for each in entries} == {*recorded, second}
    assert held(lab, "authority")["issued"] == {}


def test_a_full_ledger_allows_revocation_only(lab):
    pki(lab, people=["mallory"])
    authority, ends = held(lab, "authority"), iso(NOW + datetime.timedelta(days=90))
    authority["issued"]["crowd"] = {f"{number:040x}": ends for number in range(800)}
    hold(lab, "authority", authority)
    full = pki(lab, people=["bob"])
    assert full["failed"] and "802 issued and 0 revoked certificates" in full["msg"]
    assert lab.changes() == []
    assert set(listed(pki(lab, revoked=["mallory"]))) == {"mallory"}


def test_expired_certificates_are_removed_from_the_ledger(lab):
    pki(lab, people=["alice"])
    authority = held(lab, "authority")
    authority["issued"]["eve"] = {"ab": iso(NOW - datetime.timedelta(days=1))}
    hold(lab, "authority", authority)
    assert pki(lab, people=["alice"])["changed"] is False
    pki(lab, people=["alice", "bob"])
    assert set(held(lab, "authority")["issued"]) == {"alice", "bob"}


def test_an_invalid_ledger_is_an_error(lab):
    pki(lab)
    hold(lab, "authority", {**held(lab, "authority"), "issued": {"alice": {"zz": "soon"}}})
    result = pki(lab)
    assert result["failed"] and "does not contain an authority" in result["msg"]


def test_a_ledger_of_600_certificates_fits_into_a_secret():
    authority = pki_crypto.make_authority("example", days=9, now=NOW)
    issued = [pki_values.Issued(f"person{number:03d}", f"{number:040x}", iso(NOW)) for number in range(600)]
    text = pki_contents.authority_text(authority.certificate.pem, authority.private_key, None, (), issued)
    assert len(text) < pki_contents.LARGEST - pki_contents.FOR_REVOCATIONS
