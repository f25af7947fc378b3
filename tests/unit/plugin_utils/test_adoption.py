# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host keys that can be adopted, accounts that do not match, and the preview of changes."""

from __future__ import annotations

import base64
import struct

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import adoption

TYPES = ["ed25519", "rsa"]
LISTED = {"i-1": "login", "i-2": "login", "i-8": "controller", "i-9": "compute"}


def key(algorithm: str, text: str) -> str:
    parts = [part.encode() for part in (algorithm, text)]
    return f"{algorithm} {base64.b64encode(b''.join(struct.pack('>I', len(part)) + part for part in parts)).decode()}"


def pair(text: str) -> list[str]:
    return [key("ssh-ed25519", text), key("ssh-rsa", text)]


def found(**keys: list[str]) -> list[dict]:
    return [{"instance_id": f"i-{name[1:]}", "host_keys": lines} for name, lines in keys.items()]


ALIKE = found(n1=pair("a"), n2=pair("a"), n8=pair("b"), n9=pair("c"))


def test_keys_that_all_login_nodes_present_are_adopted():
    assert adoption.host_keys(ALIKE, LISTED, TYPES) == {
        "public_keys": pair("a"),
        "source": "i-1",
        "replaced": [],
        "unseen": [],
        "problem": "",
    }


def test_one_node_can_be_chosen_if_keys_differ():
    judged = adoption.host_keys(found(n1=pair("a"), n2=pair("x"), n9=pair("c")), LISTED, TYPES, "i-2")
    assert (judged["source"], judged["public_keys"], judged["problem"]) == ("i-2", pair("x"), "")
    assert (judged["replaced"], judged["unseen"]) == (["i-1"], ["i-8"])


def test_nodes_that_were_scanned_remotely_count_too():
    endpoints = [{"name": name, "host_keys": [{"public_key": line} for line in pair("a")]} for name in ("i-1", "i-2")]
    judged = adoption.host_keys(found(n1=pair("x")), LISTED, TYPES, "", endpoints)
    assert "present different host keys" in judged["problem"], "the answer of the node itself counts"
    judged = adoption.host_keys([], LISTED, TYPES, "", endpoints)
    assert (judged["public_keys"], judged["unseen"], judged["problem"]) == (pair("a"), ["i-8", "i-9"], "")
    assert adoption.host_keys([], LISTED, TYPES, "", [{"name": "i-1", "host_keys": []}])["problem"]


REFUSED = {
    "login nodes differ": (found(n1=pair("a"), n2=pair("x")), "", "present different host keys"),
    "one type differs": (found(n1=pair("a"), n2=[pair("a")[0], pair("x")[1]]), "", "present different host keys"),
    "one is not seen": (found(n1=pair("a")), "", "i-2 could not be read"),
    "none is seen": (found(n9=pair("a")), "", "No host keys of a login node"),
    "no such node": (ALIKE, "i-7", "adopt_from: 'i-7' is not allowed"),
    "no login node": (ALIKE, "i-9", "adopt_from: 'i-9' is not allowed"),
    "a compute node too": (found(n1=pair("a"), n2=pair("a"), n9=pair("a")), "", "with nodes that are not login nodes: i-9."),
    "a compute node too, one type": (
        found(n1=pair("a"), n2=pair("a"), n8=[pair("b")[0], pair("a")[1]]),
        "",
        "The login nodes share the rsa host key SHA256:",
    ),
    "a type is missing": (found(n1=pair("a")[:1], n2=pair("a")[:1]), "", "presents no rsa host key"),
}


@pytest.mark.parametrize(("nodes", "source", "words"), REFUSED.values(), ids=REFUSED)
def test_the_reason_why_keys_are_not_adopted_is_given(nodes, source, words):
    assert words in adoption.host_keys(nodes, LISTED, TYPES, source)["problem"]


def test_unwanted_key_types_do_not_count():
    nodes = found(n1=[*pair("a"), key("ecdsa-sha2-nistp256", "a")], n2=[*pair("a"), key("ecdsa-sha2-nistp256", "b")])
    assert adoption.host_keys(nodes, LISTED, TYPES)["problem"] == ""


def account(uid: int, shell: str = "/bin/bash") -> list:
    return ["x", str(uid), str(uid), "", "/fsx/home", shell]


def test_accounts_that_do_not_match_are_reported():
    accounts = {
        "alice": account(5001),
        "bob": account(20002),
        "carol": account(20003),
        "dave": account(5004),
        "daemon": account(1),
        "locked": account(5005, "/usr/sbin/nologin"),
        "hyperpod-ops": account(1001),
    }
    declared = [{"name": "alice", "uid": 20001}, {"name": "bob", "uid": 20002}, {"name": "eve", "uid": 20003}]
    nodes = [{"instance_id": f"i-{number}", "accounts": accounts} for number in range(6)]
    assert [sentence.partition(".")[0].partition(";")[0] for sentence in adoption.people(nodes, declared, "hyperpod-ops")] == [
        "alice is declared with UID 20001 but has 5001 on i-0, i-1 and 4 more",
        "UID 20003 is declared for eve but belongs to carol on i-0, i-1 and 4 more",
        "dave (UID 5004) is not declared but has an account on i-0, i-1 and 4 more",
    ]


def change(action: str, resource: str, field: str | None = None, before=None, after=None) -> dict:
    return {"action": action, "resource": resource, "field": field, "before": before, "after": after}


def test_changes_are_described_in_sentences():
    results = [
        {"changes": [change("update", "load balancer lb", "cross_zone", False, True), change("delete", "target x")]},
        {"changes": [change("update", "load balancer lb", "tags.owner", None, "me")]},
        {"changes": [change("update", "load balancer lb", "security_groups", [], ["sg-1"])]},
        {"node": "i-2", "changes": [change("create", "user alice")]},
        {"node": "i-1", "changes": [change("create", "user alice")]},
        {"failed": True},
    ]
    assert adoption.changes(results) == [
        "enforce would change cross_zone of load balancer lb from False to True.",
        "enforce would remove target x.",
        "enforce would change security_groups of load balancer lb from none to sg-1.",
        "enforce would create user alice on i-1, i-2.",
    ]


def test_invalid_changes_are_left_out():
    assert adoption.changes([{"changes": ["text", {"action": "create"}, None], "node": "i-1"}]) == []


LIES = [7, "x", ["x"], {"alice": 7}, {"alice": ["x"]}, {"alice": ["x", {}]}, {7: ["x", "y", ""]}]


@pytest.mark.parametrize("lie", LIES)
def test_malformed_answers_of_a_node_are_skipped(lie):
    nodes = [{"instance_id": "i-1", "accounts": lie}, {"instance_id": "i-2", "accounts": {"alice": account(5001)}}]
    (sentence,) = adoption.people(nodes, [{"name": "alice", "uid": 20001}], "hyperpod-ops")
    assert sentence.startswith("alice is declared with UID 20001 but has 5001 on i-2.")


@pytest.mark.parametrize("lie", [7, "x", [7], ["ssh-ed25519 AAAA"], [None, *pair("a")[:1]]])
def test_malformed_host_keys_are_skipped(lie):
    judged = adoption.host_keys(found(n1=pair("a"), n2=lie), LISTED, TYPES, "i-1")
    assert (judged["source"], judged["public_keys"]) == ("i-1", pair("a"))
