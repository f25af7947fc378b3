# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wait for jobs, poll by poll."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action.slurm_nodes import ActionModule
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import asked_again

JOB = {"id": "7", "user": "alice", "state": "RUNNING", "nodes": ["n0", "n9"]}
CHANGE = {"action": "update", "resource": "Slurm node a", "field": "state", "before": None, "after": "drained: disk"}
WAIT = {"state": "drained", "wait_timeout": 3600, "poll_interval": 0, "jobs": "refuse"}
VARIABLES = {"hyperpod_cluster_host": "ml"}


def seen(*jobs: dict[str, t.Any], changes: t.Sequence[dict[str, t.Any]] = ()) -> dict[str, t.Any]:
    return {"slurm_nodes": {"nodes": [], "jobs": list(jobs), "unknown": []}, "changed": bool(changes), "changes": list(changes)}


def test_the_first_poll_drains_and_the_last_one_lists_remaining_jobs(action, monkeypatch):
    lines: list[str] = []
    monkeypatch.setattr(asked_again.display, "display", lines.append)
    waiting, node = action(ActionModule, WAIT, seen(JOB, changes=[CHANGE]), seen(JOB), seen())
    result = waiting.run(task_vars=VARIABLES)
    assert (result["changed"], result["changes"]) == (True, [CHANGE])
    assert result["slurm_nodes"]["jobs"] == [] == result["hyperpod_findings"]
    assert lines == ["ml: waited 0 s of 3600 s for job 7 of alice (RUNNING)"]
    assert [each["jobs"] for each in node.calls] == ["refuse", "wait", "wait"]


def test_remaining_jobs_are_pending(action):
    waiting, _node = action(ActionModule, {**WAIT, "wait_timeout": 0}, seen(JOB))
    (finding,) = waiting.run(task_vars=VARIABLES)["hyperpod_findings"]
    assert (finding["kind"], finding["code"]) == ("pending", "jobs-running")
    assert finding["text"] == "These jobs are left after 0 s: job 7 of alice (RUNNING)."


def test_a_failure_of_the_module_ends_the_wait(action):
    waiting, node = action(ActionModule, WAIT, {"failed": True, "msg": "no"}, seen())
    assert waiting.run(task_vars=VARIABLES)["msg"] == "no" and len(node.results) == 1


def test_nodes_are_resumed_at_once(action):
    waiting, node = action(ActionModule, {"state": "resumed"}, seen(JOB, changes=[CHANGE]))
    assert waiting.run(task_vars=VARIABLES)["changed"] and node.results == []


def listed(*reasons: str) -> dict[str, t.Any]:
    nodes = [{"name": f"n{place}", "reason": reason} for place, reason in enumerate(reasons)]
    return {"slurm_nodes": {"nodes": nodes, "jobs": [], "unknown": []}, "changed": False}


def test_the_wait_lasts_until_hyperpod_has_cleared_the_reasons(action, monkeypatch):
    lines: list[str] = []
    monkeypatch.setattr(asked_again.display, "display", lines.append)
    wait = {"state": "query", "wait_timeout": 3600, "poll_interval": 0}
    waiting, node = action(ActionModule, wait, listed("Action:Reboot", "Action:Replace"), listed("", "Action:Replace"), listed("", "ours"))
    result = waiting.run(task_vars=VARIABLES)
    assert not result.get("failed") and result["slurm_nodes"]["nodes"][1]["reason"] == "ours" and node.results == []
    assert lines[0] == "ml: waited 0 s of 3600 s for n0 (Action:Reboot), n1 (Action:Replace)" and len(lines) == 2


@pytest.mark.parametrize(
    ("reasons", "polls"), [(("Action:Reboot", "ours"), 1), (("ours", "Action:Reboot"), 2), (("Action:Replace",), 1), ((), 2)]
)
def test_jobs_are_reported_without_a_wait_if_hyperpod_was_requested_to_act(action, reasons, polls):
    busy = listed(*reasons)
    busy["slurm_nodes"]["jobs"] = [JOB]
    waiting, node = action(ActionModule, {**WAIT, "jobs": "wait"}, *[{**busy, "changes": []}] * polls, seen())
    result = waiting.run(task_vars=VARIABLES)
    assert len(node.calls) == (1 if polls == 1 else 3)
    assert [each["text"] for each in result["hyperpod_findings"]] == (["These jobs are left after 0 s: job 7 of alice (RUNNING)."] if polls == 1 else [])


def test_remaining_reasons_are_a_failure_but_not_in_check_mode(action):
    wait = {"state": "query", "wait_timeout": 1, "poll_interval": 1}
    waiting, _node = action(ActionModule, wait, *[listed("Action:Reboot")] * 3)
    result = waiting.run(task_vars=VARIABLES)
    assert result["failed"] and result["msg"] == "HyperPod did not carry out these requested repairs within 1 s: n0 (Action:Reboot)."
    checking, _node = action(ActionModule, wait, listed("Action:Reboot"), check=True)
    assert not checking.run(task_vars=VARIABLES).get("failed")


def test_a_query_without_a_timeout_does_not_wait(action):
    querying, node = action(ActionModule, {"state": "query"}, listed("Action:Reboot"), listed(""))
    assert not querying.run(task_vars=VARIABLES).get("failed") and len(node.results) == 1
