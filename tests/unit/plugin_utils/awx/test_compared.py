# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.compared import as_if_renamed, differences, secrets, shown
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.objects import SECRET, Object

CREDENTIAL = Object("credential", "key", {"inputs": {"username": "ops", "ssh_key_data": "secret"}})
FOUND = dataclasses.replace(CREDENTIAL, values={"inputs": {"username": "ops", "ssh_key_data": SECRET}})


def template(extra_vars: t.Any) -> Object:
    return Object("job_template", "reconcile", {"extra_vars": extra_vars})


@pytest.mark.parametrize("text", ['{"a": 1}', "---\na: 1\n", "a: 1"])
def test_variables_are_equal_in_json_and_yaml(text: str) -> None:
    assert differences(template({"a": 1}), template(text), ()) == []


@pytest.mark.parametrize("text", ["", "a: 2", '{"a": 1, "b": 2}', "- a", "}{", "a: &x [*x]"])
def test_other_variables_and_invalid_yaml_differ(text: str) -> None:
    assert differences(template({"a": 1}), template(text), ()) == ["extra_vars"]


def test_a_secret_that_awx_has_is_not_compared() -> None:
    assert (secrets(CREDENTIAL, FOUND), differences(CREDENTIAL, FOUND, ("ssh_key_data",))) == (("ssh_key_data",), [])
    assert differences(CREDENTIAL, FOUND, ()) == ["inputs"], "it is written again"


def test_a_secret_that_awx_lacks_differs() -> None:
    without = dataclasses.replace(CREDENTIAL, values={"inputs": {"username": "ops"}})
    assert (secrets(CREDENTIAL, without), differences(CREDENTIAL, without, ())) == ((), ["inputs"])


def test_defaults_that_awx_adds_to_a_notification_do_not_differ() -> None:
    def hook(**configuration: t.Any) -> Object:
        return Object("notification_template", "chat", {"notification_configuration": configuration})

    assert differences(hook(url="a"), hook(url="a", http_method="POST"), ()) == []
    assert differences(hook(url="a", http_method="PUT"), hook(url="a", http_method="POST"), ()) == ["notification_configuration"]


def test_a_diff_has_the_names_of_inputs_only() -> None:
    assert shown(CREDENTIAL, CREDENTIAL.fields) == {"inputs": {"username": "(not shown)", "ssh_key_data": "(not shown)"}}


def test_references_follow_a_rename() -> None:
    role = Object("role", "old-ops: execute job_templates", {"role": "execute"}, {"team": "old-ops"}, {"job_templates": ("old-a", "b")})
    (found,) = as_if_renamed([role], {"old-ops": "ops", "old-a": "a"})
    assert (found.name, found.refers, found.lists) == ("ops: execute job_templates", {"team": "ops"}, {"job_templates": ("a", "b")})
