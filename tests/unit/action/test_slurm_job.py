# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wait for a job, poll by poll."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action.slurm_job import ActionModule
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import asked_again

WANTED = {"name": "llama", "user": "alice", "script": "#!/bin/sh\n", "wait_timeout": 3600, "poll_interval": 0, "replace": True}
CHANGE = {"action": "create", "resource": "job llama of alice", "field": None, "before": None, "after": None}
VARIABLES = {"hyperpod_cluster_host": "ml"}


def seen(state: str, *, number: int = 7, changes: t.Sequence[t.Any] = (), why: str = "") -> dict[str, t.Any]:
    job = {"id": number, "name": "llama", "user": "alice", "state": state, "why": why, "nodes": []}
    return {"job": job, "changed": bool(changes), "changes": list(changes)}


def test_only_the_first_poll_submits_the_job(action, monkeypatch):
    lines: list[str] = []
    monkeypatch.setattr(asked_again.display, "display", lines.append)
    results = [seen("waiting", changes=[CHANGE], why="no room (Resources)"), seen("waiting", why="no room (Resources)"), seen("running")]
    waiting, node = action(ActionModule, WANTED, *results)
    result = waiting.run(task_vars=VARIABLES)
    assert (result["changed"], result["changes"], result["job"]["state"]) == (True, [CHANGE], "running") and not result.get("failed")
    assert lines == ["ml: waited 0 s of 3600 s for job 7 (llama of alice), which is waiting: no room (Resources)"]
    again = {"name": "llama", "user": "alice", "wait_timeout": 3600, "poll_interval": 0, "state": "query"}
    assert node.calls == [WANTED, again, again]


@pytest.mark.parametrize(
    ("wait", "states", "code", "message"),
    [
        ("running", ["waiting", "running"], None, ""),
        ("running", ["succeeded"], None, ""),
        ("running", ["ending"], None, ""),
        ("finished", ["waiting", "running", "ending", "succeeded"], None, ""),
        ("running", ["waiting", "failed"], "topology-job-failed", "Job 7 (llama of alice) has failed: error."),
        ("finished", ["running", "cancelled"], "topology-job-failed", "Job 7 (llama of alice) has failed: error."),
        ("finished", ["running", "absent"], "topology-job-failed", "The job has ended, and Slurm no longer has its result"),
        ("none", ["waiting"], None, ""),
    ],
)
def test_the_wait_ends_by_option_and_state(action, wait, states, code, message):
    results = [seen(each, why="error" if each in ("failed", "cancelled") else "", number=0 if each == "absent" else 7) for each in states]
    waiting, node = action(ActionModule, {**WANTED, "wait": wait}, *results)
    result = waiting.run(task_vars=VARIABLES)
    assert node.results == [] and bool(result.get("failed")) is bool(code) and message in result.get("msg", "")
    assert result.get("hyperpod_failure", {}).get("code") == code


def test_a_job_that_still_waits_is_reported_with_its_reason(action):
    waiting, _node = action(ActionModule, {**WANTED, "wait_timeout": 0}, seen("waiting", changes=[CHANGE], why="no room"))
    result = waiting.run(task_vars=VARIABLES)
    assert result["failed"] and result["changes"] == [CHANGE] and result["hyperpod_failure"]["code"] == "topology-job-waits"
    assert result["msg"].startswith(
        "The run stopped waiting after 0 s for job 7 (llama of alice), which is waiting: no room. Run again to continue waiting"
    )


def test_check_mode_waits_for_nothing(action):
    waiting, node = action(ActionModule, WANTED, seen("waiting", changes=[CHANGE]), check=True)
    assert not waiting.run(task_vars=VARIABLES).get("failed") and len(node.calls) == 1


def test_the_wait_for_a_cancelled_job_lasts_until_it_has_ended(action):
    results = [seen("absent"), seen("ending"), seen("cancelled")]
    waiting, node = action(ActionModule, {**WANTED, "state": "absent"}, *results)
    assert not waiting.run(task_vars=VARIABLES).get("failed") and len(node.calls) == 1
    waiting, node = action(ActionModule, {**WANTED, "state": "absent"}, *results[1:])
    assert not waiting.run(task_vars=VARIABLES).get("failed") and len(node.calls) == 2


def test_the_end_of_the_wait_for_a_cancelled_job_names_no_queue(action):
    waiting, _node = action(ActionModule, {**WANTED, "state": "absent", "wait_timeout": 0}, seen("ending"))
    ending = "job 7 (llama of alice), which is ending. Run again to continue waiting until the job has ended."
    assert waiting.run(task_vars=VARIABLES)["msg"] == f"The run stopped waiting after 0 s for {ending}"


def test_a_failure_of_the_module_ends_the_wait(action):
    waiting, node = action(ActionModule, WANTED, {"failed": True, "msg": "no"}, seen("running"))
    assert waiting.run(task_vars=VARIABLES)["msg"] == "no" and len(node.results) == 1
