# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person who leaves has in Slurm, and what becomes of it."""

from __future__ import annotations

import dataclasses
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm import user as slurm_user
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user import Desired, Job, State

RUNNING = Job("12", "RUNNING", "dev", "ip-10-1-1-21", "train|all")
WAITING = Job("13_[1-4]", "PENDING", "dev", "", "sweep")
ENDING = Job("11", "COMPLETING", "dev", "ip-10-1-1-21", "old")
QUEUE = """\
20001|10|RUNNING|dev|ip-10-1-1-21
20003|12|RUNNING|dev|ip-10-1-1-21
20003|13_[1-4]|PENDING|dev|
200031|14|RUNNING|dev|ip-10-1-1-21
"""


def desired(*, cancel: bool = False) -> Desired:
    return Desired("mallory", 20003, cancel, 60)


def test_jobs_are_told_apart_by_the_uid() -> None:
    jobs, other = slurm_user.parse_jobs(QUEUE, 20003)
    assert jobs == (dataclasses.replace(RUNNING, name=""), dataclasses.replace(WAITING, name=""))
    assert other == []


@pytest.mark.parametrize(
    "text, expected",
    [
        ("AccountingStorageType   = accounting_storage/slurmdbd\n", True),
        ("AccountingStorageType   = accounting_storage/none\n", False),
        ("AccountingStorageTypeX  = accounting_storage/slurmdbd\n", False),
        ("AccountingStorageType   = (null)\n", False),
        ("", False),
    ],
)
def test_whether_the_cluster_keeps_accounting(text: str, expected: bool) -> None:
    assert slurm_user.keeps_accounting(f"SlurmUser = slurm\n{text}") is expected


def test_accounts_of_a_user() -> None:
    assert slurm_user.parse_accounts("mallory|research\nmallory|platform\nmallory|research\n") == ("platform", "research")
    assert slurm_user.parse_accounts("mallory|\n") == ()


@pytest.mark.parametrize(
    "state, cancel, steps, pending, notes",
    [
        (State(), True, [], 0, 0),
        (State((RUNNING, WAITING)), False, [], 0, 1),
        (State((RUNNING, WAITING)), True, [("cancel_jobs", 2)], 0, 0),
        (State((ENDING,)), True, [], 0, 0),
        (State((), "present", ("research",)), False, [("forget_user", 1)], 0, 0),
        (State((), "absent"), True, [], 0, 0),
        (State((RUNNING,), "present", ("research",)), False, [], 1, 1),
        (State((ENDING,), "present", ("research",)), False, [], 1, 0),
        (State((RUNNING,), "present", ("research",)), True, [("cancel_jobs", 1), ("forget_user", 1)], 0, 0),
        (State((), "unknown", (), ("It is silent.",)), True, [], 1, 0),
    ],
)
def test_what_is_done_and_what_is_left(state: State, cancel: bool, steps: list, pending: int, notes: int) -> None:
    wanted = desired(cancel=cancel)
    plan = slurm_user.plan(wanted, state)
    assert [(step.operation, len(step.changes)) for step in plan.steps] == steps
    assert len(slurm_user.pending(wanted, plan.predicted)) == pending
    assert len(slurm_user.notes(wanted, plan.predicted)) == notes
    assert not slurm_user.plan(wanted, plan.predicted)


def test_jobs_that_did_not_end_are_pending() -> None:
    assert slurm_user.pending(desired(cancel=True), State((RUNNING,))) == [
        "Jobs of mallory have not ended within 60 s: 12."
    ]


@pytest.fixture(name="slurm")
def slurm_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., Path]:
    """Stand-ins for Slurm's commands; the file has the arguments of each call, one a line."""
    calls = tmp_path / "calls"
    monkeypatch.setattr(system, "SEARCH_PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(slurm_user, "_PAUSE", 0.01)

    def make(**texts: str) -> Path:
        for name, text in {"scancel": "", "scontrol": "", "squeue": "", **texts}.items():
            (tmp_path / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{calls}\n{text}\n')
            (tmp_path / name).chmod(0o755)
        return calls

    return make


def test_a_controller_that_is_too_busy_to_answer_is_asked_again(slurm: t.Callable[..., Path]) -> None:
    calls = slurm(
        squeue="""\
case $(grep -c '^squeue' "$(dirname "$0")/calls") in
1) echo '20003|12|COMPLETING|dev|ip-10-1-1-21' ;;
2) echo 'squeue: error: Socket timed out on send/recv operation' >&2; exit 1 ;;
esac"""
    )
    slurm_user.Applier(desired(cancel=True)).apply(Step(slurm_user.CANCEL, {"ids": ("12",)}, ()))
    told = calls.read_text().splitlines()
    assert told[0] == "scancel -- 12"
    assert [line.split()[0] for line in told[1:]] == ["squeue"] * 3


def test_a_name_of_a_job_is_nobody_elses_job(slurm: t.Callable[..., Path]) -> None:
    """alice's jobs have names that look like lines about mallory's, who has one job with a strange name herself."""
    forged = "printf 'x\\n20003|1|RUNNING|gpu|c1|y\\n20003|--partition=gpu|RUNNING|gpu|c1\\n20003|2 3|RUNNING|gpu|c1\\n'"
    slurm(
        squeue=f"""\
case "$*" in
*--jobs=12,13*) printf '12|train\\033]52;c;x\\a\\n13_[1-4]|a|b\\r20003|1|x\\n' ;;
*%j*) {forged} ;;
*) echo '20001|11|RUNNING|gpu|c1'; echo '20003|12|RUNNING|dev|ip-10-1-1-21'; echo '20003|13_[1-4]|PENDING|dev|' ;;
esac"""
    )
    state = slurm_user.observe(desired(cancel=True))
    assert [(job.id, job.name) for job in state.jobs] == [("12", "train?]52;c;x?"), ("13_[1-4]", "a|b?20003|1|x")]
    (step,) = slurm_user.plan(desired(cancel=True), state).steps
    assert step.arguments == {"ids": ("12", "13")}


def test_jobs_of_a_uid_that_the_person_had_count_while_nobody_else_has_it(slurm: t.Callable[..., Path]) -> None:
    slurm(squeue="printf '0|1|RUNNING|dev|c1\\n4242420|2|RUNNING|dev|c1\\n20003|3|RUNNING|dev|c1\\n'")
    state = slurm_user.observe(dataclasses.replace(desired(), other_uids=(0, 4242420, 20003)))
    assert [job.id for job in state.jobs] == ["3", "2"]


def test_more_jobs_than_one_argument_holds_are_named_all_the_same(slurm: t.Callable[..., Path]) -> None:
    slurm(
        squeue="""\
case "$*" in
*%j*) echo "$*" | grep -o '[0-9]*$' | sed 's/$/|last/' ;;
*) seq -f '20003|%.0f|PENDING|dev|' 1000001 1020000 ;;
esac"""
    )
    state = slurm_user.observe(desired(cancel=True))
    assert (len(state.jobs), state.jobs[-1].name, state.unread) == (20000, "last", ())


def test_jobs_of_somebody_else_who_has_the_number_here_are_left_alone(slurm: t.Callable[..., Path]) -> None:
    slurm(squeue="printf '0|1|RUNNING|dev|c1\\n20003|3|RUNNING|dev|c1\\n'")
    state = slurm_user.observe(Desired("mallory", 0, True, 60, other_uids=(20003,)))
    assert [job.id for job in state.jobs] == ["3"]


def test_a_silent_squeue_is_told_and_the_rest_goes_on(slurm: t.Callable[..., Path]) -> None:
    slurm(
        squeue="printf 'slurm_load_jobs error: \\033[2J\\n' >&2; exit 1",
        scontrol="echo 'AccountingStorageType = accounting_storage/slurmdbd'",
        sacctmgr="echo 'mallory|research'",
    )
    state = slurm_user.observe(desired())
    assert (state.jobs, state.accounting, state.accounts) == ((), "present", ("research",))
    (sentence,) = state.unread
    assert sentence.startswith("The jobs of mallory are unknown: squeue ") and sentence.endswith("error: ?[2J")
    assert slurm_user.pending(desired(), state)[0] == sentence


def test_an_answer_that_is_none_is_told(slurm: t.Callable[..., Path]) -> None:
    """No job of a person may be lost because Slurm shows it in another way than expected."""
    slurm(squeue="echo '20003|12.batch|RUNNING|dev|ip-10-1-1-21'")
    state = slurm_user.observe(desired(cancel=True))
    assert state.jobs == ()
    assert "The jobs of mallory are unknown: squeue answered '20003|12.batch|RUNNING|dev|ip-10-1-1-21'." in state.unread


@pytest.mark.parametrize(
    ("job", "canceled"),
    [
        ("12", "12"),
        ("13_4", "13"),
        ("13_[1-4,7%2]", "13"),
        ("13_[1,3,5,...]", "13"),
        ("14+1", "14"),
        ("-1", None),
        ("1 2", None),
        ("12_", None),
        ("--state=PENDING", None),
        ("", None),
    ],
)
def test_numbers_of_jobs(job: str, canceled: str | None) -> None:
    jobs, other = slurm_user.parse_jobs(f"20003|{job}|RUNNING|dev|c1\n", 20003)
    assert [slurm_user.base(found.id) for found in jobs] == ([canceled] if canceled else [])
    assert len(other) == (canceled is None)


@pytest.mark.parametrize("params", [{"name": "a b"}, {"name": "x", "timeout": 0}, {"name": "-x"}])
def test_wrong_options_are_refused(params: dict) -> None:
    with pytest.raises(Refused, match="is not allowed"):
        slurm_user.desired_from({"uid": None, "jobs": "report", "timeout": 60, **params})
