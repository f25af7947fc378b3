# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of the sshd drop-in, and when it is written."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.drop_in import render
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.result import result

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


def rendered(**given):
    return render(options.desired({**DEFAULTS, **given}), without_ours=NODE)


def test_the_default_text_of_the_drop_in():
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
    "given, present, missing",
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
def test_options_change_the_text(given, present, missing):
    text = rendered(**given)
    assert all(part in text for part in present)
    assert not any(part in text for part in missing)
    assert text.endswith("Match all\n")


def test_an_old_sshd_gets_no_penalty_line():
    desired = options.desired({**DEFAULTS, "source_penalties": False})
    assert "PerSourcePenalties" not in render(desired, without_ours={})


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
def test_changes_depend_on_the_existing_drop_in(text, attributes, wanted, actions):
    state = State(text, attributes, "", NODE)
    made = plan(options.desired({**DEFAULTS, "state": wanted}), state)
    assert [change.action for change in made.changes] == actions
    assert result(made.after(state))["sshd_config"]["state"] == wanted


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
def test_the_message_is_written_and_removed_with_its_block(refusal, message, state, changes):
    seen = State(rendered(), "0644 0:0", "", NODE, refusal)
    desired = options.desired({**DEFAULTS, "refuse_logins": message, "state": state})
    made = plan(desired, seen)
    after = made.after(seen)
    assert sorted((each.action, each.resource.split(" /")[0].replace("sshd ", "")) for each in made.changes) == sorted(
        changes, key=lambda each: (each[0], each[1])
    )
    assert [len(step.arguments["files"]) for step in made.steps] == [len(changes)]
    assert plan(desired, after).steps == ()
    assert result(after)["sshd_config"]["refusal"] == ("Not here\n" if message and state == "present" else None)
