# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accounts that are removed while their Slurm jobs run: the processes of jobs, and the state of the account meanwhile."""

from __future__ import annotations

import dataclasses
import pwd
from pathlib import Path

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import processes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import (
    leftovers,
    observe,
    options,
    subordinate,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import (
    Account,
    Desired,
    Leftovers,
    LocalGroup,
    NameService,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.result import accounts_of, waiting
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.files import FileState
from ansible_collections.mlfleet.hyperpod.plugins.modules.accounts import SPEC

RECORD = Account("mallory", 20003, 20003, "", "/fsx/mallory", "/bin/bash", "none")
NODE = State(
    now=1_800_000_000,
    users={"mallory": RECORD},
    groups={"mallory": LocalGroup("mallory", 20003, ())},
    keys={"mallory": FileState("", 0, 0, 0o644)},
    leftovers={"mallory": Leftovers(processes=(10,), jobs=(11, 12))},
)


def removal(**given: object) -> Desired:
    params = {"users": [{"name": "mallory", "state": "absent"}], "spare_jobs": True, **given}
    checked = ArgumentSpecValidator(SPEC).validate(params)
    desired = options.desired(checked.validated_parameters)
    assert (checked.error_messages, desired.problems) == ([], ())
    return desired


def test_an_account_with_jobs_is_locked_and_stays() -> None:
    made = plan(removal(), NODE)
    assert [(change.action, change.resource, change.field) for change in made.changes] == [
        ("update", "user mallory", "locked"),
        ("delete", "keys of mallory", None),
        ("delete", "sessions of mallory", None),
    ]
    assert made.steps[2].arguments == {"name": "mallory", "uid": 20003, "spare_jobs": True}
    assert tuple(map(str, made.notes)) == (
        "The account mallory is locked. A later run removes the account after its Slurm jobs on this node have ended "
        "(remaining processes: 2).",
    )
    assert accounts_of(removal(), made.after(NODE))["users"][0]["state"] == "locked"


def test_nothing_changes_while_the_jobs_run() -> None:
    state = plan(removal(), NODE).after(NODE)
    assert not plan(removal(), state)
    state = dataclasses.replace(state, leftovers={"mallory": Leftovers(jobs=(11,))})
    assert not plan(removal(), state)
    ended = dataclasses.replace(state, leftovers={})
    assert [change.resource for change in plan(removal(), ended).changes] == [
        "user mallory",
        "group mallory",
    ]


def test_a_declared_group_of_an_account_with_jobs_stays() -> None:
    desired = removal(groups=[{"name": "mallory", "state": "absent"}])
    assert "group mallory" not in [change.resource for change in plan(desired, NODE).changes]


def process(proc: Path, pid: int, *, parent: int, name: str = "bash", uid: int = 20003, cgroup: str = "/") -> None:
    folder = proc / str(pid)
    folder.mkdir()
    (folder / "status").write_text(f"Name:\t{name}\nState:\tS (sleeping)\nPPid:\t{parent}\nUid:\t{uid}\t20003\t{uid}\t{uid}\n")
    (folder / "cgroup").write_text(f"0::{cgroup}\n")


@pytest.mark.parametrize(
    "how, expected",
    [
        ({"cgroup": "/user.slice/x\r0::/slurm/uid_20003/job_1"}, False),
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
def test_only_processes_started_by_slurm_belong_to_a_job(tmp_path: Path, how: dict, expected: bool) -> None:
    process(tmp_path, 30, parent=1, name="slurmstepd", uid=0)
    process(tmp_path, 40, parent=1, name="slurmstepd")  # a user's own program of that name
    process(tmp_path, 50, **{"parent": 1, **how})
    found = processes.everything(str(tmp_path))
    assert processes.in_job(found[50], found) is expected


def test_a_process_that_ended_meanwhile_belongs_to_the_job_of_its_parent(tmp_path: Path) -> None:
    process(tmp_path, 30, parent=1, name="slurmstepd", uid=0)
    process(tmp_path, 40, parent=30)
    process(tmp_path, 60, parent=99)
    found = processes.everything(str(tmp_path))
    ended = [processes.Process(50, "sh", (20003, 20003, 20003), parent, True) for parent in (40, 60, 50, 99)]
    assert [processes.in_job(each, found) for each in ended] == [True, False, False, False]


def test_processes_are_ended_after_the_account_is_removed() -> None:
    desired = removal(users=[{"name": "mallory", "state": "absent", "former_uids": [20003]}])
    state = dataclasses.replace(
        NODE, users={}, groups={}, keys={}, leftovers={"mallory": Leftovers((10,), uids=(20003,), shown=("10 (sh)",))}
    )
    made = plan(desired, state)
    assert [(step.operation, step.arguments["uid"]) for step in made.steps] == [("end_processes", 20003)]
    assert [each.text for each in waiting(desired, state)] == [
        "Processes of mallory (UID 20003) could not be ended on this node: 10 (sh)."
    ]


def test_the_uid_of_an_account_is_remembered_after_its_removal() -> None:
    assert removal().remembering(NODE).absent_users[0].former_uids == (20003,)


def test_processes_of_a_reused_uid_are_not_ended() -> None:
    desired = removal(users=[{"name": "mallory", "state": "absent", "former_uids": [20003, 20004, 20005]}])
    bob = Account("bob", 20004, 20004, "", "/fsx/bob", "/bin/bash", "none")
    state = dataclasses.replace(NODE, users={"bob": bob}, elsewhere=NameService(uids={20005: "carol"}), leftovers={})
    (user,) = desired.absent_users
    assert leftovers._uids(user, state.users, state.elsewhere.uids) == (20003,)
    assert tuple(map(str, plan(desired, state).notes)) == (
        "bob has UID 20004 here, which mallory had before. The UID's processes were not ended.",
        "carol has UID 20005 here, which mallory had before. The UID's processes were not ended.",
    )


def test_a_name_service_with_the_removed_account_hides_no_process() -> None:
    """The name service may be a cache or a directory."""
    (user,) = removal(users=[{"name": "mallory", "state": "absent", "former_uids": [20003]}]).absent_users
    assert leftovers._uids(user, {}, {20003: "mallory"}) == (20003,)


def test_the_name_service_is_queried_for_each_uid_of_a_removed_account() -> None:
    uid = pwd.getpwnam("nobody").pw_uid
    desired = removal(users=[{"name": "mallory", "state": "absent", "former_uids": [20003]}])
    desired = dataclasses.replace(desired, users=(dataclasses.replace(desired.users[0], uid=uid),))
    assert observe._elsewhere(desired, {}, {}).uids == {uid: "nobody"}


def test_subordinate_ids_are_removed_by_name_and_uid(tmp_path: Path) -> None:
    (tmp_path / "subuid").write_text("alice:100000:65536\nmallory:165536:65536\n20003:300000:5\n200031:1:1\n")
    (tmp_path / "subgid").write_text("mallory:165536:65536\n")
    assert subordinate.lines("mallory", (20003,), etc=str(tmp_path)) == {
        "subuid": ["mallory:165536:65536", "20003:300000:5"],
        "subgid": ["mallory:165536:65536"],
    }
    subordinate.remove("mallory", (20003,), etc=str(tmp_path))
    assert (tmp_path / "subuid").read_text() == "alice:100000:65536\n200031:1:1\n"
    assert (tmp_path / "subgid").read_text() == ""
