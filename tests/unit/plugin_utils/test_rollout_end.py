# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a step of a rollout, as far as it needs no AWS; tests/unit/edges/test_rollout.py has the rest."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import failure
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import Source
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import ClusterVerdict
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.rollout_end import Ended, RolloutRun

STEP = {"name": "keys", "state": "running", "text": "Wave 1 of 2: reconcile runs for a.", "run": ["a"], "wave": 1}


def run(**other: t.Any) -> RolloutRun:
    found = RolloutRun()
    found.take({"rollout": {**STEP, **other}, "inputs": {"region": "us-west-2", "profile": None, "wave": 0}})
    return found


def test_a_run_without_a_step_ends_as_usual() -> None:
    assert RolloutRun().end({}, check_mode=False) is None
    failed = RolloutRun()
    failed.take({"failed": True, "msg": "refused"})
    assert failed.end({}, check_mode=False) is None


def test_check_mode_and_a_closed_gate_record_nothing() -> None:
    assert run().end({}, check_mode=True) == Ended("Rollout keys: Wave 1 of 2: reconcile runs for a.", "running")
    waits = {"state": "waiting", "run": [], "text": "Wave 2 waits: it needs an approval."}
    assert run(**waits).end({}, check_mode=False) == Ended("Rollout keys: Wave 2 waits: it needs an approval.", "waiting")


def verdict(status: str) -> ClusterVerdict:
    found = ClusterVerdict(checked=True)
    if status == "failed":
        found.add([Source("b", "b", "b", trusted=True).reported(failure("task-failed", "AccessDenied"))])
    return found


def test_a_cluster_that_may_not_wait_makes_the_call_fail() -> None:
    ended = run(state="waiting", run=[]).end({"b": verdict("failed"), "a": verdict("unchanged")}, check_mode=False)
    assert ended is not None and ended.status(in_awx=True) == 2
    assert ended.text.endswith("Failed, and possibly not waiting for their wave: b. Call again.")


def test_an_action_that_another_call_prevented_is_a_failure() -> None:
    found = RolloutRun()
    found.take({"rollout": {**STEP, "state": "locked", "run": [], "text": "Another call holds the lock."}, "inputs": {"action": "abort", "wave": 0}})
    ended = found.end({}, check_mode=False)
    assert ended is not None and ended.status(in_awx=True) == 2 and "The action abort was not carried out." in ended.text


def test_a_result_that_cannot_be_recorded_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CONFIG_FILE", "/no/such/file")
    found = RolloutRun()
    found.take({"rollout": STEP, "inputs": {"region": "us-west-2", "profile": "no-such-profile", "wave": 0}})
    ended = found.end({}, check_mode=False)
    assert ended is not None and ended.state == "" and ended.status(in_awx=True) == 2
    assert ended.text.startswith("Rollout keys: The results of this step could not be recorded: ")
    assert ended.text.endswith("The next call runs the playbook again for a.")


@pytest.mark.parametrize(
    ("state", "status", "in_awx"),
    [("done", 0, 0), ("passed", 0, 0), ("running", 10, 0), ("waiting", 10, 0), ("locked", 10, 0), ("stopped", 2, 2), ("aborted", 2, 2), ("", 2, 2)],
)
def test_the_exit_status_of_each_state(state: str, status: int, in_awx: int) -> None:
    assert (Ended("", state).status(in_awx=False), Ended("", state).status(in_awx=True)) == (status, in_awx)


@pytest.mark.parametrize(("state", "status"), [("passed", 0), ("done", 0), ("running", 10), ("waiting", 10), ("locked", 10), ("stopped", 2)])
def test_a_call_for_one_wave_succeeds_in_awx_only_once_the_wave_has_ended(state: str, status: int) -> None:
    """Otherwise a workflow would ask for the approval of the next wave."""
    assert Ended("", state, wave=1).status(in_awx=True) == status
