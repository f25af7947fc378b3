# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules run in this process if they only read or in check mode, and if the module would run the same way here."""

from __future__ import annotations

import sys
import types
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action import cluster_info

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
TASK = {"cluster_arn": ARN, "region": "us-west-2"}
BY_MODULE = {"here": False}
Result = tuple[dict[str, t.Any], list[dict[str, t.Any]]]


@pytest.fixture
def run(action: t.Callable[..., t.Any], monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., Result]:
    """A function with the result of a task and the module's calls."""
    for module in cluster_info.MODULES.values():
        monkeypatch.setattr(module, "run", lambda caller: caller.exit_json(here=True))

    def run(name: str, *, check: bool = False, python: str = sys.executable, **options: t.Any) -> Result:
        made, node = action(cluster_info.ActionModule, {**TASK, **options}, BY_MODULE, check=check)
        vars(made._task).update(action=name, environment=[{}], timeout=0)
        made._connection.become = None
        made._templar = types.SimpleNamespace(template=lambda value: value)
        made._execute_module = lambda **_more: node.execute(module_args={})
        return made.run(task_vars={"ansible_python_interpreter": python}), node.calls

    return run


@pytest.mark.parametrize(
    ("name", "options", "check", "here"),
    [
        ("mlfleet.hyperpod.cluster_info", {}, False, True),
        ("cluster_node_info", {}, False, True),
        ("mlfleet.hyperpod.cluster_lock", {"state": "query"}, False, True),
        ("mlfleet.hyperpod.cluster_lock", {"state": "absent"}, False, False),
        ("mlfleet.hyperpod.cluster_lock", {"state": "absent"}, True, True),
        ("mlfleet.hyperpod.host_key_secret", {}, False, False),
        ("mlfleet.hyperpod.host_key_secret", {}, True, True),
    ],
)
def test_only_a_module_that_changes_nothing_runs_here(
    run: t.Callable[..., Result], name: str, options: dict[str, t.Any], check: bool, here: bool
) -> None:
    result, calls = run(name, check=check, **options)
    assert (result["here"], len(calls)) == (here, 0 if here else 1)


def test_with_another_python_the_module_runs(run: t.Callable[..., Result]) -> None:
    result, calls = run("mlfleet.hyperpod.cluster_info", python="/usr/bin/python3")
    assert (result["here"], len(calls)) == (False, 1)
