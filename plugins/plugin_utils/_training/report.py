# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether clusters train: the checks of a cluster, and the document that reports them. Pure."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import AUTO
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.options import not_interrupted
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import (
    FAILED,
    NOT_RUN,
    PASSED,
    Figures,
    Problem,
    status,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.resumed import resumed

from .checks import BEFORE, SKIPPED, Check, problems_of
from .compared import READ, WRITE, Measured, compared, measured

SCHEMA = 2
STORAGE = "storage"
TRAIN, RESUME, SURVIVE, RECOVER = JOBS = ("train", "resume", "survive", "recover")
"""In their order. Each continues the one before."""
OF_STORAGE = frozenset({"storage-not-shared", "checkpoint-missing", "claim"})
"""Codes of jobs that storage causes."""
NOT_REQUESTED = "Not requested by verify_training_kill."
NO_CLAIM = "Without verify_training_claim no checkpoint is written."
ONE_NODE = "The node saved checkpoints. One node does not prove that storage is shared."
NOT_REACHED = "An earlier check did not pass."
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
    """Further jobs must survive a killed process and a deleted Pod."""
    kind: str = AUTO
    """Of the jobs, as requested."""
    nodes: int = 0
    """How many train; 0 if unknown."""
    why: str = ""
    """Why no check was made; empty if one was."""
    before: tuple[Check, ...] = ()
    """In the order of ``BEFORE``."""
    price: str = ""
    """Of the nodes per hour, as a line."""


def wanted(results: t.Sequence[Result], *, resumes: bool, survives: bool, kind: str, nodes: int) -> tuple[str, ...]:
    """Jobs that must pass, as far as the results so far decide it. The arguments are as in ``Cluster``."""
    recovers = survives and not no_recovery(results, kind, nodes)
    return (TRAIN, *((RESUME,) if resumes else ()), *((SURVIVE,) if survives else ()), *((RECOVER,) if recovers else ()))


def no_recovery(results: t.Sequence[Result], kind: str, nodes: int) -> str:
    """Why the job that survives a deleted Pod does not apply; empty if it does."""
    if nodes == 1:
        return "On one node no launcher loses the rendezvous."
    used = next((str(each["kind"]) for each in results if each.get("kind")), kind)
    return not_interrupted("replace_pod", used, name="verify_training_kind")


def checks(cluster: Cluster) -> list[Check]:
    """All, in their order. What was not reached was not run."""
    if cluster.why:
        return [Check(name, NOT_RUN, cluster.why) for name in (*BEFORE, STORAGE, *JOBS)]
    made = {each.name: each for each in cluster.before}
    before = [made.get(name) or Check(name, NOT_RUN, NOT_REACHED) for name in BEFORE]
    return [*before, _storage(cluster), *_jobs(cluster)]


def _jobs(cluster: Cluster) -> t.Iterator[Check]:
    resumes, survives = cluster.resumes, cluster.survives
    requested = wanted(cluster.results, resumes=resumes, survives=survives, kind=cluster.kind, nodes=cluster.nodes)
    results = dict(zip(JOBS, cluster.results))
    later = continued(cluster.results)
    for name in JOBS:
        if name in results:
            yield _job(name, results[name], later.get(name, ()))
        elif name in requested:
            yield Check(name, NOT_RUN, NOT_REACHED)
        else:
            yield Check(name, SKIPPED, _why_skipped(cluster, name))


def _why_skipped(cluster: Cluster, name: str) -> str:
    if name == RECOVER and cluster.survives:
        return no_recovery(cluster.results, cluster.kind, cluster.nodes)
    return NO_CLAIM if name == RESUME else NOT_REQUESTED


def _job(name: str, result: Result, later: tuple[Problem, ...]) -> Check:
    verdicts = {str(result["verdict"]), status(later)}
    verdict = FAILED if FAILED in verdicts else PASSED if verdicts == {PASSED} else NOT_RUN
    failure = [Problem(result["failure"], result["text"])] if result["failure"] else []
    text = later[0].text if later and result["verdict"] == PASSED else str(result["text"])
    return Check(name, verdict, text, (*problems_of(result["problems"]), *later, *failure))


def _storage(cluster: Cluster) -> Check:
    """Of the first job. A checkpoint counts once all of its processes have seen it."""
    if not cluster.resumes:
        return Check(STORAGE, SKIPPED, NO_CLAIM)
    if not cluster.results:
        return Check(STORAGE, NOT_RUN, NOT_REACHED)
    first = cluster.results[0]
    found = [each for each in problems_of(first["problems"]) if each.code in OF_STORAGE]
    found += [Problem(first["failure"], first["text"])] if first["failure"] in OF_STORAGE else []
    figures = _rates(cluster.results)
    if found:
        return Check(STORAGE, FAILED, found[0].text, tuple(found), figures)
    if first["failure"]:
        return Check(STORAGE, NOT_RUN, "The first job did not run, so no checkpoint was written.")
    if not first["checkpoints"]:
        return Check(STORAGE, NOT_RUN, "No checkpoint was reported, so it is not known whether the nodes share the storage.")
    several = len(first.get("nodes") or ()) > 1
    seen = "All nodes saw the checkpoints." if several else ONE_NODE
    rates = (f" {words} at {figures[name]:.4g} MiB/s." for name, words in ((WRITE, "Written"), (READ, "Read")) if name in figures)
    return Check(STORAGE, PASSED, f"{seen}{''.join(rates)}", figures=figures)


def _rates(results: t.Sequence[Result]) -> dict[str, float]:
    """Of the first job that reported each."""
    found = {name: next((each[name] for each in results if each.get(name)), None) for name in (WRITE, READ)}
    return {name: rate for name, rate in found.items() if rate}


def continued(results: t.Sequence[Result]) -> dict[str, tuple[Problem, ...]]:
    """By job, problems of how it continued the one before; none of a job that did not run."""
    pairs = zip(JOBS[1:], results, results[1:])
    return {name: resumed(_figures(one), _figures(other)) for name, one, other in pairs if not other["failure"]}


def verdict(made: t.Sequence[Check]) -> str:
    """The worst of all checks but those that were skipped."""
    verdicts = {each.verdict for each in made} - {SKIPPED}
    return FAILED if FAILED in verdicts else PASSED if verdicts == {PASSED} else NOT_RUN


def document(
    clusters: t.Mapping[str, Document],
    *,
    created: str,
    not_read: t.Sequence[str],
    before: t.Mapping[str, Measured] | None = None,
) -> Document:
    """
    :param clusters: by key, as ``of_cluster`` returns them.
    :param not_read: what the inventory could not read.
    :param before: by cluster, what earlier runs measured. It is kept for clusters of which this run measured nothing.
    """
    now = {key: measured(each, created) for key, each in clusters.items()}
    newest = {**(before or {}), **{key: each for key, each in now.items() if each}}
    return {
        "schema": SCHEMA,
        "created": created,
        "inventory_failures": list(not_read),
        "clusters": dict(clusters),
        "measured": {key: each.to_report() for key, each in newest.items()},
    }


def of_cluster(cluster: Cluster, *, created: str, before: Measured | None = None) -> Document:
    """:param before: what the last run measured."""
    made = checks(cluster)
    jobs = {name: {key: value for key, value in each.items() if key != "manifest"} for name, each in zip(JOBS, cluster.results)}
    found = {
        "arn": cluster.arn,
        "account": cluster.account,
        "region": cluster.region,
        "instance_type": cluster.instance_type,
        "price": cluster.price,
        "verdict": verdict(made),
        "why": cluster.why,
        "checks": [each.to_task() for each in made],
        "jobs": jobs,
    }
    return {**found, "compared": compared(before, measured(found, created))}


SHOWN = {PASSED: "It trains", FAILED: "It does not train as it must", NOT_RUN: "Training was not verified"}


def jobs_of(cluster: t.Mapping[str, t.Any]) -> list[tuple[str, Document]]:
    """In the order in which they ran, which a file in JSON does not keep."""
    return [(name, cluster["jobs"][name]) for name in JOBS if name in cluster["jobs"]]


def problems(cluster: t.Mapping[str, t.Any]) -> list[tuple[str, str, str]]:
    """Checks, code and text of each. Several checks may have the same one."""
    found: dict[tuple[str, str], list[str]] = {}
    for check in cluster["checks"]:
        for each in check["problems"]:
            found.setdefault((each["code"], each["text"]), []).append(check["name"])
    return [(", ".join(dict.fromkeys(names)), code, text) for (code, text), names in found.items()]


def steps_of(job: Result) -> str:
    """First and last step; empty without one."""
    losses = job["losses"]
    return f"{losses[0][0]} to {losses[-1][0]}" if losses else ""


def loss_of(job: Result) -> str:
    """First and last loss; empty if one is unknown."""
    known = job["first_loss"] is not None and job["last_loss"] is not None
    return f"{job['first_loss']:.3g} to {job['last_loss']:.3g}" if known else ""


def _figures(result: Result) -> Figures:
    return Figures(
        first_step=result["first_step"],
        losses=tuple((int(step), float(loss)) for step, loss in result["losses"]),
        validation=result["validation"],
        checkpoints=tuple((int(step), float(loss)) for step, loss in result["checkpoints"]),
        dtypes=tuple(result["dtypes"]),
    )
