# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A look runs in this process if the module would run the same way here; otherwise the module runs."""

from __future__ import annotations

import sys
import types
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action.cluster_look import ActionModule
from ansible_collections.mlfleet.hyperpod.plugins.modules import cluster_look

PLACE = {"hyperpod_account_id": "111111111111", "hyperpod_region": "us-west-2"}
VARIABLES = {
    "ansible_python_interpreter": sys.executable,
    "inventory_hostname": "ml",
    "groups": {"hyperpod_clusters": ["ml"], "cluster_ml": ["ml", "ml-i-1"]},
    "hostvars": {"ml": PLACE, "ml-i-1": {}},
    "hyperpod_cluster_group": "cluster_ml",
    "hyperpod_cluster_key": "ml",
    **PLACE,
}
TASK = {"cluster_arn": "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"}
BY_MODULE = {"quiet": False}
Result = tuple[dict[str, t.Any], list[dict[str, t.Any]]]


@pytest.fixture
def look(action: t.Callable[..., t.Any], monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., Result]:
    """A function with the result of a look and the module's calls. The cluster is quiet in this process, and not by the module."""
    monkeypatch.setattr(cluster_look, "query", lambda caller: {"quiet": True, "nodes": caller.params["instance_ids"]})

    def run(
        options: t.Mapping[str, t.Any] | None = None,
        *,
        python: str = sys.executable,
        transport: str = "local",
        become: object = None,
        **keywords: t.Any,
    ) -> Result:
        made, node = action(ActionModule, dict(options or TASK), BY_MODULE, transport=transport)
        vars(made._task).update({"environment": [{}], "timeout": 0, **keywords})
        made._connection.become = become
        made._templar = types.SimpleNamespace(template=lambda value: value)
        return made.run(task_vars={**VARIABLES, "ansible_python_interpreter": python}), node.calls

    return run


def test_a_look_runs_here_with_the_modules_options(look: t.Callable[..., Result]) -> None:
    result, calls = look()
    assert (result["quiet"], result["changed"], result["nodes"], calls) == (True, False, ["i-1"], [])


@pytest.mark.parametrize(
    "change",
    [
        {"python": "/usr/bin/python3"},
        {"transport": "ssh"},
        {"become": object()},
        {"environment": [{}, {"AWS_PROFILE": "other"}]},
        {"delegate_to": "bastion"},
        {"timeout": 60},
        {"options": {**TASK, "state": "absent"}},
        {"options": {**TASK, "debug_botocore_endpoint_logs": True}},
        {"options": {**TASK, "unknown": 1}},
    ],
    ids=["Python", "connection", "become", "environment", "delegation", "timeout", "a change", "endpoint logs", "an unknown option"],
)
def test_the_module_runs_in_all_other_cases(look: t.Callable[..., Result], change: dict[str, t.Any]) -> None:
    result, calls = look(**change)
    assert result["quiet"] is False and len(calls) == 1
