# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes on which the test does not start, and the wait for nodes to become idle."""

from __future__ import annotations

import dataclasses
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl import observe as observed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import Desired, Outcome
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.model import Job, SlurmNode, State

ALONE = Desired(("10.0.0.1", "10.0.0.2"), "ml.p5.48xlarge", 8, 2**30)
BESIDE_JOBS = Desired(("10.0.0.1", "10.0.0.2"), "ml.p5.48xlarge", 8, 2**30, beside_jobs=True)


def state(*states: str, jobs: int = 0, unknown: tuple[str, ...] = ()) -> State:
    nodes = tuple(SlurmNode(f"n{number}", f"10.0.0.{number}", each) for number, each in enumerate(states, 1))
    return State(nodes, tuple(Job(str(number), "alice", "RUNNING", ("n1", "n2")) for number in range(1, jobs + 1)), unknown)


def not_run(text: str, failure: str, names: tuple[str, ...] = ("n1",)) -> Outcome:
    return Outcome("not_run", text, failure, names)


MANY = ", ".join(f"{number} of alice on n1,n2" for number in range(1, 6))
STATES = ", ".join(f"n{number} is down" for number in range(1, 6))


@pytest.mark.parametrize(
    ("desired", "found", "expected"),
    [
        (ALONE, state("idle", "idle"), None),
        (ALONE, state("idle", unknown=("10.0.0.2", "10.0.0.3")), not_run("Slurm has no nodes with these addresses: 10.0.0.2, 10.0.0.3.", "allocation")),
        (ALONE, state("idle", jobs=1), not_run("Jobs run on the nodes: 1 of alice on n1,n2.", "jobs")),
        (ALONE, state("idle", jobs=7), not_run(f"Jobs run on the nodes: {MANY}.", "jobs")),
        *(
            (ALONE, state(each), not_run(f"The state of nodes in Slurm does not allow the test: n1 is {each}.", "allocation"))
            for each in ("mixed", "allocated", "completing", "down", "drained")
        ),
        (
            ALONE,
            state(*["down"] * 7),
            not_run(f"The state of nodes in Slurm does not allow the test: {STATES}.", "allocation", tuple(f"n{number}" for number in range(1, 8))),
        ),
        *((BESIDE_JOBS, state(each, jobs=1), None) for each in ("idle", "mixed", "allocated", "completing")),
        (BESIDE_JOBS, state("drained"), not_run("The state of nodes in Slurm does not allow the test: n1 is drained.", "allocation")),
    ],
)
def test_busy_and_unknown_nodes_are_refused(desired: Desired, found: State, expected: Outcome | None) -> None:
    assert observed.refusal(desired, found) == expected


IDLE, ENDING = "n1|10.0.0.1|idle|none\\n", "n1|10.0.0.1|completing|none\\n"
WORKS, COMPLETES = "7|alice|RUNNING|n1\\n", "7|alice|COMPLETING|n1\\n"


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., Path]:
    """Stand-ins for Slurm's commands: the first call prints the given text, later calls show idle nodes."""

    def commands(nodes: str, jobs: str) -> Path:
        for name, first, then in (("sinfo", nodes, IDLE), ("squeue", jobs, "")):
            calls = tmp_path / f"{name}.calls"
            script = f"#!/bin/sh\nif [ -e {calls} ]; then printf '{then}'; else printf '{first}'; fi\necho $* >> {calls}\n"
            (tmp_path / name).write_text(script)
            (tmp_path / name).chmod(0o755)
        monkeypatch.setattr(system, "SEARCH_PATH", f"{tmp_path}:/usr/bin:/bin")
        monkeypatch.setattr(observed, "POLL_SECONDS", 0.01)
        return tmp_path / "sinfo.calls"

    return commands


@pytest.mark.parametrize(
    ("nodes", "jobs", "polls"),
    [
        (IDLE, "", 1),
        (ENDING, "", 2),
        (ENDING, COMPLETES, 2),
        (ENDING, WORKS, 1),
        (ENDING.replace("completing", "allocated"), "", 1),
        (IDLE, COMPLETES, 1),
        (f"{IDLE}{ENDING.replace('n1', 'n2').replace('0.1', '0.2')}", "", 2),
        (f"n1|10.0.0.1|down|none\\n{ENDING.replace('n1', 'n2').replace('0.1', '0.2')}", "", 1),
        ("", "", 1),
    ],
)
def test_the_end_of_a_job_is_awaited(nodes: str, jobs: str, polls: int, slurm: t.Callable[..., Path]) -> None:
    calls = slurm(nodes, jobs)
    found = observed.observe(ALONE)
    assert len(calls.read_text().splitlines()) == polls
    assert polls == 1 or [each.state for each in found.nodes] == ["idle"]


def test_the_wait_for_the_end_of_a_job_is_bounded(slurm: t.Callable[..., Path]) -> None:
    calls = slurm(ENDING, "")
    assert [each.state for each in observed.observe(dataclasses.replace(ALONE, queue_timeout=0)).nodes] == ["completing"]
    assert len(calls.read_text().splitlines()) == 1
