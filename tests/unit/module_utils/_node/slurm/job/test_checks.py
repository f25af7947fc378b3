# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits on switches that Slurm would ignore, and the result for a job."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.checks import check
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.model import Desired, Facts, Job, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.result import result

LIMITED = Desired("present", "llama", "alice", 1001, placement="required", switches=1, switches_wait=300)
IGNORED = "Slurm has {}no tree of switches (TopologyPlugin={}), and ignores --switches"
CHANCE = "the placement of job llama of alice is arbitrary."
CAPPED = (
    "Slurm ignores the switch limit of job llama of alice after 300 s instead of 301 s, and then starts the job on any nodes. "
    "Set SchedulerParameters=max_switch_wait=301 in slurm.conf, and run scontrol reconfigure."
)
UNKNOWN_LEAVES = "The number of leaf switches above the cluster's nodes is also unknown, so "


@pytest.mark.parametrize(
    ("values", "facts", "expected"),
    [
        ({"placement": "none", "leaves": 4}, Facts(), ()),
        ({}, Facts(topology="tree"), ()),
        ({"switches_wait": 301}, Facts(topology="tree"), (CAPPED,)),
        ({"switches_wait": 301}, Facts(301, topology="tree"), ()),
        ({"leaves": 1}, Facts(), ()),
        ({}, Facts(), (f"{IGNORED.format('', 'none')}. {UNKNOWN_LEAVES}{CHANCE}",)),
        ({}, Facts(plugin="topology/block", topology="block"), (f"{IGNORED.format('a block topology and ', 'topology/block')}. {UNKNOWN_LEAVES}{CHANCE}",)),
        (
            {"placement": "preferred", "leaves": 2},
            Facts(),
            (f"{IGNORED.format('', 'none')}. The cluster's nodes are below 2 leaf switches, so {CHANCE}",),
        ),
    ],
)
def test_a_limit_that_slurm_ignores_is_noted(values: dict[str, t.Any], facts: Facts, expected: tuple[str, ...]) -> None:
    assert check(dataclasses.replace(LIMITED, **values), facts) == expected


def test_a_required_limit_that_slurm_ignores_is_refused() -> None:
    with pytest.raises(Refused, match="ignores --switches, although the cluster's nodes are below 2 leaf switches") as refused:
        check(dataclasses.replace(LIMITED, leaves=2), Facts())
    assert refused.value.option == "placement"


JOB = Job(
    7, 1001, "RUNNING", "bob", "x", nodes=("n1",), partition="gpus", switches=1, switches_wait=300, placement="required", hash="a1"
)
SHOWN = {
    "id": 7,
    "name": "llama",
    "user": "alice",
    "ours": True,
    "state": "running",
    "slurm_state": "RUNNING",
    "why": "",
    "nodes": ["n1"],
    "partition": "gpus",
    "placement": "required",
    "switches": 1,
    "switches_wait": 300,
    "hash": "a1",
}
NOTHING = {
    "id": 0, "name": "llama", "user": "alice", "ours": False, "state": "absent", "slurm_state": "", "why": "", "nodes": [],
    "partition": "", "placement": "", "switches": 0, "switches_wait": 0, "hash": "",
}
ENDED = dataclasses.replace(JOB, state="TIMEOUT")


@pytest.mark.parametrize(
    ("wanted", "jobs", "expected"),
    [
        ("present", (JOB,), SHOWN),
        ("absent", (JOB,), SHOWN),
        ("present", (), NOTHING),
        ("absent", (), NOTHING),
        ("absent", (ENDED,), NOTHING),
        ("present", (ENDED,), {**SHOWN, "state": "failed", "slurm_state": "TIMEOUT", "why": "it exceeded its time limit (TIMEOUT)"}),
    ],
)
def test_the_result_has_the_current_job(wanted: str, jobs: tuple[Job, ...], expected: dict[str, t.Any]) -> None:
    assert result(dataclasses.replace(LIMITED, state=wanted), State(jobs)) == {"job": expected}


@pytest.mark.parametrize(
    ("state", "stage"),
    [
        *((each, "waiting") for each in ("PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD")),
        ("EXPEDITING", "waiting"),
        *((each, "running") for each in ("RUNNING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT")),
        ("CANCELLED by 0", "cancelled"),
        ("COMPLETING", "ending"),
        ("COMPLETED", "succeeded"),
        ("NODE_FAIL", "failed"),
        ("SOMETHING_NEW", "failed"),
    ],
)
def test_states_of_slurm_have_a_stage(state: str, stage: str) -> None:
    job = dataclasses.replace(JOB, state=state)
    assert (job.stage, job.live) == (stage, stage in ("waiting", "running"))


def job(number: int, state: str, **more: t.Any) -> Job:
    return dataclasses.replace(JOB, id=number, state=state, **more)


@pytest.mark.parametrize(
    ("jobs", "current", "shown"),
    [
        ((), None, None),
        ((job(1, "COMPLETED"), job(2, "FAILED")), 2, 2),
        ((job(1, "RUNNING"), job(2, "COMPLETED")), 1, 1),
        ((job(1, "PENDING"), job(2, "RUNNING")), 2, 2),
        ((job(1, "COMPLETED"), job(2, "CANCELLED by 0")), 1, 1),
        ((job(1, "CANCELLED by 0"),), None, 1),
        ((job(1, "CANCELLED by 0"), job(2, "RUNNING", hash="")), None, 1),
        ((job(1, "COMPLETED", hash=""), job(2, "RUNNING", hash="")), None, 2),
    ],
)
def test_the_current_and_the_shown_job(jobs: tuple[Job, ...], current: int | None, shown: int | None) -> None:
    state = State(jobs)
    assert (state.current.id if state.current else None, state.shown.id if state.shown else None) == (current, shown)
