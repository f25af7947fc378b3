# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a node has changes, and the findings of one without."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.login_nodes import plan

QUIET = {"accounts": {"changed": False, "held": False}, "identity": {"changed": False}, "dirty": False}
FOUND = [{"text": "it is closed"}]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, (False, False)),
        ({"__login_nodes_sshd": {"skipped": True}, "__login_nodes_gate": {"changes": []}}, (False, False)),
        ({"__login_nodes_sshd": {"changes": ["a"]}}, (True, False)),
        ({"__login_nodes_gate": {"changes": ["a"], "readiness_gate": {"ready": True}}}, (True, True)),
    ],
)
def test_changes_of_sshd_and_gate_are_recognised(given: dict[str, t.Any], expected: tuple[bool, bool]) -> None:
    found = plan.made(given)
    assert (found.changed, found.ready) == expected


@pytest.mark.parametrize(
    ("run", "results", "dirty"),
    [
        ({}, {}, False),
        ({"identity": None}, {}, False),
        ({"accounts": {"changed": True, "held": False}}, {}, True),
        ({"identity": {"changed": True}}, {}, True),
        ({}, {"__login_nodes_sshd": {"changes": ["a"]}}, True),
    ],
)
def test_a_node_with_changes_is_dirty(run: dict[str, t.Any], results: dict[str, t.Any], dirty: bool) -> None:
    given = {"hyperpod_run": {**QUIET, **run}, "ansible_check_mode": False, **results}
    found = plan.planned(given)
    assert (found.dirty, found.users_seen) == (dirty, not dirty)
    assert plan.planned({**given, "ansible_check_mode": True}).users_seen is True


def test_held_users_are_ignored() -> None:
    run = {**QUIET, "accounts": {"changed": False, "held": True}}
    assert plan.planned({"hyperpod_run": run, "ansible_check_mode": True}).users_seen is False


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, FOUND),
        ({"ansible_check_mode": True}, []),
        ({"hyperpod_run": {**QUIET, "dirty": True}}, []),
        ({"login_nodes_drained": {"reason": "disk"}}, []),
        ({"inventory_hostname": "ml-3"}, []),
        ({"__login_nodes_gate": {"failed": True}}, []),
    ],
)
def test_the_gate_of_an_unchanged_node_is_reported(variables: dict[str, t.Any], given: dict[str, t.Any], found: t.Any) -> None:
    known = {**variables, "hyperpod_run": QUIET, "__login_nodes_gate": {"hyperpod_findings": FOUND}}
    assert plan.report({**known, **given}) == found


def test_a_node_without_a_gate_reports_nothing(variables: dict[str, t.Any]) -> None:
    assert plan.report({**variables, "hyperpod_run": QUIET}) == []
