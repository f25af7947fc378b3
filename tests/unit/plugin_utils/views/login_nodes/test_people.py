# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users, and their SSH client files."""

from __future__ import annotations

import os
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.login_nodes import people

USERS = [
    {"name": "alice", "uid": 20001, "home": "/fsx/alice"},
    {"name": "bob", "uid": 20002, "state": "absent"},
    {"name": "carol", "uid": 20003, "state": "present"},
    {"name": "mallory", "uid": 20009},
]


def test_remaining_users_must_be_able_to_log_in(of_cluster: t.Callable[..., dict[str, t.Any]]) -> None:
    given = {**of_cluster(records={"offboarded": {"mallory": {"uid": 20009}}}), "login_nodes_users": USERS}
    assert people.gate_users(given) == [{"name": "alice", "uid": 20001}, {"name": "carol", "uid": 20003}]
    assert people.gate_users({**given, "login_nodes_accounts_source": "external"}) == []


@pytest.mark.parametrize(
    ("login_name", "check_mode", "written"), [("lb.example.com", False, True), ("lb.example.com", True, False), (None, False, False), ("", False, False)]
)
def test_files_are_written_if_an_endpoint_exists(
    variables: dict[str, t.Any], login_name: str | None, check_mode: bool, written: bool
) -> None:
    given = {**variables, "hyperpod_run": {"login_name": login_name}, "ansible_check_mode": check_mode}
    assert people.files(given).written is written


def test_the_names_of_the_endpoint_are_listed(variables: dict[str, t.Any]) -> None:
    given = {**variables, "hyperpod_run": {"login_name": "lb.example.com"}, "login_nodes_aliases": ["a.example.com", "lb.example.com", ""]}
    assert people.files(given).names == ["lb.example.com", "a.example.com"]
    assert people.files(variables).names == [] and people.files(variables).written is False


def test_the_folder_is_chosen(variables: dict[str, t.Any]) -> None:
    assert people.files(variables).folder == "/state/people/ml"
    assert people.files({**variables, "hyperpod_state_dir": "~/s"}).folder == os.path.expanduser("~/s/people/ml")
