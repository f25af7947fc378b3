# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sshd drop-in: rendering, reading the files around it, and who would be locked out."""

from __future__ import annotations

import os

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins import own as session
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import drop_in as sshd_drop_in
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import files as sshd_files
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import lockout as sshd_lockout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import plan as sshd_config

DEFAULTS = {
    "state": "present",
    "client_alive_interval": 60,
    "client_alive_count_max": 3,
    "max_startups": "100:30:200",
    "authorized_keys_dir": "/etc/ssh/authorized_keys.d",
    "user_keys": "allow",
    "operations_user": "hyperpod-ops",
    "people_port": None,
    "host_key_types": None,
    "next_host_key_types": [],
    "host_certificates": {},
    "password_authentication": None,
    "source_penalties": None,
    "refuse_logins": "",
}
NODE = {"authorizedkeysfile": (".ssh/authorized_keys .ssh/authorized_keys2",), "persourcepenalties": ("crash:90",)}


def rendered(**options):
    return sshd_drop_in.render(sshd_drop_in.desired_from({**DEFAULTS, **options}), without_ours=NODE)


def test_default_text():
    assert rendered().splitlines()[1:] == [
        "ClientAliveInterval 60",
        "ClientAliveCountMax 3",
        "MaxStartups 100:30:200",
        "AuthorizedKeysFile /etc/ssh/authorized_keys.d/%u .ssh/authorized_keys .ssh/authorized_keys2",
        "Match User hyperpod-ops",
        "    AuthorizedKeysFile /etc/ssh/authorized_keys.d/%u",
        "    AuthorizedKeysCommand none",
        "Match all",
    ]


@pytest.mark.parametrize(
    "options, present, missing",
    [
        ({"user_keys": "deny"}, ["AuthorizedKeysFile /etc/ssh/authorized_keys.d/%u\n"], [".ssh/authorized_keys"]),
        ({"operations_user": ""}, ["Match all"], ["Match User"]),
        ({"host_key_types": ["rsa"]}, ["HostKey /etc/ssh/ssh_host_rsa_key\n"], ["ed25519"]),
        (
            {"host_key_types": ["ed25519", "rsa"], "next_host_key_types": ["rsa"]},
            ["_ed25519_key\nHostKey /etc/ssh/ssh_host_rsa_key\nHostKey /etc/ssh/ssh_host_rsa_key_next\n"],
            ["ed25519_key_next"],
        ),
        ({"password_authentication": False}, ["PasswordAuthentication no", "KbdInteractiveAuthentication no"], []),
        ({"source_penalties": False}, ["PerSourcePenalties no"], []),
        (
            {"refuse_logins": "Not here"},
            ["\nMatch User *,!root,!hyperpod-ops\n    Banner /etc/ssh/mlfleet-hyperpod-refused\n    DenyUsers *\nMatch all\n"],
            ["Not here", "ForceCommand"],
        ),
        ({"refuse_logins": "x", "operations_user": ""}, ["\nMatch User *,!root\n"], ["!hyperpod-ops"]),
        ({"refuse_logins": " \n"}, [], ["DenyUsers"]),
    ],
)
def test_options_in_the_text(options, present, missing):
    text = rendered(**options)
    assert all(part in text for part in present)
    assert not any(part in text for part in missing)
    assert text.endswith("Match all\n")


def test_an_old_sshd_gets_no_penalty_line():
    desired = sshd_drop_in.desired_from({**DEFAULTS, "source_penalties": False})
    assert "PerSourcePenalties" not in sshd_drop_in.render(desired, without_ours={})


@pytest.mark.parametrize(
    "option, value",
    [
        ("client_alive_interval", -1),
        ("client_alive_count_max", 0),
        ("max_startups", "100"),
        ("max_startups", "300:30:200"),
        ("max_startups", "10:0:20"),
        ("authorized_keys_dir", "authorized_keys.d"),
        ("authorized_keys_dir", "/etc/ssh/with space"),
        ("authorized_keys_dir", "/etc/ssh/../tmp"),
        ("operations_user", "root\nPermitRootLogin yes"),
        ("operations_user", "Ops"),
        ("next_host_key_types", ["rsa"]),
        ("refuse_logins", "a\x1b[2Jb"),
        ("refuse_logins", "a\u2028b"),
        ("refuse_logins", "x" * 2001),
    ],
)
def test_refused_options(option, value):
    with pytest.raises(Refused, match=f"^{option}: .* is not allowed; .* allowed"):
        sshd_drop_in.desired_from({**DEFAULTS, option: value})


def test_a_wanted_host_key_without_a_file_is_refused(monkeypatch, tmp_path):
    (tmp_path / "ssh_host_rsa_key").write_text("")
    monkeypatch.setattr(sshd_config, "private_path", lambda slot: str(tmp_path / f"ssh_host_{slot}_key"))
    wanted = sshd_drop_in.desired_from({**DEFAULTS, "host_key_types": ["rsa", "ed25519"], "next_host_key_types": ["rsa"]})
    assert sshd_config.missing_host_keys(wanted) == ("ed25519", "rsa_next")
    with pytest.raises(Refused, match="host_key_types: 'ed25519'"):
        sshd_config.check_on_node(wanted, sshd_config.State(None, "", "", NODE), planning=False)


@pytest.mark.parametrize(
    "text, attributes, wanted, actions",
    [
        (None, "", "present", ["create"]),
        ("old\n", "0644 0:0", "present", ["update"]),
        (rendered(), "0644 0:0", "present", []),
        (rendered(), "0666 0:0", "present", ["update"]),
        (rendered(), "0644 0:0", "absent", ["delete"]),
        (None, "", "absent", []),
    ],
)
def test_plan(text, attributes, wanted, actions):
    state = sshd_config.State(text, attributes, "", NODE)
    plan = sshd_config.plan(sshd_drop_in.desired_from({**DEFAULTS, "state": wanted}), state)
    assert [change.action for change in plan.changes] == actions
    assert sshd_config.describe(plan.predicted)["state"] == wanted


@pytest.mark.parametrize(
    "refusal, message, state, changes",
    [
        (None, "Not here", "present", [("update", "drop-in"), ("create", "message")]),
        ("Not here\n", "Not here\n", "present", [("update", "drop-in")]),
        ("old\n", "Not here", "present", [("update", "drop-in"), ("update", "message")]),
        ("Not here\n", "", "present", [("delete", "message")]),
        ("Not here\n", "Not here", "absent", [("delete", "drop-in"), ("delete", "message")]),
    ],
)
def test_the_message_comes_and_goes_with_the_block_that_names_it(refusal, message, state, changes):
    seen = sshd_config.State(rendered(), "0644 0:0", "", NODE, refusal)
    desired = sshd_drop_in.desired_from({**DEFAULTS, "refuse_logins": message, "state": state})
    plan = sshd_config.plan(desired, seen)
    assert sorted((each.action, each.resource.split(" /")[0].replace("sshd ", "")) for each in plan.changes) == sorted(
        changes, key=lambda each: (each[0], each[1])
    )
    assert [len(step.arguments["files"]) for step in plan.steps] == [len(changes)]
    assert sshd_config.plan(desired, plan.predicted).steps == ()
    assert sshd_config.describe(plan.predicted)["refusal"] == ("Not here\n" if message and state == "present" else None)


def test_parse_knows_quotes_equals_and_match():
    text = "# c\nPort 22\n\tX11Forwarding=yes\nMatch User a\n  PermitTTY no\nMatch all\nUseDNS  no\n"
    found = [(item.line, item.keyword, item.value, item.in_match) for item in sshd_files.parse(text, file="f")]
    assert found == [
        (2, "port", "22", False),
        (3, "x11forwarding", "yes", False),
        (4, "match", "User a", True),
        (5, "permittty", "no", True),
        (6, "match", "all", False),
        (7, "usedns", "no", False),
    ]


@pytest.mark.parametrize(
    "main, fine",
    [
        ("Include /etc/ssh/sshd_config.d/*.conf\nPort 22\n", True),
        ("Include sshd_config.d/*.conf\n", True),
        ("Port 22\n", False),
        ("#Include /etc/ssh/sshd_config.d/*.conf\n", False),
        ("Include /etc/ssh/other.d/*.conf\n", False),
        ("Match User bob\nInclude /etc/ssh/sshd_config.d/*.conf\n", False),
    ],
)
def test_include_is_required(main, fine):
    if fine:
        sshd_files.check_include(main)
        return
    with pytest.raises(Refused, match="Include"):
        sshd_files.check_include(main)


def test_compose_puts_ours_in_its_place(tmp_path):
    for name in ("00-a.conf", "50-b.conf"):
        (tmp_path / name).write_text("")
    drop_in = str(tmp_path / "10-ours.conf")
    main = f"Port 22\nInclude {tmp_path}/*.conf\nUseDNS no\n"
    composed = sshd_files.compose(main, ours="/run/new", drop_in=drop_in)
    assert composed.splitlines() == [
        "Port 22",
        f'Include "{tmp_path}/00-a.conf"',
        'Include "/run/new"',
        f'Include "{tmp_path}/50-b.conf"',
        "UseDNS no",
    ]
    (tmp_path / "10-ours.conf").write_text("old")
    assert "10-ours.conf" not in sshd_files.compose(main, ours=None, drop_in=drop_in)


def test_an_earlier_value_is_refused_with_its_place():
    main = "ClientAliveInterval 7\nInclude /etc/ssh/sshd_config.d/*.conf\n"
    effective = {"clientaliveinterval": ("7",), "maxstartups": ("100:30:200",)}
    with pytest.raises(Refused, match="clientaliveinterval.*'7' instead of '60'.*sshd_config line 1"):
        sshd_config.check_effective("ClientAliveInterval 60\n", effective=effective, main=main)
    sshd_config.check_effective("MaxStartups 100:30:200\n", effective=effective, main=main)


def test_host_keys_must_be_exactly_ours():
    text = "HostKey /a\nHostKey /b\n"
    sshd_config.check_effective(text, effective={"hostkey": ("/b", "/a")}, main="")
    with pytest.raises(Refused, match="hostkey"):
        sshd_config.check_effective(text, effective={"hostkey": ("/a", "/b", "/c")}, main="HostKey /c\n")


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        ({}, None),
        ({"allowusers": ("alice",)}, None),
        ({"clientaliveinterval": ("7",)}, "'7' instead of '60' for clientaliveinterval"),
        ({"pubkeyauthentication": ("no",)}, "'no' instead of 'yes' for pubkeyauthentication"),
        ({"maxsessions": ("0",)}, "for maxsessions"),
        ({"banner": ("/etc/issue",)}, "instead of '/etc/ssh/mlfleet-hyperpod-refused' for banner"),
    ],
)
def test_a_match_block_for_the_port_of_people(there, reason):
    text = "ClientAliveInterval 60\nMatch User *\n    Banner /etc/ssh/mlfleet-hyperpod-refused\n"
    elsewhere = {
        "clientaliveinterval": ("60",),
        "pubkeyauthentication": ("yes",),
        "maxsessions": ("10",),
        "banner": ("/etc/ssh/mlfleet-hyperpod-refused",),
    }
    options = {"port": 222, "effective": {**elsewhere, **there}, "elsewhere": elsewhere}
    if reason is None:
        sshd_config.check_people_port(text, **options)
    else:
        with pytest.raises(Refused, match=f"^people_port: on port 222 sshd would use .*{reason}.* Match block for that port"):
            sshd_config.check_people_port(text, **options)


OPS = sshd_lockout.Account("hyperpod-ops", 990, "/var/lib/hyperpod-ops", ("hyperpod-ops", "adm"))
ROOT = sshd_lockout.Account("root", 0, "/root", ("root",))
OPEN = {"pubkeyauthentication": ("yes",), "authorizedkeysfile": ("/etc/ssh/authorized_keys.d/%u",)}


@pytest.mark.parametrize(
    "extra, reason",
    [
        ({}, None),
        ({"pubkeyauthentication": ("no",)}, "PubkeyAuthentication"),
        ({"authenticationmethods": ("publickey,password",)}, "AuthenticationMethods"),
        ({"authenticationmethods": ("publickey,password publickey",)}, None),
        ({"allowusers": ("alice", "bob")}, "AllowUsers"),
        ({"allowusers": ("alice", "hyperpod-*")}, None),
        ({"allowusers": ("hyperpod-ops@192.168.0.0/16",)}, "AllowUsers"),
        ({"allowusers": ("hyperpod-ops@10.1.0.0/16",)}, None),
        ({"allowusers": ("hyperpod-ops@10.1.*",)}, None),
        ({"denyusers": ("hyperpod-ops",)}, "DenyUsers"),
        ({"denyusers": ("*@10.1.0.0/16",)}, "DenyUsers"),
        ({"denyusers": ("root",)}, None),
        ({"allowgroups": ("ssh-users",)}, "AllowGroups"),
        ({"allowgroups": ("adm",)}, None),
        ({"denygroups": ("ad?",)}, "DenyGroups"),
        ({"authorizedkeysfile": (".ssh/authorized_keys",)}, "no key stands in /var/lib/hyperpod-ops/.ssh/"),
        ({"authorizedkeysfile": ("none",)}, "no key stands in any file"),
        ({"authorizedkeysfile": ("none",), "authorizedkeyscommand": ("/usr/bin/x",)}, None),
        ({"forcecommand": ("none",)}, None),
        ({"forcecommand": ("/usr/sbin/nologin",)}, "ForceCommand runs '/usr/sbin/nologin'"),
        ({"forcecommand": ("internal-sftp",)}, "ForceCommand"),
        ({"maxsessions": ("1",)}, None),
        ({"maxsessions": ("0",)}, "MaxSessions 0"),
        ({"pubkeyacceptedalgorithms": ("ssh-ed25519,rsa-sha2-512",)}, None),
        ({"pubkeyacceptedalgorithms": ("rsa-sha2-512,ssh-ed25519-cert-v01@openssh.com",)}, "PubkeyAcceptedAlgorithms"),
        ({"pubkeyacceptedkeytypes": ("rsa-sha2-512",)}, "PubkeyAcceptedKeyTypes accepts no key of hyperpod-ops"),
        ({"pubkeyacceptedalgorithms": ("",), "authorizedkeyscommand": ("/usr/bin/x",)}, None),
    ],
)
def test_obstacles(extra, reason):
    found = sshd_lockout.obstacles(
        {**OPEN, **extra},
        account=OPS,
        address="10.1.0.9",
        keys_in=lambda path, uid: ["ssh-ed25519"] if path == "/etc/ssh/authorized_keys.d/hyperpod-ops" else [],
    )
    assert (reason is None and not found) or (len(found) == 1 and reason in found[0])


@pytest.mark.parametrize(
    "keys, accepted, fine",
    [
        (["ssh-rsa"], "rsa-sha2-512", True),
        (["ssh-rsa"], "rsa-sha2-256", True),
        (["ssh-rsa"], "ssh-rsa", True),
        (["ssh-rsa"], "ssh-ed25519", False),
        (["ssh-rsa", "ssh-ed25519"], "ssh-ed25519", True),
        (["ecdsa-sha2-nistp256"], "ecdsa-sha2-*", True),
    ],
)
def test_one_accepted_key_is_enough(keys, accepted, fine):
    found = sshd_lockout.obstacles(
        {**OPEN, "pubkeyacceptedalgorithms": (accepted,)},
        account=OPS,
        address="10.1.0.9",
        keys_in=lambda path, uid: keys,
    )
    assert (not found) is fine


@pytest.mark.parametrize(
    "text, algorithms",
    [
        ("", []),
        ("# ssh-rsa AAAAB3 old\n\n", []),
        ("ssh-ed25519 AAAAC3 ops\nssh-rsa AAAAB3\n", ["ssh-ed25519", "ssh-rsa"]),
        ('from="10.0.0.0/8",command="run ssh-rsa" ssh-ed25519 AAAAC3 ops\n', ["ssh-ed25519"]),
    ],
)
def test_keys_in_a_file(tmp_path, text, algorithms):
    file = tmp_path / "keys"
    file.write_text(text)
    file.chmod(0o644)
    assert sshd_lockout.keys_in_file(str(file), os.getuid()) == algorithms
    file.chmod(0o664)
    assert sshd_lockout.keys_in_file(str(file), os.getuid()) == []


@pytest.mark.parametrize("value, fine", [("no", False), ("forced-commands-only", False), ("without-password", True)])
def test_root_login(value, fine):
    found = sshd_lockout.obstacles(
        {**OPEN, "permitrootlogin": (value,)}, account=ROOT, address="10.1.0.9", keys_in=lambda path, uid: ["ssh-rsa"]
    )
    assert (not found) is fine


@pytest.mark.parametrize(
    "environment, connection",
    [
        ({"SSH_CONNECTION": "10.0.0.1 4000 10.0.0.2 22", "LOGNAME": "alice"}, "10.0.0.1 4000 10.0.0.2 22"),
        ({"SSH_CONNECTION": "10.0.0.1 4000", "LOGNAME": "alice"}, None),
        ({"LOGNAME": "alice"}, None),
    ],
)
def test_login_from_environment(environment, connection):
    login = session.login_from(environment)
    assert (login and login.connection) == connection
