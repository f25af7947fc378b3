# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""client_vpn_pki: people are revoked in any state of their secret."""

from __future__ import annotations

import pytest
from modules.fixtures.pki import age, listed_serials, names, row
from simulated.vpn_pki import PREFIX, pki


def test_an_expired_certificate_is_not_listed(lab):
    pki(lab, people=["mallory"])
    age(lab, "mallory", 0)
    result = pki(lab, revoked=["mallory"])
    assert listed_serials(result) == [] and names(lab) == ["authority", "server"]


def test_revoking_signs_the_list_and_deletes_the_key(lab):
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
    second = pki(lab, people=["alice"], revoked=["mallory"])
    assert (second["changed"], lab.changes()) == (False, [])
    assert second["client_vpn_pki"]["crl"] == result["client_vpn_pki"]["crl"]


def test_a_returning_person_gets_a_new_certificate_and_the_old_one_stays_revoked(lab):
    old = row(pki(lab, people=["mallory"]), "mallory")["serial"]
    pki(lab, revoked=["mallory"])
    result = pki(lab, people=["mallory"])
    states = {each["serial"]: each["state"] for each in result["client_vpn_pki"]["people"]}
    assert states.pop(old) == "revoked"
    assert list(states.values()) == ["valid"]
    assert listed_serials(result) == [old]


@pytest.mark.parametrize("operation", ["PutSecretValue", "DeleteSecret"])
def test_an_interrupted_revocation_is_completed(lab, operation):
    serial = row(pki(lab, people=["mallory"]), "mallory")["serial"]
    lab.fault(kind="error", service="secretsmanager", operation=operation, code="InvalidRequestException", times=1)
    assert pki(lab, revoked=["mallory"])["failed"]
    result = pki(lab, revoked=["mallory"])
    assert listed_serials(result) == [serial]
    assert names(lab) == ["authority", "server"]
    assert result["client_vpn_pki"]["crl"]["number"] == 2


def test_a_person_whose_secret_is_scheduled_for_deletion_is_revoked(lab):
    serial = row(pki(lab, people=["mallory"]), "mallory")["serial"]
    lab.client("secretsmanager").delete_secret(SecretId=f"{PREFIX}/people/mallory")
    assert row(pki(lab, state="query"), "mallory")["state"] == "deleted"
    assert listed_serials(pki(lab, revoked=["mallory"])) == [serial]
    assert names(lab) == ["authority", "server"]
