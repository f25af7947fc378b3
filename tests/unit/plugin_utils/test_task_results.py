# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The source of a result, and whether it reads a node; tests of the callback and of real runs cover variables of hosts."""

from __future__ import annotations

import types
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.task_results import looks, teller_of


@pytest.mark.parametrize(("group", "cluster"), [("hyperpod_definitions", "ml"), ("web", None)])
def test_a_definition_counts_as_a_cluster(group: str, cluster: str | None) -> None:
    groups = [types.SimpleNamespace(name=group)]
    host = types.SimpleNamespace(name="ml", vars={}, get_groups=lambda: groups)
    found = teller_of(host, types.SimpleNamespace(delegate_to=None, action="mlfleet.hyperpod.cluster"))
    assert (found.cluster, found.trusted) == (cluster, True)


NODE = {"hyperpod_cluster_arn": "arn", "hyperpod_cluster_host": "ml", "hyperpod_instance_id": "i-1"}


@pytest.mark.parametrize(
    ("delegate", "action", "subject", "trusted"),
    [
        (None, "mlfleet.hyperpod.accounts", "i-1", False),
        ("localhost", "mlfleet.hyperpod.node_access", "i-1", True),
        ("ml", "mlfleet.hyperpod.login_targets", "i-1", True),
        ("ml-i-2", "mlfleet.hyperpod.slurm_user", "i-2", False),
        ("ml-i-2", "mlfleet.hyperpod.host_key_adoption", "i-1", True),
        ("{{ item }}", "mlfleet.hyperpod.slurm_user", "i-1", False),
    ],
)
def test_a_result_belongs_to_its_node_even_if_delegated(delegate: str | None, action: str, subject: str, trusted: bool) -> None:
    host = types.SimpleNamespace(name="ml-i-1", vars=NODE)
    found = teller_of(host, types.SimpleNamespace(delegate_to=delegate, action=action))
    assert (found.cluster, found.subject, found.trusted) == ("ml", subject, trusted)


@pytest.mark.parametrize(
    ("action", "result", "expected"),
    [
        ("ansible.builtin.ping", {}, True),
        ("ansible.builtin.set_fact", {}, False),
        ("mlfleet.hyperpod.cluster_info", {}, True),
        ("mlfleet.hyperpod.finding", {}, False),
        ("mlfleet.hyperpod.cluster_look", {"quiet": True}, True),
        ("mlfleet.hyperpod.cluster_look", {"quiet": False}, False),
    ],
)
def test_tasks_that_read_are_recognised(action: str, result: dict[str, t.Any], expected: bool) -> None:
    assert looks(types.SimpleNamespace(task=types.SimpleNamespace(action=action), result=result)) is expected
