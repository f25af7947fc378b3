# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wait for jobs, look by look."""

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


def test_the_first_look_drains_and_the_last_one_tells_who_is_left(action, monkeypatch):
    lines: list[str] = []
    monkeypatch.setattr(asked_again.display, "display", lines.append)
    waiting, node = action(ActionModule, WAIT, seen(JOB, changes=[CHANGE]), seen(JOB), seen())
    answer = waiting.run(task_vars=VARIABLES)
    assert (answer["changed"], answer["changes"]) == (True, [CHANGE])
    assert answer["slurm_nodes"]["jobs"] == [] == answer["hyperpod_findings"]
    assert lines == ["ml: waited 0 s of 3600 s for job 7 of alice (RUNNING)"]
    assert [each["jobs"] for each in node.asked] == ["refuse", "wait", "wait"]


def test_jobs_that_are_left_are_pending(action):
    waiting, _node = action(ActionModule, {**WAIT, "wait_timeout": 0}, seen(JOB))
    (finding,) = waiting.run(task_vars=VARIABLES)["hyperpod_findings"]
    assert (finding["kind"], finding["code"]) == ("pending", "jobs-running")
    assert finding["text"] == "Jobs are left after 0 s: job 7 of alice (RUNNING)."


def test_a_refusal_ends_it(action):
    waiting, node = action(ActionModule, WAIT, {"failed": True, "msg": "no"}, seen())
    assert waiting.run(task_vars=VARIABLES)["msg"] == "no" and len(node.answers) == 1


def test_nodes_are_resumed_at_once(action):
    waiting, node = action(ActionModule, {"state": "resumed"}, seen(JOB, changes=[CHANGE]))
    assert waiting.run(task_vars=VARIABLES)["changed"] and node.answers == []


def told(*reasons: str) -> dict[str, t.Any]:
    nodes = [{"name": f"n{place}", "reason": reason} for place, reason in enumerate(reasons)]
    return {"slurm_nodes": {"nodes": nodes, "jobs": [], "unknown": []}, "changed": False}


def test_hyperpod_is_waited_for_until_its_words_are_gone(action, monkeypatch):
    lines: list[str] = []
    monkeypatch.setattr(asked_again.display, "display", lines.append)
    asking = {"state": "query", "wait_timeout": 3600, "poll_interval": 0}
    waiting, node = action(ActionModule, asking, told("Action:Reboot", "Action:Replace"), told("", "Action:Replace"), told("", "ours"))
    answer = waiting.run(task_vars=VARIABLES)
    assert not answer.get("failed") and answer["slurm_nodes"]["nodes"][1]["reason"] == "ours" and node.answers == []
    assert lines[0] == "ml: waited 0 s of 3600 s for n0 (Action:Reboot), n1 (Action:Replace)" and len(lines) == 2


@pytest.mark.parametrize(
    ("reasons", "looks"), [(("Action:Reboot", "ours"), 1), (("ours", "Action:Reboot"), 2), (("Action:Replace",), 1), ((), 2)]
)
def test_jobs_are_not_waited_for_where_hyperpod_was_asked_and_are_told(action, reasons, looks):
    busy = told(*reasons)
    busy["slurm_nodes"]["jobs"] = [JOB]
    waiting, node = action(ActionModule, {**WAIT, "jobs": "wait"}, *[{**busy, "changes": []}] * looks, seen())
    answer = waiting.run(task_vars=VARIABLES)
    assert len(node.asked) == (1 if looks == 1 else 3)
    assert [each["text"] for each in answer["hyperpod_findings"]] == (["Jobs are left after 0 s: job 7 of alice (RUNNING)."] if looks == 1 else [])


def test_words_that_are_left_are_a_failure_but_not_in_check_mode(action):
    asking = {"state": "query", "wait_timeout": 1, "poll_interval": 1}
    waiting, _node = action(ActionModule, asking, *[told("Action:Reboot")] * 3)
    answer = waiting.run(task_vars=VARIABLES)
    assert answer["failed"] and answer["msg"] == "HyperPod has not acted within 1 s on n0 (Action:Reboot)."
    checking, _node = action(ActionModule, asking, told("Action:Reboot"), check=True)
    assert not checking.run(task_vars=VARIABLES).get("failed")


def test_who_only_asks_waits_for_nothing(action):
    asking, node = action(ActionModule, {"state": "query"}, told("Action:Reboot"), told(""))
    assert not asking.run(task_vars=VARIABLES).get("failed") and len(node.answers) == 1
