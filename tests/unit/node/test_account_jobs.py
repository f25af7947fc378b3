# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""People who leave while their Slurm jobs run: what is a job's process, and what happens to the account meanwhile."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import (
    account_traces,
    accounts,
    accounts_declared,
    accounts_plan,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts_model import (
    Account,
    Desired,
    LocalGroup,
    State,
    Traces,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.files import FileState
from ansible_collections.mlfleet.hyperpod.plugins.modules.accounts import SPEC

RECORD = Account("mallory", 20003, 20003, "", "/fsx/mallory", "/bin/bash", "none")
NODE = State(
    now=1_800_000_000,
    users={"mallory": RECORD},
    groups={"mallory": LocalGroup("mallory", 20003, ())},
    keys={"mallory": FileState("", 0, 0, 0o644)},
    traces={"mallory": Traces(processes=(10,), jobs=(11, 12))},
)


def gone(**options: object) -> Desired:
    params = {"users": [{"name": "mallory", "state": "absent"}], "spare_jobs": True, **options}
    checked = ArgumentSpecValidator(SPEC).validate(params)
    desired, problems = accounts_declared.read(checked.validated_parameters)
    assert (checked.error_messages, problems) == ([], [])
    return desired


def test_an_account_with_jobs_is_locked_and_stays() -> None:
    plan = accounts_plan.make_plan(gone(), NODE)
    assert [(change.action, change.resource, change.field) for change in plan.changes] == [
        ("update", "user mallory", "locked"),
        ("delete", "keys of mallory", None),
        ("delete", "sessions of mallory", None),
    ]
    assert plan.steps[2].arguments == {"name": "mallory", "uid": 20003, "spare_jobs": True}
    assert plan.notes == (
        "mallory is locked out; the account goes when 2 processes of Slurm jobs here have ended.",
    )
    assert accounts.to_result(gone(), plan.predicted)["users"][0]["state"] == "locked"


def test_while_the_jobs_run_nothing_changes() -> None:
    state = accounts_plan.make_plan(gone(), NODE).predicted
    state = dataclasses.replace(state, traces={"mallory": Traces(jobs=(11,))})
    assert not accounts_plan.make_plan(gone(), state)
    ended = dataclasses.replace(state, traces={})
    assert [change.resource for change in accounts_plan.make_plan(gone(), ended).changes] == [
        "user mallory",
        "group mallory",
    ]


def test_a_declared_group_of_a_held_account_stays_too() -> None:
    desired = gone(groups=[{"name": "mallory", "state": "absent"}])
    assert "group mallory" not in [change.resource for change in accounts_plan.make_plan(desired, NODE).changes]


def process(proc: Path, pid: int, *, parent: int, name: str = "bash", uid: int = 20003, cgroup: str = "/") -> None:
    folder = proc / str(pid)
    folder.mkdir()
    (folder / "stat").write_text(f"{pid} ({name}) S {parent} 1 1 0")
    (folder / "status").write_text(f"Name:\t{name}\nState:\tS (sleeping)\nUid:\t{uid}\t20003\t{uid}\t{uid}\n")
    (folder / "cgroup").write_text(f"0::{cgroup}\n")


@pytest.mark.parametrize(
    "how, expected",
    [
        ({"cgroup": "/system.slice/slurmstepd.scope/job_12/step_batch/user/task_0"}, True),
        ({"cgroup": "/system.slice/ip-10-1-1-21_slurmstepd.scope/job_12/step_0"}, True),
        ({"cgroup": "/slurm/uid_20003/job_12/step_0"}, True),
        ({"parent": 30}, True),
        ({"parent": 40}, False),
        ({"parent": 1}, False),
        ({"cgroup": "/user.slice/user-20003.slice/user@20003.service/slurmstepd.scope/job_1"}, False),
        ({"cgroup": "/user.slice/x:/slurm/uid_20003/job_1"}, False),
        ({"cgroup": "/system.slice/cron.service"}, False),
    ],
)
def test_only_what_slurm_itself_started_is_a_job(tmp_path: Path, how: dict, expected: bool) -> None:
    process(tmp_path, 30, parent=1, name="slurmstepd", uid=0)
    process(tmp_path, 40, parent=1, name="slurmstepd")  # a user's own program of that name
    process(tmp_path, 50, **{"parent": 1, **how})
    assert account_traces.in_job(50, str(tmp_path)) is expected


def test_a_process_that_ended_meanwhile_is_no_job(tmp_path: Path) -> None:
    assert account_traces.in_job(99, str(tmp_path)) is False
