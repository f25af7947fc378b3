# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables are refused under the names that the user set, and missing requirements of the controller are reported."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import controller, limits, variables

ROOT = Path(__file__).resolve().parents[4]
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxpZXMgbGllcyBsaWVzIGxpZXMgbGllcyBsaWVzICEh"
SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----\nTOPSECRET"
PASSED_ON = re.compile(r'^ *(\w+): "\{\{ (\w+)(?: \| default\([^()]*\))?(?: \| bool)? \}\}"', re.M)
"""A variable of a role whose value is another variable."""
PREFIXES = (
    *("accounts", "host_keys", "login_nodes", "login_balancer", "client_vpn", "offboarding", "adoption"),
    *("run", "node_access", "full_look", "records", "access_report", "drain"),
)


@pytest.mark.parametrize(
    ("roles", "known", "sentence"),
    [
        (["offboarding"], {"offboard_jobs": "kill"}, "offboard_jobs: 'kill' is not allowed. Allowed: report, cancel."),
        (["offboarding"], {"offboard_uid": "x"}, "offboard_uid: 'x' is not allowed. Allowed: whole numbers."),
        (["offboarding"], {"hyperpod_users": {"alice": {}}}, "hyperpod_users: a mapping is not allowed. Allowed: a list."),
        (["host_keys"], {"rotation": "begin"}, "rotation: 'begin' is not allowed. Allowed: start, finish, rollback, emergency."),
        (["records"], {"unlock_running": "maybe"}, "unlock_running: 'maybe' is not allowed. Allowed: true and false."),
        (["host_keys"], {"rotation_min_days": "many"}, "rotation_min_days: 'many' is not allowed. Allowed: whole numbers."),
        (["accounts"], {"hyperpod_accounts_source": "ldap"}, "hyperpod_accounts_source: 'ldap' is not allowed. Allowed: local, external."),
        (["login_nodes"], {"login_nodes_user_keys": "no"}, "login_nodes_user_keys: 'no' is not allowed. Allowed: allow, deny."),
        (["login_balancer"], {"login_balancer_port": "ssh"}, "login_balancer_port: 'ssh' is not allowed. Allowed: whole numbers."),
        (["login_balancer"], {"login_balancer_tags": "team"}, "login_balancer_tags: 'team' is not allowed. Allowed: a mapping, {name: value}."),
        (["login_nodes", "login_balancer"], {"hyperpod_gate_port": "x"}, "hyperpod_gate_port: 'x' is not allowed. Allowed: whole numbers."),
        (["client_vpn"], {"vpn_urgent": "maybe"}, "vpn_urgent: 'maybe' is not allowed. Allowed: true and false."),
        (["client_vpn"], {"hyperpod_users": [{"name": "alice", "uid": "x"}]}, "hyperpod_users[alice].uid: 'x' is not allowed. Allowed: whole"),
        (["accounts"], {"accounts_users": ["alice"]}, "accounts_users[0]: a text is not allowed. Allowed: a mapping, as in"),
        (["accounts"], {"hyperpod_users": ["alice"], "hyperpod_groups": "x"}, "hyperpod_groups: a text is not allowed. Allowed: a list, with"),
    ],
)
def test_an_invalid_value_is_reported_under_the_name_that_was_set(roles: list[str], known: dict[str, t.Any], sentence: str) -> None:
    messages = variables.problems(known, roles)
    assert [each for each in messages if sentence in each] and len(messages) == len(known), messages


@pytest.mark.parametrize(
    ("roles", "known"),
    [
        (["client_vpn"], {"hyperpod_accounts_source": "ldap", "offboard_jobs": "kill"}),  # not used by this run
        (["host_keys"], {"host_keys_vaulted": SECRET}),  # a secret is not read for this check
        (["accounts", "host_keys", "login_nodes", "run"], {"rotation_min_days": "30", "login_nodes_aliases": "a,b", "hyperpod_users": None}),
        (["login_balancer"], {}),
    ],
)
def test_valid_values_are_accepted(roles: list[str], known: dict[str, t.Any]) -> None:
    assert variables.problems(known, roles) == []


def test_every_variable_that_is_passed_on_is_in_the_table() -> None:
    """From the defaults of roles and from playbooks, so that no refusal names a variable that the user did not set."""
    files = [*ROOT.glob("roles/*/defaults/main.yml"), *ROOT.glob("playbooks/**/*.yml")]
    pairs = {pair for file in files for pair in PASSED_ON.findall(file.read_text())}
    passed_on = {role: public for role, public in pairs if role.startswith(PREFIXES)}
    passed_on.pop("drain_chosen_nodes")  # reported as drain_chosen_by
    passed_on.pop("client_vpn_leaver")  # checked as offboard_name
    assert len(passed_on) > 30
    file = passed_on.pop("run_operations_public_key_file")
    assert file == controller.FILE
    assert passed_on.items() <= variables.SET_BY.items()


@pytest.mark.parametrize(
    ("known", "name"),
    [
        ({"hyperpod_users": []}, "hyperpod_users"),
        ({"accounts_users": []}, "accounts_users"),
        ({"accounts_users": [], "hyperpod_users": []}, "accounts_users"),
        ({}, "accounts_users"),  # set by a play
    ],
)
def test_the_name_that_was_set_is_found(known: dict[str, t.Any], name: str) -> None:
    assert variables.set_by("accounts_users", known) == name


def test_errors_of_numbers_and_texts_are_reported_together_under_the_names_that_were_set() -> None:
    values = {"login_nodes_gate_port": 70000, "login_nodes_ssh_port": 22, "login_nodes_confirm_timeout": "5"}
    ranges = {"login_nodes_gate_port": [1, 65535], "login_nodes_ssh_port": [1, 65535], "login_nodes_confirm_timeout": [15, 900]}
    assert limits.range_problems(values, ranges, {"hyperpod_gate_port": 70000}) == [
        "hyperpod_gate_port: 70000 is not allowed. Allowed: 1 to 65535.",
        "login_nodes_confirm_timeout: 5 is not allowed. Allowed: 15 to 900.",
    ]
    rules = {name: {"pattern": "^sg-[0-9a-f]+$", "allowed": "IDs, as in sg-0"} for name in ("a", "b", "c")}
    assert limits.text_problems({"a": "lab", "b": ["sg-1", "x", "y"], "c": []}, rules, {}) == [
        "a: lab is not allowed. Allowed: IDs, as in sg-0.",
        "b: x, y is not allowed. Allowed: IDs, as in sg-0.",
    ]


@pytest.mark.parametrize(
    ("text", "known", "sentence"),
    [
        (KEY + " ops@bastion\n", {}, None),
        (KEY, {"hyperpod_operations_public_key": KEY}, None),
        ("", {}, "hyperpod_operations_public_key_file: /no/such.pub does not exist. Create the file with ssh-keygen -t ed25519, name a different file,"),
        ("", {"hyperpod_operations_public_key": ""}, "hyperpod_operations_public_key: an empty text is not allowed. Allowed: one line with a public key"),
        (SECRET, {}, "hyperpod_operations_public_key_file: /no/such.pub is not allowed: it begins with -----BEGIN. Allowed: one line"),
        (SECRET, {"hyperpod_operations_public_key": SECRET}, "hyperpod_operations_public_key: -----BEGIN … is not allowed. Allowed: one line"),
        (f"{KEY}\n{KEY}", {"hyperpod_operations_public_key": ""}, "hyperpod_operations_public_key: ssh-ed25519 … is not allowed. Allowed: one line"),
        ("ssh-ed25519 AAAA", {"run_operations_public_key": ""}, "run_operations_public_key: ssh-ed25519 … is not allowed. Allowed: one"),
    ],
)
def test_the_operations_key_is_checked_according_to_its_source(text: str, known: dict[str, str], sentence: str | None) -> None:
    messages = controller.operations_key_problems(text, "/no/such.pub", known)
    assert (messages == []) if sentence is None else (len(messages) == 1 and messages[0].startswith(sentence)), messages
    assert "TOPSECRET" not in str(messages)


def program(folder: Path, name: str, output: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho {output}\n")
    path.chmod(0o755)


def test_programs_for_sessions_are_required_if_the_connection_needs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path, "aws", "x")
    assert controller.program_problems("jump") == controller.program_problems("direct") == []
    assert controller.program_problems("ssm")[0].startswith(
        "Sessions with nodes need a program on the control node: session-manager-plugin was not found on PATH"
    )
    program(tmp_path, "session-manager-plugin", "1.2.463.0")
    assert "must be version 1.2.764.0 or newer" in controller.program_problems("ssm")[0]
    program(tmp_path, "session-manager-plugin", "1.2.764.0")
    assert controller.program_problems("ssm") == []
