# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The control node's part of ``slurm_job``: polls until the job has the awaited state, and prints why the job waits."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import failure, why
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.asked_again import Answer, AskedAgain

AGAIN = ("name", "user", "wait", "wait_timeout", "poll_interval")
"""Options of the polls after the first call. A poll never submits a job, because Slurm may no longer list a job that has ended."""
BEFORE = {"running": ("absent", "waiting"), "finished": ("absent", "waiting", "running", "ending")}
"""States before the awaited state. A newly submitted job may be absent for a moment."""
OVER = ("failed", "cancelled")
NEXT = "Run again to continue waiting: the job stays in its queue and is not submitted twice. Set state=absent to cancel the job."
NEXT_ABSENT = "Run again to continue waiting until the job has ended."
FORGOTTEN = (
    "The job has ended, and Slurm no longer has its result. Enable accounting in Slurm to keep results: "
    "AccountingStorageType=accounting_storage/slurmdbd."
)


class ActionModule(AskedAgain):
    """Runs the module of the same name repeatedly."""

    def on_node(self, variables: dict[str, t.Any]) -> dict[str, t.Any]:
        stage = str(self._task.args.get("wait", "running"))
        waited = Waited(stage, gone=self._task.args.get("state") == "absent")
        answers: list[Answer] = []
        if stage == "none" or self._task.check_mode:
            return self._ask(answers, variables)
        subject = str(variables.get("hyperpod_cluster_host", "Slurm"))
        last, elapsed = self.until_empty(subject, ask=lambda: self._ask(answers, variables), who=waited.left)
        first = answers[0]
        done: Answer = {name: first[name] for name in ("changed", "changes", "diff", "warnings") if name in first}
        ended = {} if last.get("failed") else waited.ended(last, round(elapsed))
        return {**last, **done, **ended}

    def _ask(self, answers: list[Answer], variables: dict[str, t.Any]) -> Answer:
        given = dict(self._task.args)
        if answers:
            given = {**{name: given[name] for name in AGAIN if name in given}, "state": "query"}
        answer = t.cast(Answer, self._execute_module(module_args=given, task_vars=variables))
        answers.append(answer)
        return answer

    def seconds(self, option: str, default: int) -> int:
        return super().seconds(option, {"wait_timeout": 1800}.get(option, default))


class Waited:
    """One wait for a job.

    :param gone: whether to wait until the job has left the queue.
    """

    def __init__(self, stage: str, *, gone: bool) -> None:
        self.stage = stage
        self.gone = gone
        self.seen: set[int] = set()

    def left(self, answer: Answer) -> str:
        """The description of the awaited job; empty if the wait is over."""
        job = answer["job"]
        if self.gone:
            return described(job) if job["state"] in ("waiting", "running", "ending") else ""
        self.seen |= {job["id"]}
        return described(job) if job["state"] in BEFORE[self.stage] and not self.forgotten(job) else ""

    def forgotten(self, job: t.Mapping[str, t.Any]) -> bool:
        return job["state"] == "absent" and self.seen > {0}

    def ended(self, last: Answer, elapsed: int) -> Answer:
        """The result of a failed wait; empty if the wait succeeded."""
        job = last["job"]
        name = printable(f"Job {job['id']} ({job['name']} of {job['user']})")
        if self.forgotten(job) and not self.gone:
            return _failed("topology-job-failed", f"{name} has no result. {FORGOTTEN}")
        if job["state"] in OVER and not self.gone:
            over = "Check the job's output, then submit the job with a different name or replace it"
            return _failed("topology-job-failed", f"{name} has failed: {job['why']}. {over}.")
        left = self.left(last)
        text = f"The run stopped waiting after {elapsed} s for {left}. {NEXT_ABSENT if self.gone else NEXT}"
        return _failed("topology-job-waits", text) if left else {}


def _failed(code: str, text: str) -> Answer:
    return {"failed": True, "msg": text, **why(failure(code, text))}


def described(job: t.Mapping[str, t.Any]) -> str:
    because = f": {job['why']}" if job["why"] else ""
    return printable(f"job {job['id']} ({job['name']} of {job['user']}), which is {job['state']}{because}")
