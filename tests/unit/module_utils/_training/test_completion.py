# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts and causes of a job that did not finish; test_verdict.py has the codes."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.completion import completion
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.history import history
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.rendezvous import CHECK

from .logged import ATTEMPT, Job

TWO = Desired(nodes=2, processes=1, steps=20, deadline=60)


def texts(job: Job, *, unread: t.Collection[int] = ()) -> list[str]:
    logs = job.logs(unread=unread)
    return [problem.text for problem in completion(TWO, history(logs, ranks=2), logs)]


def started(event: str = "", rank: int = 1, /, **fields: t.Any) -> Job:
    job = Job()
    job.begin()
    if event:
        job.add(event, rank, **{"phase": "train", "step": 3, **fields})
    return job


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        (started("error", type="ValueError", message="One. Two."),
         "Rank 1, phase train, step 3: ValueError: One; Two. Read the log of the rank's Pod."),
        (started("error", type="FileNotFoundError", message="x", phase="share"),
         "Rank 1, phase share, step 3: the checkpoint of rank 0 is not visible. Use storage that all nodes share."),
        (started("deadline", seconds=60, phase=""),
         "Rank 1, phase unknown, step 3: the job did not finish within 60 s. Check the ranks that are behind, and the network."),
        (started(), "Ranks stopped without an error: 0, 1. Check whether their containers ran out of memory."),
        (started("deadline", seconds=60, phase="join"),
         "Rank 1, phase join, step 3: the job did not finish within 60 s. "
         "Check that NetworkPolicies and security groups allow all traffic between the nodes."),
        (Job(), f"2 of 2 ranks did not start: 0, 1; no rank started in train-0, train-1. Read the logs, and check that {CHECK}."),
    ],
)  # fmt: skip
def test_the_first_cause_is_reported(job: Job, expected: str) -> None:
    assert texts(job)[0] == expected


def test_a_signal_for_all_ranks_is_one_cause() -> None:
    job = started("ended", signal=15)
    job.add("ended", 0, signal=15, phase="join", step=0)
    assert texts(job) == ["Rank 1, phase train, step 3: signal 15 ended the process. Check who deleted or evicted the Pod."]


def test_an_unread_log_is_no_missing_rank() -> None:
    job = Job()
    assert texts(job, unread=[1]) == []


@pytest.mark.parametrize(("ready", "expected"), [(False, ["rank-missing", "deadline"]), (True, ["deadline", "rank-missing"])])
def test_ranks_that_are_missing_are_the_cause_unless_others_joined(ready: bool, expected: list[str]) -> None:
    job = started("deadline", 0, seconds=60, attempt=ATTEMPT if ready else 0)
    job.pods[1] = []
    if not ready:
        job.without('"ready"')
    logs = job.logs()
    assert [problem.code for problem in completion(TWO, history(logs, ranks=2), logs)] == expected
