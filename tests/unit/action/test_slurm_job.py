# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wait for a job, look by look."""

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


def test_it_is_submitted_by_the_first_look_alone(action, monkeypatch):
    lines: list[str] = []
    monkeypatch.setattr(asked_again.display, "display", lines.append)
    answers = [seen("waiting", changes=[CHANGE], why="no room (Resources)"), seen("waiting", why="no room (Resources)"), seen("running")]
    waiting, node = action(ActionModule, WANTED, *answers)
    answer = waiting.run(task_vars=VARIABLES)
    assert (answer["changed"], answer["changes"], answer["job"]["state"]) == (True, [CHANGE], "running") and not answer.get("failed")
    assert lines == ["ml: waited 0 s of 3600 s for job 7 (llama of alice), which is waiting: no room (Resources)"]
    again = {"name": "llama", "user": "alice", "wait_timeout": 3600, "poll_interval": 0, "state": "query"}
    assert node.asked == [WANTED, again, again]


@pytest.mark.parametrize(
    ("wait", "states", "code", "said"),
    [
        ("running", ["waiting", "running"], None, ""),
        ("running", ["succeeded"], None, ""),
        ("running", ["ending"], None, ""),
        ("finished", ["waiting", "running", "ending", "succeeded"], None, ""),
        ("running", ["waiting", "failed"], "topology-job-failed", "Job 7 (llama of alice) has failed: error."),
        ("finished", ["running", "cancelled"], "topology-job-failed", "Job 7 (llama of alice) has failed: error."),
        ("finished", ["running", "absent"], "topology-job-failed", "it has ended, but Slurm no longer has its result"),
        ("none", ["waiting"], None, ""),
    ],
)
def test_what_ends_the_wait(action, wait, states, code, said):
    answers = [seen(each, why="error" if each in ("failed", "cancelled") else "", number=0 if each == "absent" else 7) for each in states]
    waiting, node = action(ActionModule, {**WANTED, "wait": wait}, *answers)
    answer = waiting.run(task_vars=VARIABLES)
    assert node.answers == [] and bool(answer.get("failed")) is bool(code) and said in answer.get("msg", "")
    assert answer.get("hyperpod_failure", {}).get("code") == code


def test_one_that_waits_still_is_told_with_its_reason(action):
    waiting, _node = action(ActionModule, {**WANTED, "wait_timeout": 0}, seen("waiting", changes=[CHANGE], why="no room"))
    answer = waiting.run(task_vars=VARIABLES)
    assert answer["failed"] and answer["changes"] == [CHANGE] and answer["hyperpod_failure"]["code"] == "topology-job-waits"
    assert answer["msg"].startswith("job 7 (llama of alice), which is waiting: no room after 0 s. Run again to continue waiting")


def test_check_mode_waits_for_nothing(action):
    waiting, node = action(ActionModule, WANTED, seen("waiting", changes=[CHANGE]), check=True)
    assert not waiting.run(task_vars=VARIABLES).get("failed") and len(node.asked) == 1


def test_a_cancelled_one_is_waited_for_until_it_is_gone(action):
    answers = [seen("absent"), seen("ending"), seen("cancelled")]
    waiting, node = action(ActionModule, {**WANTED, "state": "absent"}, *answers)
    assert not waiting.run(task_vars=VARIABLES).get("failed") and len(node.asked) == 1
    waiting, node = action(ActionModule, {**WANTED, "state": "absent"}, *answers[1:])
    assert not waiting.run(task_vars=VARIABLES).get("failed") and len(node.asked) == 2


def test_a_refusal_ends_it(action):
    waiting, node = action(ActionModule, WANTED, {"failed": True, "msg": "no"}, seen("running"))
    assert waiting.run(task_vars=VARIABLES)["msg"] == "no" and len(node.answers) == 1
