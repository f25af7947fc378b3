# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When nothing is started on the nodes, and for how long nodes that become idle are awaited."""

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
BESIDE = Desired(("10.0.0.1", "10.0.0.2"), "ml.p5.48xlarge", 8, 2**30, beside_jobs=True)


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
        (ALONE, state("idle", unknown=("10.0.0.2", "10.0.0.3")), not_run("Slurm has no node at 10.0.0.2, 10.0.0.3.", "allocation")),
        (ALONE, state("idle", jobs=1), not_run("There are jobs on the nodes: 1 of alice on n1,n2.", "jobs")),
        (ALONE, state("idle", jobs=7), not_run(f"There are jobs on the nodes: {MANY}.", "jobs")),
        *(
            (ALONE, state(each), not_run(f"Nodes are not idle in Slurm: n1 is {each}.", "allocation"))
            for each in ("mixed", "allocated", "completing", "down", "drained")
        ),
        (
            ALONE,
            state(*["down"] * 7),
            not_run(f"Nodes are not idle in Slurm: {STATES}.", "allocation", tuple(f"n{number}" for number in range(1, 8))),
        ),
        *((BESIDE, state(each, jobs=1), None) for each in ("idle", "mixed", "allocated", "completing")),
        (BESIDE, state("drained"), not_run("Nodes are not idle in Slurm: n1 is drained.", "allocation")),
    ],
)
def test_refusals(desired: Desired, found: State, expected: Outcome | None) -> None:
    assert observed.refusal(desired, found) == expected


IDLE, ENDING = "n1|10.0.0.1|idle|none\\n", "n1|10.0.0.1|completing|none\\n"
WORKS, COMPLETES = "7|alice|RUNNING|n1\\n", "7|alice|COMPLETING|n1\\n"


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., Path]:
    """Commands that give one answer at first, and from then on that all is idle."""

    def commands(nodes: str, jobs: str) -> Path:
        for name, first, then in (("sinfo", nodes, IDLE), ("squeue", jobs, "")):
            asked = tmp_path / f"{name}.asked"
            script = f"#!/bin/sh\nif [ -e {asked} ]; then printf '{then}'; else printf '{first}'; fi\necho $* >> {asked}\n"
            (tmp_path / name).write_text(script)
            (tmp_path / name).chmod(0o755)
        monkeypatch.setattr(system, "SEARCH_PATH", f"{tmp_path}:/usr/bin:/bin")
        monkeypatch.setattr(observed, "POLL_SECONDS", 0.01)
        return tmp_path / "sinfo.asked"

    return commands


@pytest.mark.parametrize(
    ("nodes", "jobs", "looks"),
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
def test_the_end_of_a_job_is_awaited(nodes: str, jobs: str, looks: int, slurm: t.Callable[..., Path]) -> None:
    asked = slurm(nodes, jobs)
    found = observed.observe(ALONE)
    assert len(asked.read_text().splitlines()) == looks
    assert looks == 1 or [each.state for each in found.nodes] == ["idle"]


def test_the_end_of_a_job_is_not_awaited_for_ever(slurm: t.Callable[..., Path]) -> None:
    asked = slurm(ENDING, "")
    assert [each.state for each in observed.observe(dataclasses.replace(ALONE, queue_timeout=0)).nodes] == ["completing"]
    assert len(asked.read_text().splitlines()) == 1
