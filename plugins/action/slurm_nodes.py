# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The control node's part of ``slurm_nodes``: polls until no job or no requested repair is left, and prints what is left."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import note, pending, to_result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.model import WORDS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.asked_again import Answer, AskedAgain


class ActionModule(AskedAgain):
    """Runs the module of the same name repeatedly."""

    def on_node(self, variables: dict[str, t.Any]) -> dict[str, t.Any]:
        if self._task.args.get("state") == "query" and self.seconds("wait_timeout", 0):
            return self._answered(variables)
        if self._task.args.get("state") != "drained":
            return self._asked_once(variables)
        answers: list[Answer] = []
        subject = str(variables.get("hyperpod_cluster_host", "Slurm"))
        last, elapsed = self.until_empty(subject, ask=lambda: self._drained(answers, variables), who=awaited)
        if last.get("failed"):
            return last
        first = answers[0]
        done: Answer = {name: first[name] for name in ("changed", "changes", "diff") if name in first}
        return {**last, **done, **to_result(self._findings(jobs_of(last), elapsed))}

    def _answered(self, variables: dict[str, t.Any]) -> Answer:
        """Poll until no node has a repair request. HyperPod removes the request, which is the node's reason, after the repair."""
        subject = str(variables.get("hyperpod_cluster_host", "Slurm"))
        last, elapsed = self.until_empty(subject, ask=lambda: self._asked_once(variables), who=words_of)
        if last.get("failed") or self._task.check_mode or not words_of(last):
            return last
        text = f"HyperPod did not carry out these requested repairs within {round(elapsed)} s: {words_of(last)}."
        return {**last, "failed": True, "msg": text}

    def _asked_once(self, variables: dict[str, t.Any]) -> Answer:
        return t.cast(Answer, self._execute_module(module_args=dict(self._task.args), task_vars=variables))

    def _drained(self, answers: list[Answer], variables: dict[str, t.Any]) -> Answer:
        """Drain the nodes, then poll. Only the first call may refuse because of jobs."""
        again = {"jobs": "wait"} if answers else {}
        answer = t.cast(Answer, self._execute_module(module_args={**self._task.args, **again}, task_vars=variables))
        answers.append(answer)
        return answer

    def _findings(self, left: str, elapsed: float) -> list[t.Any]:
        if not left:
            return []
        if self._task.check_mode:
            return [note("jobs-running", f"The run would wait up to {self.seconds('wait_timeout', 0)} s for these jobs: {left}.")]
        return [pending("jobs-running", f"These jobs are left after {round(elapsed)} s: {left}.")]


def words_of(answer: Answer) -> str:
    """The nodes with a requested repair, each with its reason; empty if there are none."""
    nodes = [each for each in answer["slurm_nodes"]["nodes"] if each["reason"] in WORDS.values()]
    return printable(", ".join(f"{each['name']} ({each['reason']})" for each in nodes))


def jobs_of(answer: Answer) -> str:
    return described(answer["slurm_nodes"]["jobs"])


def awaited(answer: Answer) -> str:
    """The jobs to wait for. Jobs only on nodes with a repair request are left out: HyperPod does not wait for these jobs."""
    nodes = answer["slurm_nodes"]["nodes"]
    left_out = {each["name"] for each in nodes if each["reason"] in WORDS.values()}
    drained = {each["name"] for each in nodes} - left_out
    jobs = [(job, set(job["nodes"])) for job in answer["slurm_nodes"]["jobs"]]
    return described([job for job, names in jobs if names & drained or not names & left_out])


def described(jobs: t.Iterable[t.Mapping[str, t.Any]]) -> str:
    """The description of jobs, in printable characters because users choose names."""
    return printable(", ".join(f"job {job['id']} of {job['user']} ({job['state']})" for job in jobs))
