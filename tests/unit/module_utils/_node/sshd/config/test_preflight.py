# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the drop-in before it is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import files, lockout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config import options, preflight
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.model import State

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
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG"
NODE = {"authorizedkeysfile": (".ssh/authorized_keys .ssh/authorized_keys2",), "persourcepenalties": ("crash:90",)}


def test_a_wanted_host_key_without_a_file_is_refused(monkeypatch, tmp_path):
    (tmp_path / "ssh_host_rsa_key").write_text("")
    monkeypatch.setattr(preflight, "private_path", lambda slot: str(tmp_path / f"ssh_host_{slot}_key"))
    wanted = options.desired({**DEFAULTS, "host_key_types": ["rsa", "ed25519"], "next_host_key_types": ["rsa"]})
    assert preflight.missing_host_keys(wanted) == ("ed25519", "rsa_next")
    with pytest.raises(Refused, match="host_key_types: 'ed25519'"):
        preflight.check_on_node(wanted, State(None, "", "", NODE), planning=False)


def test_an_overriding_value_is_refused_with_its_place():
    main = "ClientAliveInterval 7\nInclude /etc/ssh/sshd_config.d/*.conf\n"
    effective = {"clientaliveinterval": ("7",), "maxstartups": ("100:30:200",)}
    with pytest.raises(Refused, match="clientaliveinterval.*'7' instead of '60'.*sshd_config line 1"):
        preflight.check_effective("ClientAliveInterval 60\n", effective=effective, main=main)
    preflight.check_effective("MaxStartups 100:30:200\n", effective=effective, main=main)


def test_host_keys_must_be_exactly_ours():
    text = "HostKey /a\nHostKey /b\n"
    preflight.check_effective(text, effective={"hostkey": ("/b", "/a")}, main="")
    with pytest.raises(Refused, match="hostkey"):
        preflight.check_effective(text, effective={"hostkey": ("/a", "/b", "/c")}, main="HostKey /c\n")


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        ({}, None),
        ({"allowusers": ("alice",)}, None),
        ({"clientaliveinterval": ("7",)}, "'7' instead of '60' for clientaliveinterval"),
        ({"pubkeyauthentication": ("no",)}, "'no' instead of 'yes' for pubkeyauthentication"),
        ({"maxsessions": ("0",)}, "for maxsessions"),
        ({"banner": ("/etc/issue",)}, "instead of '/etc/ssh/mlfleet-hyperpod-refused' for banner"),
    ],
)
def test_a_match_block_for_the_port_of_people_is_refused(overrides, reason):
    text = "ClientAliveInterval 60\nMatch User *\n    Banner /etc/ssh/mlfleet-hyperpod-refused\n"
    elsewhere = {
        "clientaliveinterval": ("60",),
        "pubkeyauthentication": ("yes",),
        "maxsessions": ("10",),
        "banner": ("/etc/ssh/mlfleet-hyperpod-refused",),
    }
    ports = {"port": 222, "effective": {**elsewhere, **overrides}, "elsewhere": elsewhere}
    if reason is None:
        preflight.check_people_port(text, **ports)
    else:
        with pytest.raises(Refused, match=f"^people_port: on port 222 sshd would use .*{reason}.* Match block for that port"):
            preflight.check_people_port(text, **ports)


def test_a_value_that_sshd_would_not_use_is_refused(monkeypatch):
    """An earlier file sets another value."""
    monkeypatch.setattr(files, "effective", lambda main, **_about: {"clientaliveinterval": ("7",)})
    with pytest.raises(Refused, match="clientaliveinterval"):
        preflight.check_on_node(options.desired(DEFAULTS), State(None, "", "", NODE), planning=True)


@pytest.mark.parametrize(
    ("planning", "key", "reason"),
    [
        (True, KEY, None),
        (True, None, "no key was found in"),
        (False, KEY, "no key was found in"),
        (True, KEY.replace("ssh-ed25519", "ssh-rsa"), "is not allowed"),
    ],
)
def test_a_key_that_an_earlier_task_restores_counts_only_while_planning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, planning: bool, key: str | None, reason: str | None
) -> None:
    folder = str(tmp_path)
    effective = {"authorizedkeysfile": (f"{folder}/%u",), "pubkeyacceptedalgorithms": ("ssh-ed25519",)}
    monkeypatch.setattr(files, "effective", lambda main, **_about: effective)
    monkeypatch.setattr(preflight, "check_effective", lambda text, **_about: None)
    monkeypatch.setattr(preflight, "current_login", lambda: None)
    monkeypatch.setattr(lockout, "find_account", lambda name: lockout.Account(name, 998, "/none", ()))

    def check() -> None:
        desired = options.desired({**DEFAULTS, "authorized_keys_dir": folder, "operations_key": key})
        preflight.check_on_node(desired, State(None, "", "", NODE), planning=planning)

    if reason is None:
        check()
    else:
        with pytest.raises(Refused, match=reason):
            check()
