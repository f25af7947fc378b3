# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.model import Desired, Job, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.plan import plan

WANTED = Desired("present", "llama", "alice", 20001, script="#!/bin/sh\n")
OTHER = dataclasses.replace(WANTED, nodes=2)


def job(number: int, state: str, wanted: Desired | None = WANTED) -> Job:
    return Job(number, 20001, state, hash=wanted.hash if wanted else "", placement=wanted.placement if wanted else "")


@pytest.mark.parametrize(
    ("jobs", "given", "expected"),
    [
        ([], {}, ["sbatch"]),
        ([job(1, "PENDING")], {}, []),
        ([job(1, "RUNNING")], {}, []),
        ([job(1, "COMPLETING")], {}, []),
        ([job(1, "COMPLETED")], {}, []),
        ([job(1, "FAILED")], {}, []),
        ([job(1, "FAILED")], {"replace": True}, []),
        ([job(1, "CANCELLED by 0")], {}, ["sbatch"]),
        ([job(1, "COMPLETED"), job(2, "COMPLETED", OTHER)], {}, "a change of job llama of alice (2), which has ended,"),
        ([job(1, "COMPLETED"), job(2, "CANCELLED", OTHER)], {}, []),
        ([job(1, "RUNNING", OTHER)], {}, "which is pending or running, is not allowed"),
        ([job(1, "RUNNING", OTHER), job(2, "COMPLETED")], {}, "which is pending or running, is not allowed"),
        ([job(1, "RUNNING", OTHER)], {"replace": True}, ["scancel 1", "sbatch"]),
        ([job(1, "COMPLETED", OTHER)], {"replace": True}, ["sbatch"]),
        ([job(1, "RUNNING", None)], {}, "this module did not submit it"),
        ([job(1, "RUNNING", None)], {"force": True}, "this module did not submit it"),
        ([job(1, "RUNNING", None)], {"force": True, "replace": True}, ["scancel 1", "sbatch"]),
        ([job(1, "COMPLETED", None)], {}, ["sbatch"]),
        ([], {"state": "absent"}, []),
        ([job(1, "RUNNING"), job(2, "PENDING", OTHER)], {"state": "absent"}, ["scancel 1", "scancel 2"]),
        ([job(1, "COMPLETED")], {"state": "absent"}, []),
        ([job(1, "RUNNING", None)], {"state": "absent"}, "this module did not submit it"),
        ([job(1, "RUNNING", None), job(2, "RUNNING")], {"state": "absent"}, ["scancel 2"]),
        ([job(1, "RUNNING", None), job(2, "RUNNING")], {"state": "absent", "force": True}, ["scancel 1", "scancel 2"]),
        ([job(1, "RUNNING", OTHER)], {"state": "query"}, []),
    ],
)
def test_steps_depend_on_the_jobs(jobs, given, expected):
    desired, state = dataclasses.replace(WANTED, **given), State(tuple(jobs))
    if isinstance(expected, str):
        with pytest.raises(Refused) as refused:
            plan(desired, state)
        assert expected in str(refused.value)
        return
    made = plan(desired, state)
    assert [" ".join([each.operation, *map(str, each.arguments.values())]) for each in made.steps] == expected
    again = plan(desired, made.after(state))
    assert not again.steps


@pytest.mark.parametrize("field", ["nodes", "partition", "working_directory", "placement", "switches", "switches_wait", "script"])
def test_options_of_the_job_change_the_hash(field):
    value = {"nodes": 3, "placement": "required", "switches": 2, "switches_wait": 9}.get(field, "x")
    assert dataclasses.replace(WANTED, **{field: value}).hash != WANTED.hash


@pytest.mark.parametrize("given", [{"state": "absent"}, {"replace": True}, {"force": True}, {"leaves": 3}])
def test_other_options_do_not_change_the_hash(given):
    assert dataclasses.replace(WANTED, **given).hash == WANTED.hash
