# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result for a job at each stage."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.difference import masked
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Assigned, State, Wish, Workload
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.result import NOTHING, placed, result, surveyed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.survey import Found

from .jobs import LAYER, QUEUE, SPACE, condition, conditions, desired, job, live, pods, state

WISHED = desired(job(2), Wish("required", f"{LAYER}3"))
LET_IN = Workload("w", conditions=conditions(Admitted=("True", "Admitted", "")), assigned=(Assigned("main", 2),))
AGAIN = dataclasses.replace(
    LET_IN, conditions=conditions(Admitted=("True", "Admitted", ""), Evicted=("False", "Preempted", "Previously: make room"))
)
WAITS = Workload("w", conditions=conditions(QuotaReserved=("False", "WaitingForQuota", "")))
THERE = live(WISHED)
FAILED = live(WISHED, conditions=[condition("Failed", reason="X", message="y")])


def returned(found: State) -> dict[str, t.Any]:
    whole: dict[str, t.Any] = result(WISHED, found)["job"]
    return whole


def test_a_running_job_is_returned() -> None:
    assert returned(state(job=THERE, workload=LET_IN, pods=pods("n1", "n2"))) == {
        "api_version": "batch/v1",
        "kind": "Job",
        "namespace": SPACE,
        "name": "mnist",
        "queue": QUEUE,
        "hash": WISHED.rendered.hash,
        "state": "running",
        "why": "",
        "pods": 2,
        "at_work": 2,
        "workload": "w",
    }


@pytest.mark.parametrize(
    ("found", "now", "why"),
    [
        (State(), "absent", ""),
        (
            State(THERE, WAITS),
            "waiting",
            "other jobs use the quota of the queue; this job starts when enough of them have ended. "
            "Keep waiting: the job stays in its queue and starts automatically",
        ),
        (State(FAILED, LET_IN), "failed", "X: y"),
        (State(THERE, LET_IN), "admitted", ""),
        (
            State(THERE, LET_IN, denied="no."),
            "admitted",
            "the API server refuses the job's Pods: no. Keep waiting: the job stays in its queue and starts automatically",
        ),
        (
            State(THERE, LET_IN, denied=None),
            "admitted",
            "it is unknown whether the API server refuses the job's Pods, because the caller may not list events. "
            "Allow the caller to list events in the namespace, or check the events of the job",
        ),
        (State(THERE, LET_IN, pods("n1", "n2"), denied="no."), "running", ""),
    ],
)
def test_the_reason_why_a_job_does_not_run_is_returned(found: State, now: str, why: str) -> None:
    shown = returned(found)
    assert (shown["state"], shown["why"]) == (now, why)
    assert shown["workload"] == ("w" if found.workload else "")


def test_notes_are_returned() -> None:
    reaching = dataclasses.replace(WISHED.rendered, notes=("first",), rights=("privileged",))
    given = dataclasses.replace(WISHED, rendered=reaching, vanishing="it goes")
    first, reach, vanishing, back = result(given, State(THERE, AGAIN))["notes"]
    assert (first, reach, vanishing) == ("first", reaching.reach, "it goes")
    assert back.startswith(f"Job {SPACE}/mnist has been admitted again after an eviction: ") and back.endswith(".")
    assert result(WISHED, State(THERE, LET_IN))["notes"] == []
    assert result(WISHED, State())["manifest"] == masked(WISHED.rendered.manifest)


@pytest.mark.parametrize("found", [State(), State(THERE), State(None, LET_IN, pods("n1"))])
def test_without_pods_there_is_no_placement(found: State) -> None:
    assert placed(WISHED, found) == NOTHING == {"verdict": "", "told": "", "podsets": [], "rows": [], "table": []}


def test_a_placement_is_returned() -> None:
    found = placed(WISHED, state(job=THERE, workload=LET_IN, pods=pods("n1", "n2")))
    (podset,) = found["podsets"]
    assert (podset["name"], podset["mode"], podset["level"], podset["verdict"]) == ("main", "required", f"{LAYER}3", found["verdict"])
    assert [(each["domain"], each["pods"]) for each in podset["domains"]] == [("aaa", 2)]
    assert [(row["pod"], row["node"]) for row in found["rows"]] == [("mnist-0", "n1"), ("mnist-1", "n2")] and found["table"]
    assert placed(WISHED, state(job=THERE, pods=pods("n1", "n2")))["rows"]


def test_an_earlier_eviction_is_reported_with_the_placement() -> None:
    plain, again = (placed(WISHED, state(job=THERE, workload=each, pods=pods("n1", "n2")))["told"] for each in (LET_IN, AGAIN))
    assert again.startswith(f"{plain}; the job has been admitted again after an eviction")


def test_a_job_of_a_survey_is_returned() -> None:
    there = state(job=THERE, workload=LET_IN, pods=pods("n1", "n2"))
    found = surveyed(Found(WISHED, there, "cannot be read"))
    whole = result(WISHED, there)
    assert found == {**whole["job"], "ours": True, "problem": "cannot be read", "placement": whole["placement"]}
    assert surveyed(Found(WISHED, State({"metadata": {}})))["ours"] is False
