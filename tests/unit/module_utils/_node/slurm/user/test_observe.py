# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs and accounting entries of a removed user in Slurm."""

from __future__ import annotations

import dataclasses
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.model import Desired, Job
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.observe import (
    keeps_accounting,
    observe,
    parse_accounts,
    parse_jobs,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.result import waiting

QUEUE = """\
20001|10|RUNNING|dev|ip-10-1-1-21
20003|12|RUNNING|dev|ip-10-1-1-21
20003|13_[1-4]|PENDING|dev|
200031|14|RUNNING|dev|ip-10-1-1-21
"""


def desired(*, cancel: bool = False) -> Desired:
    return Desired("mallory", 20003, cancel, 60)


def test_jobs_are_selected_by_the_uid() -> None:
    jobs, other = parse_jobs(QUEUE, 20003)
    assert jobs == (Job("12", "RUNNING", "dev", "ip-10-1-1-21"), Job("13_[1-4]", "PENDING", "dev", ""))
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
def test_accounting_is_kept_with_a_storage_type(text: str, expected: bool) -> None:
    assert keeps_accounting(f"SlurmUser = slurm\n{text}") is expected


def test_accounts_of_a_user_are_parsed() -> None:
    assert parse_accounts("mallory|research\nmallory|platform\nmallory|research\n") == ("platform", "research")
    assert parse_accounts("mallory|\n") == ()


def test_names_of_jobs_cannot_forge_jobs_of_others(slurm: t.Callable[..., Path]) -> None:
    """The jobs of alice have names that look like lines about jobs of mallory. One job of mallory also has an odd name."""
    forged = "printf 'x\\n20003|1|RUNNING|gpu|c1|y\\n20003|--partition=gpu|RUNNING|gpu|c1\\n20003|2 3|RUNNING|gpu|c1\\n'"
    slurm(
        squeue=f"""\
case "$*" in
*--jobs=12,13*) printf '12|train\\033]52;c;x\\a\\n13_[1-4]|a|b\\r20003|1|x\\n' ;;
*%j*) {forged} ;;
*) echo '20001|11|RUNNING|gpu|c1'; echo '20003|12|RUNNING|dev|ip-10-1-1-21'; echo '20003|13_[1-4]|PENDING|dev|' ;;
esac"""
    )
    state = observe(desired(cancel=True))
    assert [(job.id, job.name) for job in state.jobs] == [("12", "train?]52;c;x?"), ("13_[1-4]", "a|b?20003|1|x")]
    (step,) = plan(desired(cancel=True), state).steps
    assert step.arguments == {"ids": ("12", "13")}


def test_jobs_of_former_uids_count_unless_they_are_reused(slurm: t.Callable[..., Path]) -> None:
    slurm(squeue="printf '0|1|RUNNING|dev|c1\\n4242420|2|RUNNING|dev|c1\\n20003|3|RUNNING|dev|c1\\n'")
    state = observe(dataclasses.replace(desired(), other_uids=(0, 4242420, 20003)))
    assert [job.id for job in state.jobs] == ["3", "2"]


def test_more_jobs_than_fit_in_one_argument_have_names(slurm: t.Callable[..., Path]) -> None:
    slurm(
        squeue="""\
case "$*" in
*%j*) echo "$*" | grep -o '[0-9]*$' | sed 's/$/|last/' ;;
*) seq -f '20003|%.0f|PENDING|dev|' 1000001 1020000 ;;
esac"""
    )
    state = observe(desired(cancel=True))
    assert (len(state.jobs), state.jobs[-1].name, state.unread) == (20000, "last", ())


def test_jobs_of_another_user_with_the_uid_are_left_alone(slurm: t.Callable[..., Path]) -> None:
    slurm(squeue="printf '0|1|RUNNING|dev|c1\\n20003|3|RUNNING|dev|c1\\n'")
    state = observe(Desired("mallory", 0, True, 60, other_uids=(20003,)))
    assert [job.id for job in state.jobs] == ["3"]


def test_a_failing_squeue_is_reported_and_the_rest_is_read(slurm: t.Callable[..., Path]) -> None:
    slurm(
        squeue="printf 'slurm_load_jobs error: \\033[2J\\n' >&2; exit 1",
        scontrol="echo 'AccountingStorageType = accounting_storage/slurmdbd'",
        sacctmgr="echo 'mallory|research'",
    )
    state = observe(desired())
    assert (state.jobs, state.accounting, state.accounts) == ((), "present", ("research",))
    (sentence,) = map(str, state.unread)
    assert sentence.startswith("The jobs of mallory are unknown: squeue ") and sentence.endswith("error: ?[2J")
    assert waiting(desired(), state)[0].text == sentence


def test_unexpected_output_of_squeue_is_reported(slurm: t.Callable[..., Path]) -> None:
    """No job of a user may be missed because Slurm prints it in an unexpected form."""
    slurm(squeue="echo '20003|12.batch|RUNNING|dev|ip-10-1-1-21'")
    state = observe(desired(cancel=True))
    assert state.jobs == ()
    assert "The jobs of mallory are unknown: squeue returned '20003|12.batch|RUNNING|dev|ip-10-1-1-21'." in map(str, state.unread)


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
def test_numbers_of_jobs_are_parsed(job: str, canceled: str | None) -> None:
    jobs, other = parse_jobs(f"20003|{job}|RUNNING|dev|c1\n", 20003)
    assert [found.number for found in jobs] == ([canceled] if canceled else [])
    assert len(other) == (canceled is None)
