# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals before the first change."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.offboarding import declared

from .conftest import texts

PROTECTED = "root, ubuntu, ec2-user, hyperpod-ops"


@pytest.mark.parametrize("uid", [0, "0", 1000, "65533", 65536, 4294967294])
def test_valid_variables_are_accepted(variables: dict[str, t.Any], uid: t.Any) -> None:
    assert declared.refusals({**variables, "offboarding_uid": uid}) == []


@pytest.mark.parametrize("name", ["", "Mallory", "9lives", "root", "hyperpod-ops", "a" * 33, "mallory\n"])
def test_a_name_must_be_valid_for_a_user(variables: dict[str, t.Any], name: str) -> None:
    (refusal,) = declared.refusals({**variables, "offboarding_name": name})
    assert refusal["code"] == "option-refused" and refusal["subject"] == "offboard_name"
    assert refusal["text"].endswith(f"Allowed: a user name of 1 to 32 characters of a-z, 0-9, _ and -, except {PROTECTED}.")


@pytest.mark.parametrize("uid", [1, 999, 65534, "65535", 4294967295, -1])
def test_a_uid_must_be_valid_for_a_user(variables: dict[str, t.Any], uid: t.Any) -> None:
    assert texts(declared.refusals({**variables, "offboarding_uid": uid})) == [
        f"offboard_uid: {uid} is not allowed. Allowed: 1000 to 4294967294, except 65534 and 65535; lower UIDs are system accounts."
    ]


def test_hooks_must_exist(variables: dict[str, t.Any]) -> None:
    given = {**variables, "offboarding_hooks": [__file__, "/no/such/file"]}
    assert texts(declared.refusals(given)) == ["offboard_hooks: /no/such/file is not allowed. Allowed: existing files with tasks."]
    assert declared.hook_paths({"offboarding_hooks": ["/a"]}) == declared.hook_paths({"offboarding_hooks": "/a"}) == ["/a"]


def test_users_files_are_read(variables: dict[str, t.Any]) -> None:
    assert len(declared.refusals({**variables, "offboarding_users_files": ["/no/such/file"]})) == 1
