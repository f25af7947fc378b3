# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Assigned, State, Workload
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.stages import (
    described,
    expected,
    reached,
    stage_of,
    why_never,
)

from .jobs import UID, condition, conditions, desired, hyperpod_job, job, live, pods, train_job

WISHED = desired(job(2))
WAITS = Workload("w", conditions=conditions(QuotaReserved=("False", "WaitingForQuota", "")))
ADMITTED = Workload("w", conditions=conditions(Admitted=("True", "Admitted", "")), assigned=(Assigned("main", 2),))
OFF = Workload("w", active=False, conditions=conditions(Evicted=("True", "Deactivated", "too often")))
THERE = live(WISHED)
DONE, FAILED = live(WISHED, conditions=[condition("Complete")]), live(WISHED, conditions=[condition("Failed", reason="X", message="y\n")])


@pytest.mark.parametrize(
    ("state", "now", "stages", "text"),
    [
        (State(), "absent", (), "absent"),
        (State(THERE), "waiting", ("none",), "waiting (Kueue has not created a Workload for the job yet)"),
        (State(THERE, WAITS), "waiting", ("none",), "waiting (other jobs use the quota of the queue"),
        (State(THERE, ADMITTED), "admitted", ("none", "admitted"), "admitted, 0 of 2 Pods running"),
        (State(THERE, ADMITTED, pods("n1", "")), "admitted", ("none", "admitted"), "admitted, 1 of 2 Pods running"),
        (State(THERE, ADMITTED, pods("n1", "n2")), "running", ("none", "admitted", "running"), "running, 2 of 2 Pods running"),
        (State(DONE), "succeeded", ("none", "admitted", "running", "finished"), "succeeded"),
        (State({"metadata": {"uid": UID, "deletionTimestamp": "x"}}), "absent", ("none",), "absent"),
        (State(FAILED, ADMITTED, pods("n1", "n2")), "failed", ("none",), "failed"),
        (State(THERE, OFF), "waiting", ("none",), "waiting (it was deactivated"),
    ],
)
def test_the_stage_of_a_job_is_recognised(state, now, stages, text):
    assert stage_of(WISHED, state) == now and described(WISHED, state).startswith(text)
    assert tuple(each for each in ("none", "admitted", "running", "finished") if reached(WISHED, state, each)) == stages


@pytest.mark.parametrize("kind", ["Complete", "Completed", "Succeeded"])
def test_the_success_condition_differs_by_kind(kind):
    assert stage_of(WISHED, State(live(WISHED, conditions=[condition(kind)]))) == "succeeded"
    assert stage_of(WISHED, State(live(WISHED, conditions=[condition(kind, "False")]))) == "waiting"


def test_the_number_of_pods_may_be_unknown():
    made = train_job()
    del made["spec"]["trainer"]["numNodes"]
    of = desired(made)
    assert expected(of, State(live(of))) == 0 and described(of, State(live(of), WAITS)).startswith("waiting")
    assert expected(of, State(live(of), Workload("w", pods={"node": 3}))) == 3


def test_the_number_of_expected_pods_is_computed():
    assert expected(WISHED, State(THERE)) == 2
    assert expected(WISHED, State(THERE, Workload("w", pods={"main": 3}))) == 3
    assert expected(WISHED, State(THERE, Workload("w", pods={"main": 3}, assigned=(Assigned("main", 1),)))) == 1


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (State(), "it or its namespace was deleted. Run again"),
        (State({"metadata": {"uid": "another"}}), "a different job with its name was created"),
        (State(FAILED), "it has failed (X: y?). An ended job is not run again"),
        (State(live(desired(job()), conditions=[condition("Failed")])), "it has failed (no reason is reported)"),
        (State({"metadata": {"uid": UID, "deletionTimestamp": "x"}}), "it is being deleted"),
        (State(THERE, OFF), "it was deactivated and no longer starts automatically (too often). Set spec.active of Workload w to true"),
    ],
)
def test_a_wait_that_cannot_succeed_ends(state, text):
    assert text in why_never(WISHED, state, State(THERE))


GOES = desired(hyperpod_job())
STAYS = {**hyperpod_job(), "spec": {**hyperpod_job()["spec"], "runPolicy": {"ttlSecondsAfterFinished": -1}}}
REMOVAL = "it ended and was removed 0 s later (spec.runPolicy.ttlSecondsAfterFinished)"


@pytest.mark.parametrize(
    ("of", "seen", "text"),
    [
        (GOES, pods("n1", podset="pod"), f"{REMOVAL}, so its result is unknown. Check the job's output"),
        (GOES, (), f"it or its namespace was deleted, or {REMOVAL}. Run again"),
        (desired(STAYS), pods("n1", podset="pod"), "it or its namespace was deleted. Run again"),
        (WISHED, pods("n1"), "it or its namespace was deleted. Run again"),
    ],
)
def test_a_job_with_automatic_removal_is_not_reported_as_deleted(of, seen, text):
    assert why_never(of, State(), State(live(of), ADMITTED, seen)).startswith(text)


@pytest.mark.parametrize("state", [State(THERE), State(THERE, WAITS), State(DONE)])
def test_a_wait_that_can_succeed_continues(state):
    assert why_never(WISHED, state, State(THERE)) is None
