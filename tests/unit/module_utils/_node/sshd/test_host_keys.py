# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host keys: reading, refusing and planning."""

from __future__ import annotations

import base64
import subprocess

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Refused, Secret
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import host_keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh import keys as ssh_keys


def generate(folder, key_type, passphrase="", pem=False):
    path = folder / f"{key_type}{passphrase}{pem}"
    extra = ["-m", "PEM"] if pem else []
    subprocess.run(
        ["ssh-keygen", "-q", "-t", key_type, "-N", passphrase, "-C", "shared@login", *extra, "-f", path], check=True
    )
    return {"private": path.read_text(), "public": path.with_name(path.name + ".pub").read_text()}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    made = {key_type: generate(folder, key_type) for key_type in ssh_keys.HOST_KEY_TYPES}
    made["other"] = generate(tmp_path_factory.mktemp("other"), "ed25519")
    made["locked"] = generate(folder, "ed25519", passphrase="secret")
    made["pem"] = generate(folder, "rsa", pem=True)
    return made


@pytest.mark.parametrize("key_type", ssh_keys.HOST_KEY_TYPES)
def test_private_key_holds_its_public_key(pairs, key_type):
    inside = ssh_keys.parse_private(pairs[key_type]["private"])
    assert inside == ssh_keys.parse_public(pairs[key_type]["public"])
    assert inside.type == key_type
    assert pairs[key_type]["public"].startswith(inside.line)


def test_fingerprint_is_that_of_ssh_keygen(pairs, tmp_path):
    (tmp_path / "key.pub").write_text(pairs["ed25519"]["public"])
    listed = subprocess.run(["ssh-keygen", "-lf", tmp_path / "key.pub"], capture_output=True, text=True, check=True)
    assert ssh_keys.parse_public(pairs["ed25519"]["public"]).fingerprint in listed.stdout


@pytest.mark.parametrize(
    "text, reason",
    [
        ("", "not one line"),
        ("ssh-ed25519", "not one line"),
        ("ssh-ed25519 AAAA\nssh-rsa AAAA", "not one line"),
        ("ssh-ed25519 !!!!", "base64"),
        ("ssh-ed25519 AAAAC3Nz", "base64"),
        ("ssh-ed25519 AAAA\nssh-ed25519 AAAA", "not one line"),
        ("ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm", "another algorithm"),
    ],
)
def test_bad_public_key(text, reason):
    with pytest.raises(ssh_keys.BadKey, match=reason):
        ssh_keys.parse_public(text)


def swapped(pairs):
    return {"private": pairs["ed25519"]["private"], "public": pairs["other"]["public"]}


@pytest.mark.parametrize(
    "keys, words",
    [
        (lambda p: {}, ["keys:", "empty set"]),
        (lambda p: {"ed25519": None}, ["keys:", "empty set"]),
        (lambda p: {"ed25519": swapped(p)}, ["keys.ed25519", "not a pair", "SHA256:"]),
        (lambda p: {"rsa": p["ed25519"]}, ["keys.rsa.public", "ed25519", "rsa key is expected"]),
        (lambda p: {"ed25519": p["locked"]}, ["keys.ed25519.private", "passphrase"]),
        (lambda p: {"rsa": p["pem"]}, ["keys.rsa.private", "OPENSSH"]),
        (lambda p: {"rsa": {**p["rsa"], "private": p["rsa"]["private"][:-200]}}, ["keys.rsa.private", "OPENSSH"]),
        (lambda p: {"rsa": {**p["rsa"], "public": "x"}}, ["keys.rsa.public", "not one line"]),
    ],
)
def test_refused_without_showing_the_key(pairs, keys, words):
    given = keys(pairs)
    with pytest.raises(Refused) as caught:
        host_keys.desired_from(given)
    for word in words:
        assert word in str(caught.value)
    for pair in given.values():
        for line in (pair or {}).get("private", "").splitlines():
            assert line not in str(caught.value)


def test_ssh_keygen_sees_what_the_clear_copy_hides(pairs):
    """A container whose clear public half was exchanged passes the parser, not ssh-keygen."""
    wanted = host_keys.desired_from({"ed25519": pairs["ed25519"]})
    host_keys.check_with_ssh_keygen(wanted)
    other = ssh_keys.parse_public(pairs["other"]["public"])
    forged = host_keys.HostKey(public=other, comment="", private=pairs["ed25519"]["private"])
    with pytest.raises(Refused, match="belongs to"):
        host_keys.check_with_ssh_keygen([forged])


def test_a_key_that_only_its_clear_copy_holds_is_refused(pairs):
    lines = pairs["ed25519"]["private"].strip().split("\n")
    container = bytearray(base64.b64decode("".join(lines[1:-1])))
    container[container.rfind(b"ssh-ed25519") + 10] ^= 1  # the type in the secret part
    spoilt = "\n".join([lines[0], base64.b64encode(container).decode(), lines[-1], ""])
    wanted = host_keys.desired_from({"ed25519": {**pairs["ed25519"], "private": spoilt}})
    with pytest.raises(Refused, match="ssh-keygen can't read this key"):
        host_keys.check_with_ssh_keygen(wanted)


def state_of(pairs, *types, mode=0o600, gid=0, ssh_keys_group=None):
    wanted = host_keys.desired_from({key_type: pairs[key_type] for key_type in types}) if types else ()
    return host_keys.State(
        private={key.type: host_keys.FileState(Secret.of(key.private), mode, 0, gid) for key in wanted},
        public={key.type: host_keys.FileState(Secret.of(pairs[key.type]["public"]), 0o644, 0, 0) for key in wanted},
        keys={key.type: key.public for key in wanted},
        ssh_keys_group=ssh_keys_group,
    )


def files_of(plan):
    return {file.path: file for step in plan.steps for file in step.arguments["files"]}


def test_plan_creates_what_is_missing(pairs):
    wanted = host_keys.desired_from({"ed25519": pairs["ed25519"], "rsa": pairs["rsa"]})
    plan = host_keys.plan(wanted, state_of(pairs, "ed25519"))
    assert [(change.action, change.resource) for change in plan.changes] == [("create", "rsa host key")]
    files = files_of(plan)
    assert sorted(files) == ["/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_rsa_key.pub"]
    assert files["/etc/ssh/ssh_host_rsa_key"].mode == 0o600
    assert files["/etc/ssh/ssh_host_rsa_key.pub"].mode == 0o644
    assert set(plan.predicted.keys) == {"ed25519", "rsa"}


def test_plan_is_empty_when_all_is_there(pairs):
    wanted = host_keys.desired_from({"ed25519": pairs["ed25519"]})
    plan = host_keys.plan(wanted, state_of(pairs, "ed25519", "rsa"))
    assert not plan
    assert [(key["type"], key["managed"]) for key in host_keys.describe(wanted, plan.predicted)] == [
        ("ed25519", True),
        ("rsa", False),
    ]


def announced(pairs):
    """The same keys as the announced ones of a node that presents others."""
    found = state_of(pairs, "ed25519", "rsa")
    return host_keys.State(
        private={"ed25519": found.private["rsa"], "ed25519_next": found.private["ed25519"]},
        public={"ed25519": found.public["rsa"], "ed25519_next": found.public["ed25519"]},
        keys={"ed25519": found.keys["rsa"], "ed25519_next": found.keys["ed25519"]},
        ssh_keys_group=None,
    )


def test_next_keys_are_installed_beside_the_others(pairs):
    current = host_keys.desired_from({"ed25519": pairs["other"]})
    following = host_keys.desired_next({"ed25519": pairs["ed25519"], "rsa": None}, current)
    found = state_of({"ed25519": pairs["other"]}, "ed25519")
    plan = host_keys.plan((*current, *following), found, exact_next=True)
    assert [(change.action, change.resource) for change in plan.changes] == [("create", "next ed25519 host key")]
    files = files_of(plan)
    assert sorted(files) == ["/etc/ssh/ssh_host_ed25519_key_next", "/etc/ssh/ssh_host_ed25519_key_next.pub"]
    assert files["/etc/ssh/ssh_host_ed25519_key_next"].mode == 0o600
    described = host_keys.describe((*current, *following), plan.predicted)
    assert [(key["type"], key["next"], key["managed"]) for key in described] == [
        ("ed25519", False, True),
        ("ed25519", True, True),
    ]


@pytest.mark.parametrize("exact, actions", [(True, ["update", "delete"]), (False, ["update"])])
def test_a_promoted_key_leaves_its_second_place(pairs, exact, actions):
    wanted = host_keys.desired_from({"ed25519": pairs["ed25519"]})
    plan = host_keys.plan(wanted, announced(pairs), exact_next=exact)
    assert [change.action for change in plan.changes] == actions
    removed = [path for path, file in files_of(plan).items() if file.content is None]
    assert removed == (["/etc/ssh/ssh_host_ed25519_key_next", "/etc/ssh/ssh_host_ed25519_key_next.pub"] if exact else [])
    assert ("ed25519_next" in plan.predicted.keys) is not exact


def test_a_key_is_not_announced_twice(pairs):
    current = host_keys.desired_from({"ed25519": pairs["ed25519"]})
    assert host_keys.desired_next({}, current) == ()
    with pytest.raises(Refused, match="^next_keys.ed25519: SHA256:.* is among keys, too"):
        host_keys.desired_next({"ed25519": pairs["ed25519"]}, current)
    with pytest.raises(Refused, match="^next_keys.rsa.private: "):
        host_keys.desired_next({"rsa": pairs["pem"]}, current)


@pytest.mark.parametrize(
    "found, group, expected",
    [
        ((0o600, 0), None, None),
        ((0o640, 990), 990, None),
        ((0o600, 0), 990, None),
        ((0o644, 0), None, (0o600, 0)),
        ((0o640, 5), 990, (0o640, 990)),
    ],
)
def test_mode_and_group_follow_the_distribution(pairs, found, group, expected):
    wanted = host_keys.desired_from({"ed25519": pairs["ed25519"]})
    state = state_of(pairs, "ed25519", mode=found[0], gid=found[1], ssh_keys_group=group)
    files = files_of(host_keys.plan(wanted, state))
    private = files.get("/etc/ssh/ssh_host_ed25519_key")
    assert (private and (private.mode, private.gid)) == expected


def test_no_key_text_in_plan_or_repr(pairs):
    wanted = host_keys.desired_from({key_type: pairs[key_type] for key_type in ssh_keys.HOST_KEY_TYPES})
    plan = host_keys.plan(wanted, state_of(pairs))
    shown = repr(plan) + repr(wanted) + repr(plan.diff()) + repr([change.to_result() for change in plan.changes])
    for key in wanted:
        public = key.public.line.split()[1]
        for line in key.private.splitlines():
            # In an ECDSA key one line of the private file is a part of the public key.
            assert line not in shown or line in public


def test_public_keys_are_read_by_slot_and_what_is_none_is_left_out(pairs, tmp_path, monkeypatch):
    monkeypatch.setattr(host_keys, "FOLDER", str(tmp_path))
    for slot, text in {"ed25519": pairs["ed25519"]["public"], "rsa": "nonsense", "ed25519_next": pairs["other"]["public"]}.items():
        (tmp_path / host_keys.public_path(slot).rpartition("/")[2]).write_text(text)
    assert {slot: key.line for slot, key in host_keys.public_keys().items()} == {
        slot: " ".join(pairs[name]["public"].split()[:2]) for slot, name in (("ed25519", "ed25519"), ("ed25519_next", "other"))
    }
