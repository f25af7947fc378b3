# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""client_vpn_pki with late or missing replies: listings are minutes old, and deletions continue in the background."""

from __future__ import annotations

from simulated.vpn_pki import held, pki


def slow(lab, *, listing=300, deletion=1.5):
    lab.control("settings", {"listing_lag_seconds": listing, "forced_deletion_seconds": deletion})


def rows(result):
    return {each["name"]: each["state"] for each in result["client_vpn_pki"]["people"] if each["state"] != "revoked"}


def key(lab, name):
    return held(lab, f"people/{name}")["private_key"]


def test_a_lost_laptop_gets_a_new_certificate_in_the_same_secret(lab):
    """The next run, with an equally old listing, changes nothing."""
    slow(lab)
    before = pki(lab, people=["alice", "bob"])
    old, key_before = before["client_vpn_pki"]["people"][0]["serial"], key(lab, "alice")
    foreseen = pki(lab, people=["alice", "bob"], lost=["alice"], check=True)
    result = pki(lab, people=["alice", "bob"], lost=["alice"])
    assert not result.get("failed"), result["msg"]
    assert lab.changes() == ["PutSecretValue", "PutSecretValue", "PutSecretValue", "TagResource"]
    assert result["changes"] == foreseen["changes"]
    assert [(each["name"], each["serial"]) for each in result["client_vpn_pki"]["crl"]["entries"]] == [("alice", old)]
    assert rows(result) == {"alice": "valid", "bob": "valid"} and key(lab, "alice") != key_before
    assert pki(lab, people=["alice", "bob"])["changed"] is False


def test_lost_accepts_names_in_people_only(lab):
    result = pki(lab, people=["alice"], lost=["bob"])
    assert result["failed"] and "lost: 'bob' is not allowed. Allowed: names in people." in result["msg"]


def test_a_person_can_be_added_again_during_the_deletion(lab):
    pki(lab, people=["mallory"])
    slow(lab)
    pki(lab, revoked=["mallory"])
    result = pki(lab, people=["mallory"])
    assert not result.get("failed"), result["msg"]
    assert rows(result) == {"mallory": "valid"} and key(lab, "mallory")


def test_a_running_deletion_is_not_a_change(lab):
    """The next run starts while Secrets Manager still lists the deleted secret."""
    pki(lab, people=["mallory"])
    slow(lab, deletion=3600)
    first = pki(lab, revoked=["mallory"])
    second = pki(lab, revoked=["mallory"])
    lab.control("settings", {"forced_deletion_seconds": 0})
    assert (second["changed"], lab.changes()) == (False, [])
    assert second["client_vpn_pki"] == first["client_vpn_pki"]
    assert [each["state"] for each in second["client_vpn_pki"]["people"]] == ["revoked"]


def test_new_people_are_known_at_once(lab):
    pki(lab, people=["alice"])
    slow(lab)
    assert rows(pki(lab, people=["alice", "bob"])) == {"alice": "valid", "bob": "valid"}
    assert rows(pki(lab, state="query", people=["bob"])) == {"alice": "valid", "bob": "valid"}


def test_absent_also_removes_people_missing_from_the_listing(lab):
    pki(lab, people=["alice"])
    slow(lab, deletion=0)
    pki(lab, people=["alice", "bob"])
    pki(lab, state="absent", people=["alice", "bob"], force=True)
    lab.control("settings", {"listing_lag_seconds": 0})
    assert lab.client("secretsmanager").list_secrets()["SecretList"] == []


def test_a_stale_listing_restores_no_access(lab):
    """The deleted secret is still listed, but holds no certificate."""
    pki(lab, people=["alice", "mallory"])
    slow(lab, deletion=0)
    pki(lab, revoked=["mallory"])
    assert rows(pki(lab, state="query")) == {"alice": "valid"}


def test_a_broken_connection_fails_with_one_message(lab):
    lab.fault(kind="refuse", operation="DescribeSecret")
    result = lab.run("client_vpn_pki", vpc_id="vpc-0123456789abcdef0", aws_config={"retries": {"max_attempts": 1}})
    assert result["failed"]
    assert result["msg"].startswith(
        "DescribeSecret for secret mlfleet/hyperpod/client-vpn/vpc-0123456789abcdef0/authority"
    )
