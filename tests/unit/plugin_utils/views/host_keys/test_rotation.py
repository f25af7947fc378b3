# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The published part of the secret, and the state of a rotation."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.host_keys import rotation

Variables = dict[str, t.Any]
OnCluster = t.Callable[..., Variables]
END = "2027-01-01T00:00:00Z"
ONE = {"generation": 1, "created": "2026-10-01T00:00:00Z"}
TWO = {"generation": 2, "created": "2026-11-01T00:00:00Z"}
UNKNOWN = {"type": "rsa", "public_key": "(known after apply)"}
A, B = ({"type": "ed25519", "public_key": f"ssh-ed25519 {each}"} for each in "AB")


@pytest.mark.parametrize(
    ("current", "previous", "lines"),
    [
        ([A], [B], ["ssh-ed25519 A"]),
        ([UNKNOWN, A], [B], ["ssh-ed25519 A"]),
        ([UNKNOWN], [B], ["ssh-ed25519 B"]),
        ([UNKNOWN], [], ["(known after apply)"]),
    ],
)
def test_keys_that_do_not_exist_yet_are_not_expected(current: list[t.Any], previous: list[t.Any], lines: list[str]) -> None:
    secret = {"host_keys": current, "previous_host_keys": previous, "next_host_keys": [B, UNKNOWN]}
    found = rotation.published({"__host_keys_secret": secret})
    assert found == rotation.Published(lines, ["ssh-ed25519 B", "(known after apply)"], ["ed25519", "rsa"])


def during(variables: Variables, state: t.Any, **given: t.Any) -> Variables:
    return {**variables, "hyperpod_run": {**variables["hyperpod_run"], "rotation": state}, **given}


def test_announced_host_keys_are_listed(variables: Variables) -> None:
    (found,) = rotation.rotation(during(variables, {"current": ONE, "next": TWO, "previous": None})).announced
    assert (found["code"], found["kind"]) == ("host-keys-announced", "note")
    assert "generation 2 have been announced since 2026-11-01T00:00:00Z, in addition to generation 1" in found["text"]
    assert rotation.rotation(during(variables, {"current": ONE, "next": None, "previous": None})).announced == []


@pytest.mark.parametrize(
    ("step", "changed", "previous", "expected"),
    [
        ("emergency", False, None, "knows only the previous host keys"),
        ("rollback", True, ONE, "connected while the new host keys were presented"),
        ("rollback", False, ONE, None),
        ("rollback", True, None, None),
        ("start", True, ONE, None),
        ("", True, ONE, None),
    ],
)
def test_users_who_are_locked_out_are_reported(variables: Variables, step: str, changed: bool, previous: t.Any, expected: str | None) -> None:
    given = {"host_keys_rotation": step, "__host_keys_secret": {"changed": changed}}
    found = rotation.rotation(during(variables, {"current": TWO, "next": None, "previous": previous}, **given)).locked_out
    assert [each["code"] for each in found] == ["known-hosts-needed"] * (expected is not None)
    assert all(expected is not None and expected in each["text"] and "alice, bob" in each["text"] for each in found)


def test_users_without_the_new_host_keys_are_reported(on_cluster: OnCluster) -> None:
    account = {"name": "alice", "last_login": {"time": "2026-11-02T00:00:00Z"}}
    seen = {"history_since": "2026-09-01T00:00:00Z", "accounts": [account]}
    given = during(on_cluster(ml_1={rotation.LOGINS: seen}, b_1={rotation.LOGINS: {"accounts": []}}), {"current": TWO})
    listed = [{"instance_id": f"i-ml-{each}", "node_type": kind} for each, kind in enumerate(("controller", "login", "login"))]
    found = rotation.learned({**given, "__host_keys_addresses": {"nodes": listed}})
    assert {each["code"] for each in found} == {"new-host-keys-not-learned"}
    missing, unasked = (each["text"] for each in found)
    assert missing.startswith("These users have not logged in since 2026-11-01T00:00:00Z, when the new host keys were announced: bob.")
    assert unasked.startswith("Login node i-ml-2 could not be read")


def test_the_expiry_of_host_certificates_is_read(on_cluster: OnCluster) -> None:
    made = [{"valid_until": END}, {"valid_until": None}, {"valid_until": END}]
    given = on_cluster(ml_1={"__host_keys_signed": {"host_certificates": made}}, ml_2={"__host_keys_signed": {"skipped": True}})
    assert rotation.ends(given) == [{"until": END, "days": 30}]


def test_certificates_of_another_cluster_are_ignored(on_cluster: OnCluster) -> None:
    signed = {"__host_keys_signed": {"host_certificates": [{"valid_until": END}]}}
    assert rotation.ends(on_cluster(b_1=signed, ml_3=signed)) == []


@pytest.mark.parametrize(
    ("state", "ends"), [(None, []), ({"next": None}, []), ({"next": {"created": END}}, [{"until": END, "days": -30}])]
)
def test_the_deadline_of_a_rotation_is_computed(variables: Variables, state: t.Any, ends: list[t.Any]) -> None:
    """Its finish must follow within this number of days after its start."""
    assert rotation.ends(during(variables, state)) == ends


@pytest.mark.parametrize(
    ("run", "given", "due"),
    [
        ({}, {}, True),
        ({"verified_nodes": ["i-ml-1"]}, {}, False),
        ({"rotation": {"settled": True}}, {}, False),
        ({"rotation": None}, {}, False),
        ({"parts": ["people", "verify"]}, {}, True),
        ({"parts": ["verify"]}, {}, False),
        ({}, {"ansible_check_mode": True}, False),
    ],
)
def test_previous_host_keys_are_removed_once_no_node_presents_them(
    variables: Variables, run: Variables, given: Variables, due: bool
) -> None:
    known = {**variables["hyperpod_run"], "rotation": {"settled": False}, "verified_nodes": ["i-ml-1", "i-ml-2"], **run}
    listed = [{"instance_id": f"i-ml-{each}", "node_type": kind} for each, kind in enumerate(("controller", "login", "login"))]
    found = rotation.settling({**variables, "hyperpod_run": known, "__host_keys_addresses": {"nodes": listed}, **given})
    assert found is due
