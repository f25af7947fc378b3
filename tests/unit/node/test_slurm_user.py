# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person who leaves has in Slurm, and what becomes of it."""

from __future__ import annotations

import pytest

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import slurm_user, system
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm_user import Desired, Job, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._plan import Refused, Step

RUNNING = Job("12", "RUNNING", "dev", "ip-10-1-1-21", "train|all")
WAITING = Job("13_[1-4]", "PENDING", "dev", "", "sweep")
ENDING = Job("11", "COMPLETING", "dev", "ip-10-1-1-21", "old")
QUEUE = """\
20001|10|RUNNING|dev|ip-10-1-1-21|hers
20003|12|RUNNING|dev|ip-10-1-1-21|train|all
20003|13_[1-4]|PENDING|dev||sweep
200031|14|RUNNING|dev|ip-10-1-1-21|theirs
"""


def desired(*, cancel: bool = False) -> Desired:
    return Desired("mallory", 20003, cancel, 60)


def test_jobs_are_told_apart_by_the_uid() -> None:
    assert slurm_user.parse_jobs(QUEUE, 20003) == (RUNNING, WAITING)


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


def test_a_controller_that_is_too_busy_to_answer_is_asked_again(tmp_path, monkeypatch) -> None:
    asked = tmp_path / "asked"
    squeue = f"""\
#!/bin/sh
echo >>{asked}
case $(wc -l <{asked}) in
1) echo '20003|12|COMPLETING|dev|ip-10-1-1-21|train' ;;
2) echo 'squeue: error: Socket timed out on send/recv operation' >&2; exit 1 ;;
esac
"""
    for name, text in {"squeue": squeue, "scancel": "#!/bin/sh\n"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(system, "SEARCH_PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(slurm_user, "_PAUSE", 0.01)
    slurm_user.Applier(desired(cancel=True)).apply(Step(slurm_user.CANCEL, {"ids": ("12",)}, ()))
    assert len(asked.read_text().splitlines()) == 3


@pytest.mark.parametrize("params", [{"name": "a b"}, {"name": "x", "timeout": 0}, {"name": "-x"}])
def test_wrong_options_are_refused(params: dict) -> None:
    with pytest.raises(Refused, match="is not allowed"):
        slurm_user.desired_from({"uid": None, "jobs": "report", "timeout": 60, **params})
