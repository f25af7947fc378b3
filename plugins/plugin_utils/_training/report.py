# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether clusters train: the verdict on the jobs of a cluster, and the document and lines that report it. Pure."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import (
    FAILED,
    NOT_RUN,
    PASSED,
    Figures,
    Problem,
    status,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.resumed import resumed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import table

SCHEMA = 1
HEAD = ("cluster", "job", "verdict", "steps", "loss", "tokens/s", "network", "weights")
TRAIN, RESUME, SURVIVE = JOBS = ("train", "resume", "survive")
"""In their order. Each continues the one before."""
Document = dict[str, t.Any]
Result = t.Mapping[str, t.Any]
"""``training_job`` as the module of that name returns it."""


@dataclass(frozen=True)
class Cluster:
    arn: str
    account: str
    region: str
    instance_type: str
    results: tuple[Result, ...]
    """In the order of ``JOBS``."""
    resumes: bool
    """There is a claim, so a second job must resume the first one."""
    survives: bool = False
    """A third job must survive a killed process."""
    why: str = ""
    """Why no job was started; empty if one was."""


def wanted(*, resumes: bool, survives: bool) -> tuple[str, ...]:
    """Jobs that must pass."""
    return (TRAIN, *((RESUME,) if resumes else ()), *((SURVIVE,) if survives else ()))


def continued(results: t.Sequence[Result]) -> dict[str, tuple[Problem, ...]]:
    """By job, problems of how it continued the one before; none of a job that did not run."""
    pairs = zip(JOBS[1:], results, results[1:])
    return {name: resumed(_figures(one), _figures(other)) for name, one, other in pairs if not other["failure"]}


def verdict(cluster: Cluster) -> str:
    """The worst of all jobs. A job that is missing was not run."""
    return _worst(cluster.results, wanted(resumes=cluster.resumes, survives=cluster.survives))


def _worst(results: t.Sequence[Result], jobs: t.Sequence[str]) -> str:
    verdicts = [str(each["verdict"]) for each in results]
    verdicts += [status(problems) for problems in continued(results).values()]
    if FAILED in verdicts:
        return FAILED
    return PASSED if len(results) >= len(jobs) and set(verdicts) == {PASSED} else NOT_RUN


def document(clusters: t.Mapping[str, Document], *, created: str, not_read: t.Sequence[str]) -> Document:
    """
    :param clusters: by key, as ``of_cluster`` returns them.
    :param not_read: what the inventory could not read.
    """
    return {"schema": SCHEMA, "created": created, "inventory_failures": list(not_read), "clusters": dict(clusters)}


def lines(given: Document) -> list[str]:
    """One row per job, then the problems."""
    clusters = given["clusters"].items()
    rows = [_row(key, name, job) for key, each in clusters for name, job in _jobs(each)]
    shown = [f"{key}: {SHOWN[each['verdict']]}{each['why'] and '. '}{each['why']}" for key, each in clusters]
    shown += [f"Not read by the inventory: {each}" for each in given["inventory_failures"]]
    shown += table(HEAD, rows) if rows else []
    for key, each in clusters:
        jobs = _jobs(each)
        found = [(name, problem) for name, job in jobs for problem in job["problems"]]
        found += [(name, problem) for name in JOBS[1:] for problem in each[f"{name}_problems"]]
        found += [(name, {"code": job["failure"], "text": job["text"]}) for name, job in jobs if job["failure"]]
        shown += [f"{key}, {name}: {problem['code']}: {problem['text']}" for name, problem in found]
    return shown


def _jobs(cluster: Document) -> list[tuple[str, Document]]:
    """In the order in which they ran, which a file in JSON does not keep."""
    return [(name, cluster["jobs"][name]) for name in JOBS if name in cluster["jobs"]]


SHOWN = {PASSED: "It trains", FAILED: "It does not train as it must", NOT_RUN: "Training was not verified"}


def of_cluster(cluster: Cluster) -> Document:
    jobs = {name: {key: value for key, value in each.items() if key != "manifest"} for name, each in zip(JOBS, cluster.results)}
    return {
        "arn": cluster.arn,
        "account": cluster.account,
        "region": cluster.region,
        "instance_type": cluster.instance_type,
        "verdict": verdict(cluster),
        "why": cluster.why,
        "resume_verified": cluster.resumes and _worst(cluster.results[:2], (TRAIN, RESUME)) == PASSED,
        "survive_verified": cluster.survives and verdict(cluster) == PASSED,
        **{f"{name}_problems": _shown(continued(cluster.results).get(name, ())) for name in JOBS[1:]},
        "jobs": jobs,
    }


def _shown(problems: t.Sequence[Problem]) -> list[dict[str, str]]:
    return [{"code": each.code, "text": each.text} for each in problems]


def _row(key: str, name: str, job: Result) -> tuple[str, ...]:
    losses, rate = job["losses"], job["tokens_per_second"]
    steps = f"{losses[0][0]} to {losses[-1][0]}" if losses else "-"
    loss = f"{job['first_loss']:.3g} to {job['last_loss']:.3g}" if job["first_loss"] is not None else "-"
    network = job["carried_by"] or "not proven"
    return key, name, job["verdict"], steps, loss, f"{rate:.0f}" if rate else "-", network, job["weights"]


def _figures(result: Result) -> Figures:
    return Figures(
        first_step=result["first_step"],
        losses=tuple((int(step), float(loss)) for step, loss in result["losses"]),
        validation=result["validation"],
        checkpoints=tuple((int(step), float(loss)) for step, loss in result["checkpoints"]),
        dtypes=tuple(result["dtypes"]),
    )
