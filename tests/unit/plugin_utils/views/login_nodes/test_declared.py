# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals before the first change."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.login_nodes import NUMBERS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.login_nodes import declared


def refusals(variables: dict[str, t.Any], **given: t.Any) -> list[str]:
    known = {**variables["hostvars"]["ml-1"], "hyperpod_people_port": 222, **given}
    found = declared.refusals({**variables, **given, "hostvars": {"ml-1": known}})
    assert all((each["code"], each["kind"]) == ("option-refused", "failure") for each in found)
    return [each["text"] for each in found]


@pytest.mark.parametrize("startups", [{}, {"login_nodes_max_startups": "1:1:1"}, {"login_nodes_max_startups": "10:100:60"}])
def test_valid_variables_are_accepted(variables: dict[str, t.Any], startups: dict[str, str]) -> None:
    assert refusals(variables, **startups) == []


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_have_ranges(variables: dict[str, t.Any], name: str) -> None:
    first, last = NUMBERS[name]
    assert [len(refusals(variables, **{name: each})) for each in (first - 1, last + 1)] == [1, 1]
    assert "is not allowed. Allowed: three" not in "".join(refusals(variables, **{name: first}))


def test_all_errors_are_reported_together(variables: dict[str, t.Any]) -> None:
    messages = refusals(variables, login_nodes_ssh_port=0, login_nodes_confirm_timeout=5, login_nodes_max_startups="x")
    assert messages == [
        "login_nodes_confirm_timeout: 5 is not allowed. Allowed: 15 to 900.",
        "login_nodes_ssh_port: 0 is not allowed. Allowed: 1 to 65535.",
        "login_nodes_max_startups: x is not allowed. Allowed: start:rate:full, with start from 1 to full and rate from 1 to 100.",
    ]


@pytest.mark.parametrize(
    "ports", [{"login_nodes_gate_port": "222"}, {"login_nodes_ssh_port": 223}, {"login_nodes_people_port": "22"}]
)
def test_ports_must_differ(variables: dict[str, t.Any], ports: dict[str, t.Any]) -> None:
    (message,) = refusals(variables, **ports)
    assert message.endswith("Allowed: three different ports.")


def test_ports_are_reported_under_the_names_that_were_set(variables: dict[str, t.Any]) -> None:
    (message,) = refusals(variables, login_nodes_ssh_port=222)
    assert message.startswith("hyperpod_people_port: 222 is not allowed: login_nodes_gate_port is 223 and login_nodes_ssh_port is 222.")


@pytest.mark.parametrize("value", ["", "10", "10:30", "a:1:1", "0:30:60", "61:30:60", "10:0:60", "10:101:60", "10:30:60:1", None])
def test_an_invalid_max_startups_is_refused(variables: dict[str, t.Any], value: object) -> None:
    (message,) = refusals(variables, login_nodes_max_startups=value)
    assert message.startswith(f"login_nodes_max_startups: {value} is not allowed. Allowed: start:rate:full")
