# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Invalid declarations are refused with the option, the value and the allowed values."""

from __future__ import annotations

import base64
import struct

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.conflicts import conflicts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import (
    Account,
    Home,
    LocalGroup,
    NameService,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.problems import Problems
from ansible_collections.mlfleet.hyperpod.plugins.modules.accounts import SPEC


def blob(*fields: bytes) -> str:
    return base64.b64encode(b"".join(struct.pack(">I", len(field)) + field for field in fields)).decode()


GOOD = "ssh-ed25519 " + blob(b"ssh-ed25519", b"\x01" * 32)
RSA_1024 = "ssh-rsa " + blob(b"ssh-rsa", b"\x01\x00\x01", b"\x00" + b"\xff" * 128)
PRIVATE = "-----BEGIN OPENSSH PRIVATE KEY-----\nTOPSECRET\n-----END OPENSSH PRIVATE KEY-----"


def security_key(curve: bytes, coordinates: int) -> str:
    kind = "sk-ecdsa-sha2-nistp256@openssh.com"
    return f"{kind} " + blob(kind.encode(), curve, b"\x04" + b"\x01" * coordinates, b"ssh:")


def problems_of(state: State | None = None, **params: object) -> list[str]:
    checked = ArgumentSpecValidator(SPEC).validate(params)
    assert not checked.error_messages
    desired = options.desired(checked.validated_parameters)
    return [*desired.problems, *(conflicts(desired, state) if state else [])]


def user(**fields: object) -> dict[str, object]:
    return {"users": [{"name": "alice", "uid": 5001, **fields}]}


def one(name: str, **fields: object) -> dict[str, object]:
    return {"users": [{"name": name, **fields}]}


def two_homes(first: str, second: str) -> dict[str, object]:
    return {"users": [{"name": "a", "uid": 5001, "home": first}, {"name": "b", "uid": 5002, "home": second}]}


def with_key(key: str = GOOD, **fields: object) -> dict[str, object]:
    return user(authorized_keys=[{"key": key, **fields}])


DECLARATIONS = [
    # params, option, value, part of the allowed values
    (with_key(f"{GOOD} mlfleet-hyperpod-operations"), "users[alice].authorized_keys[0].key", "SHA256:", "a different comment"),
    (with_key(f"{GOOD} my mlfleet-hyperpod-operations"), "users[alice].authorized_keys[0].key", "SHA256:", "a different comment"),
    (user(name="Alice"), "users[0].name", "Alice", "a-z"),
    (user(name="a" * 33), "users[0].name", "a" * 33, "1 to 32"),
    (user(name="al ice"), "users[0].name", "al ice", "a-z"),
    (user(name="../etc"), "users[0].name", "../etc", "a-z"),
    (user(name="al\nice"), "users[0].name", r"al\nice", "a-z"),
    (user(name="root"), "users[].name", "root", "cannot be declared"),
    (user(name="hyperpod-ops"), "users[].name", "hyperpod-ops", "node_access"),
    (user(uid=None), "users[alice].uid", "None", "requires a UID"),
    (user(uid=999), "users[alice].uid", "999", "from 1000"),
    (user(uid=0), "users[alice].uid", "0", "from 1000"),
    (user(uid=65534), "users[alice].uid", "65534", "except 65534"),
    (user(uid=65535), "users[alice].uid", "65535", "except 65534 and 65535"),
    (user(uid=4294967295), "users[alice].uid", "4294967295", "4294967294"),
    (user(gid=27), "users[alice].gid", "27", "from 1000"),
    (user(groups=["a,b "]), "users[alice].groups", "a,b ", "a-z"),
    (user(comment="a:b"), "users[alice].comment", "a:b", "without ':'"),
    (user(comment="Mallory\u2028bob"), "users[alice].comment", r"\u2028bob", "printable"),
    (user(comment="Mallory\x85bob"), "users[alice].comment", r"\x85bob", "printable"),
    (user(shell="/bin/ba\u200bsh"), "users[alice].shell", r"\u200b", "printable"),
    (user(home="/fsx/al\u202eice"), "users[alice].home", r"\u202e", "printable"),
    (user(shell="bash"), "users[alice].shell", "bash", "absolute"),
    (user(shell="/bin/../bin/sh"), "users[alice].shell", "/bin/../bin/sh", "'..'"),
    (user(home="fsx/alice"), "users[alice].home", "fsx/alice", "absolute"),
    (user(home="/fsx/../etc"), "users[alice].home", "/fsx/../etc", "'..'"),
    (user(home="/fsx"), "users[alice].home", "/fsx", "two levels"),
    *(
        (user(home=f"/{folder}/a"), "users[alice].home", f"/{folder}/a", "outside system folders")
        for folder in "bin boot dev etc lib lib64 proc root run sbin sys usr".split()
    ),
    (with_key("hello"), "users[alice].authorized_keys[0].key", "hello", "ssh-ed25519"),
    (with_key(PRIVATE), "users[alice].authorized_keys[0].key", "(a private key)", ".pub file"),
    (with_key(GOOD + "\n" + GOOD), "users[alice].authorized_keys[0].key", "ssh-ed25519", "one line"),
    (with_key(GOOD + " a\u2028b"), "users[alice].authorized_keys[0].key", "ssh-ed25519", "printable"),
    (with_key("ssh-dss AAAA"), "users[alice].authorized_keys[0].key", "ssh-dss", "DSA"),
    (with_key(RSA_1024), "users[alice].authorized_keys[0].key", "ssh-rsa", "at least 2048 bits, and this one has 1024"),
    (with_key(GOOD[:-8]), "users[alice].authorized_keys[0].key", "ssh-ed25519", "complete"),
    (with_key(GOOD[:-1] + "%"), "users[alice].authorized_keys[0].key", "ssh-ed25519", "base64"),
    (with_key(GOOD.replace("ssh-ed25519", "ssh-rsa", 1)), "users[alice].authorized_keys[0].key", "ssh-rsa", "inside"),
    (with_key(security_key(b"nistp384", 64)), "users[alice].authorized_keys[0].key", "sk-ecdsa-sha2-nistp256", "complete"),
    (with_key(security_key(b"nistp256", 63)), "users[alice].authorized_keys[0].key", "sk-ecdsa-sha2-nistp256", "complete"),
    (with_key("no-pty " + GOOD), "users[alice].authorized_keys[0].key", "no-pty", "must be in options, not in key"),
    (
        with_key("ssh-ed25519-cert-v01@openssh.com AAAA"),
        "users[alice].authorized_keys[0].key",
        "ssh-ed25519-cert-v01@openssh.com",
        "certificate",
    ),
    (with_key(options="no-ptty"), "users[alice].authorized_keys[0].options", "no-ptty", "no-pty"),
    (with_key(options='from="10.0.0.0/8'), "users[alice].authorized_keys[0].options", "10.0.0.0/8", "closing double quote is missing"),
    (with_key(options="from=10.0.0.0/8"), "users[alice].authorized_keys[0].options", "10.0.0.0/8", "double quotes"),
    (with_key(options="no-pty, restrict"), "users[alice].authorized_keys[0].options", "restrict", "without spaces"),
    (with_key(options="no-pty=yes"), "users[alice].authorized_keys[0].options", "no-pty=yes", "does not take a value"),
    (with_key(options='expiry-time="20300101"'), "users[alice].authorized_keys[0].options", "expiry-time", "expires"),
    (with_key(options='command="a\u2029b"'), "users[alice].authorized_keys[0].options", r"\u2029", "printable"),
    (with_key(options="no-pty\nrestrict"), "users[alice].authorized_keys[0].options", "no-pty", "one line"),
    (with_key(expires="tomorrow"), "users[alice].authorized_keys[0].expires", "tomorrow", "YYYY-MM-DD"),
    (with_key(expires="2027-02-30"), "users[alice].authorized_keys[0].expires", "2027-02-30", "YYYY-MM-DD"),
    (user(authorized_keys=[{"key": GOOD}, {"key": GOOD}]), "users[alice].authorized_keys[1].key", "SHA256:", "once"),
    (user(sudo=["ALL"]), "users[alice].sudo", "ALL", "NOPASSWD"),
    (user(sudo="#include /tmp/a=b"), "users[alice].sudo", "#include", "one line"),
    (user(sudo="@include /tmp/a=b"), "users[alice].sudo", "@include", "one line"),
    (user(sudo="ALL=ALL\nbob ALL=ALL"), "users[alice].sudo", r"\nbob", "one line"),
    (user(sudo="ALL=ALL\u2028bob ALL=ALL"), "users[alice].sudo", r"\u2028bob", "one line"),
    (user(sudo={"rule": 1}), "users[alice].sudo", "rule", "a list of rules"),
    ({"groups": [{"name": "x y", "gid": 7000}]}, "groups[0].name", "x y", "a-z"),
    ({"groups": [{"name": "x"}]}, "groups[x].gid", "None", "requires a GID"),
    ({"groups": [{"name": "x", "gid": 100}]}, "groups[x].gid", "100", "from 1000"),
    ({"groups": [{"name": "x", "gid": 7000}, {"name": "y", "gid": 7000}]}, "groups[].gid", "7000", "x, y"),
    ({"groups": [{"name": "x", "gid": 7000}, {"name": "x", "gid": 7001}]}, "groups[].name", "x", "2 times"),
    ({"users": [{"name": "a", "uid": 5001}, {"name": "b", "uid": 5001}]}, "users[].uid", "5001", "a, b"),
    ({"users": [{"name": "a", "uid": 5001}, {"name": "a", "uid": 5002}]}, "users[].name", "a", "2 times"),
    (
        {"users": [{"name": "a", "uid": 5001, "home": "/fsx/x"}, {"name": "b", "uid": 5002, "home": "/fsx/x"}]},
        "users[].home",
        "/fsx/x",
        "a, b",
    ),
    (two_homes("/fsx/mallory", "/fsx/mallory/u"), "users[b].home", "/fsx/mallory/u", "is inside the home of a (/fsx/mallory)"),
    (two_homes("/fsx/mallory/u/v", "/fsx/mallory"), "users[a].home", "/fsx/mallory/u/v", "is inside the home of b"),
    (one("ubuntu", state="absent"), "users[ubuntu].state", "absent", "of the image"),
    (one("ec2-user", state="absent"), "users[ec2-user].state", "absent", "of the image"),
    ({"authorized_keys_dir": "keys"}, "authorized_keys_dir", "keys", "absolute"),
    ({"shared_home_roots": ["/fsx/.."]}, "shared_home_roots", "/fsx/..", "'..'"),
    ({**user(state="absent"), "connecting_user": "alice"}, "users[alice].state", "absent", "connects with"),
    ({**user(authorized_keys=[]), "connecting_user": "alice"}, "users[alice].authorized_keys", "[]", "connects with"),
    ({**user(shell="/sbin/nologin"), "connecting_user": "alice"}, "users[alice].shell", "nologin", "connects with"),
]


@pytest.mark.parametrize("params, option, value, allowed", DECLARATIONS)
def test_an_invalid_declaration_is_refused(params: dict, option: str, value: str, allowed: str) -> None:
    found = [sentence for sentence in problems_of(**params) if sentence.startswith(f"{option}: ")]
    assert len(found) == 1
    assert value in found[0] and allowed in found[0].partition(" is not allowed")[2]


NODE = State(
    now=1_800_000_000,
    users={
        "ubuntu": Account("ubuntu", 1000, 1000, "", "/home/ubuntu", "/bin/bash", "locked"),
        "munge": Account("munge", 998, 998, "", "/nonexistent", "/usr/sbin/nologin", "none"),
        "carol": Account("carol", 5010, 5010, "", "/fsx/carol", "/bin/bash", "none"),
        "twin": Account("twin", 5010, 5010, "", "/fsx/twin", "/bin/bash", "none"),
        "rita": Account("rita", 5011, 27, "", "/fsx/rita", "/bin/bash", "none"),
        "ken": Account("ken", 5015, 5015, "", "/fsx/ken", "/bin/bash", "none"),
        "sync": Account("sync", 4, 65534, "", "/bin", "/bin/sync", "none"),
        "app": Account("app", 990, 990, "", "/srv/app/", "/usr/sbin/nologin", "none"),
        "deep": Account("deep", 5012, 5012, "", "//srv/x//deep/./er", "/bin/bash", "none"),
        "flat": Account("flat", 5013, 5013, "", "/scratch", "/bin/bash", "none"),
        "rootless": Account("rootless", 989, 989, "", "/", "/usr/sbin/nologin", "none"),
    },
    groups={
        "ubuntu": LocalGroup("ubuntu", 1000, ()),
        "sudo": LocalGroup("sudo", 27, ("ubuntu", "ken")),
        "carol": LocalGroup("carol", 5010, ()),
        "lab": LocalGroup("lab", 7005, ()),
        "zoe": LocalGroup("zoe", 7006, ()),
    },
    elsewhere=NameService(users={"ldap": 9001}, uids={9001: "ldap"}, groups={"ldapgroup": 9100}, gids={9100: "ldapgroup"}),
    homes={"filed": Home("other")},
    shells={"/bin/bash": True, "/bin/fish": False},
    sudo_errors={"ruled": "line 2:9: syntax error"},
)


CONFLICTS = [
    (one("carol", uid=5011, gid=5010), "users[carol].uid", "5011", "UID 5010"),
    (one("carol", uid=5010, gid=7005), "users[carol].gid", "7005", "primary GID 5010"),
    (one("dave", uid=1000, gid=7005), "users[dave].uid", "1000", "account ubuntu"),
    (one("dave", uid=9001, gid=7005), "users[dave].uid", "9001", "account ldap"),
    (one("ldap", uid=5020), "users[ldap].name", "ldap", "SSSD"),
    (one("ldap", state="absent"), "users[ldap].state", "absent", "SSSD"),
    (one("dave", uid=5020, gid=5999), "users[dave].gid", "5999", "declared or existing group"),
    (one("dave", uid=7005), "users[dave].gid", "7005", "but the group lab already has it"),
    (one("zoe", uid=5020), "users[zoe].gid", "5020", "the group zoe has GID 7006"),
    (one("dave", uid=5020, groups=["nope"]), "users[dave].groups", "nope", "declared in groups, or a group in /etc/group of this node"),
    (one("dave", uid=5020, shell="/bin/fish"), "users[dave].shell", "/bin/fish", "executable"),
    (one("filed", uid=5020), "users[filed].home", "/fsx/filed", "is not a folder. Allowed: a folder"),
    (one("dave", uid=5020, home="/home/ubuntu/x"), "users[dave].home", "/home/ubuntu/x", "ubuntu with the home /home/ubuntu"),
    (one("dave", uid=5020, home="/fsx/carol"), "users[dave].home", "/fsx/carol", "carol with the home /fsx/carol"),
    (one("dave", uid=5020, home="/srv/app/dave"), "users[dave].home", "/srv/app/dave", "app with the home /srv/app/"),
    (one("dave", uid=5020, home="/srv/x"), "users[dave].home", "/srv/x", "deep with the home //srv/x//deep/./er"),
    (one("dave", uid=5020, home="/scratch/dave"), "users[dave].home", "/scratch/dave", "flat with the home /scratch"),
    (
        one("twin", uid=5010, home="/fsx/mallory/u", source="f.txt line 3"),
        "users[twin].home",
        "/fsx/mallory/u",
        "with the home /fsx/twin, and f.txt line 3 may not change the home",
    ),
    (one("twin", uid=5010, home="/fsx/twin/", source="f"), "users[twin].home", "/fsx/twin/", "absolute"),
    (
        one("ubuntu", uid=1000, home="/home/ubuntu", source="f.txt line 3"),
        "users[ubuntu].name",
        "ubuntu",
        "in the group sudo, and f.txt line 3 may not declare",
    ),
    (one("rita", uid=5011, gid=27, source="f.txt line 3"), "users[rita].name", "rita", "in the group sudo"),
    (one("ruled", uid=5020, sudo="ALL=(("), "users[ruled].sudo", "ALL=((", "syntax error"),
    (one("munge", state="absent"), "users[munge].state", "absent", "belong to the image"),
    (one("ubuntu", state="absent", uid=5000), "users[ubuntu].uid", "5000", "UID 1000"),
    (one("carol", state="absent"), "users[carol].state", "absent", "twin"),
    ({"groups": [{"name": "sudo", "gid": 7000}]}, "groups[sudo].gid", "7000", "GID 27"),
    ({"groups": [{"name": "other", "gid": 7005}]}, "groups[other].gid", "7005", "group lab"),
    ({"groups": [{"name": "ldapgroup", "gid": 7000}]}, "groups[ldapgroup].name", "ldapgroup", "SSSD"),
    ({"groups": [{"name": "other", "gid": 9100}]}, "groups[other].gid", "9100", "ldapgroup"),
    ({"groups": [{"name": "carol", "state": "absent"}]}, "groups[carol].state", "absent", "carol, twin"),
    ({"groups": [{"name": "sudo", "state": "absent"}]}, "groups[sudo].state", "absent", "belong to the image"),
    (
        {**one("ubuntu", uid=1000, groups=[]), "connecting_user": "ubuntu"},
        "users[ubuntu].groups",
        "[]",
        "groups that include sudo",
    ),
    (
        {
            **one("ubuntu", uid=1000, authorized_keys=[{"key": GOOD, "expires": "2020-01-01"}]),
            "connecting_user": "ubuntu",
        },
        "users[ubuntu].authorized_keys",
        "SHA256:",
        "expired",
    ),
]


@pytest.mark.parametrize("params, option, value, allowed", CONFLICTS)
def test_a_conflict_with_the_node_is_refused(params: dict, option: str, value: str, allowed: str) -> None:
    found = [sentence for sentence in problems_of(NODE, **params) if sentence.startswith(f"{option}: ")]
    assert len(found) == 1
    assert value in found[0] and allowed in found[0].partition(" is not allowed")[2]


def test_a_valid_declaration_has_no_problem() -> None:
    users = [
        {"name": "ubuntu", "uid": 1000, "groups": ["sudo"]},
        {
            "name": "alice",
            "uid": 5001,
            "groups": ["research", "lab"],
            "authorized_keys": [
                {"key": security_key(b"nistp256", 64)},
                {"key": GOOD + " a b", "options": 'from="10.0.0.0/8,!10.1.0.1",command="a \\"b\\", c"'}
            ],
            "sudo": ["ALL=(ALL) NOPASSWD: ALL"],
        },
        {"name": "bob", "uid": 5002, "gid": 7000, "home": "/bin-not/bob"},
        {"name": "flat", "uid": 5013, "home": "/fsx/twin-not/flat"},
        {"name": "new", "uid": 5014, "home": "/fsx/new", "source": "f.txt line 3"},
        {"name": "ken", "uid": 5015, "home": "/fsx/ken", "groups": ["sudo"], "source": "f.txt line 4"},
        {"name": "gone", "state": "absent"},
    ]
    groups = [{"name": "research", "gid": 7000}, {"name": "lab", "gid": 7005}]
    assert problems_of(NODE, users=users, groups=groups, connecting_user="ubuntu") == []


def test_one_message_has_all_problems_and_conflicts() -> None:
    users = [{"name": "Bad", "uid": 3}, {"name": "carol", "uid": 5011}, {"name": "dave", "uid": 1000, "groups": ["x"]}]
    problems = problems_of(NODE, users=users)
    message = str(Problems(problems))
    assert message.startswith(f"{len(problems)} problems; nothing was changed:\n- users[0].name: 'Bad'")
    for part in ("users[0].uid: 3", "users[carol].uid: 5011", "users[dave].uid: 1000", "users[dave].groups: 'x'"):
        assert part in message


def test_a_private_key_is_not_repeated_in_the_message() -> None:
    assert "TOPSECRET" not in str(problems_of(**with_key(PRIVATE)))
