# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods, with their nodes, that did not meet the others."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.events import PodLog, pod_log
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.rendezvous import CHECK, not_started, unmet

from .logged import Job

UNREACHED = "The client socket has timed out after 60000ms while trying to connect to (train-0, 29500)."
WAITED = "RendezvousTimeoutError: "
MISSING = f"No process started, because some launchers did not join: {{}}. Read the logs, and check that {CHECK}."


def logs(*texts: str | None, where: str = "abc") -> list[PodLog]:
    job = Job(nodes=len(texts), network=())
    return [pod_log(dataclasses.replace(log.place, where=where[number]), texts[number]) for number, log in enumerate(job.logs())]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("", ""), None),
        (("", UNREACHED), f"No process started, because launchers could not connect to train-0:29500: train-1 on b. Check that {CHECK}."),
        ((None, UNREACHED, WAITED),
         f"No process started, because launchers could not connect to train-0:29500: train-1 on b. Check that {CHECK}."),
        ((WAITED, "", WAITED), MISSING.format("train-1 on b")),
        ((WAITED, "", ""), MISSING.format("train-1 on b, train-2 on c")),
        ((WAITED, WAITED), None),
        ((WAITED, None), None),
    ],
)  # fmt: skip
def test_a_job_without_processes_is_explained(texts: tuple[str | None, ...], expected: str | None) -> None:
    found = unmet(logs(*texts))
    assert (found.text if found else None) == expected and (found is None or found.code == "rendezvous-failed")


@pytest.mark.parametrize("what", ["DNS", "port 29500", "NetworkPolicies", "security groups"])
def test_the_next_step_is_given(what: str) -> None:
    assert what in CHECK


@pytest.mark.parametrize(
    ("silent", "which"), [([1], "1 of 2 ranks did not start: 1; no rank started in train-1 on b."), ([], "1 of 2 ranks did not start: 1.")]
)
def test_a_job_with_some_processes_is_explained(silent: list[int], which: str) -> None:
    job = Job(network=())
    job.begin()
    texts: list[t.Any] = ["" if node in silent else "\n".join(pod) for node, pod in enumerate(job.pods)]
    found = not_started(Desired(nodes=2, processes=1, steps=2, deadline=60), {1}, logs(*texts))
    assert found.code == "rank-missing" and found.text == f"{which} Read the logs, and check that {CHECK}."
