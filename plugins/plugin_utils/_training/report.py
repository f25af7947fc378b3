# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of whether a cluster can train, and the document that reports these checks."""

from __future__ import annotations

import itertools
import typing as t
from dataclasses import dataclass, field

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

from .checks import ACCESS, BEFORE, SKIPPED, Check, problems_of
from .compared import READ, WRITE, Measured, compared, measured
from .unverified import Unverified

SCHEMA = 2
STORAGE = "storage"
TRAIN, RESUME, SURVIVE, RECOVER = OWN = ("train", "resume", "survive", "recover")
"""The jobs with the role's own program, in their order. Each job resumes the training of the job before it."""
FINE_TUNE = "fine-tune"
"""The last job, which runs the user's program with a model of Hugging Face."""
JOBS = (*OWN, FINE_TUNE)
OF_STORAGE = frozenset({"storage-not-shared", "checkpoint-missing", "claim"})
"""Codes of job problems that storage causes."""
NOT_REQUESTED = "Not requested by verify_training_kill."
NO_CLAIM = "Without verify_training_claim, no checkpoint is written."
ONE_NODE = "The node saved checkpoints. One node does not prove that storage is shared."
NOT_REACHED = "An earlier check did not pass."
OMITTED = ("manifest", "would_create")
"""The fields of jobs that the document does not repeat."""
Document = dict[str, t.Any]
Row = t.Mapping[str, str]
"""An object that a run outside check mode would create, with ``kind``, ``namespace``, ``name`` and ``node``."""
Result = t.Mapping[str, t.Any]
"""The field ``training_job`` in a result of the module ``training_job``."""


@dataclass(frozen=True)
class Cluster:
    arn: str
    account: str
    region: str
    instance_type: str
    results: tuple[Result, ...]
    """The results of the requested jobs, in the order of ``JOBS``."""
    resumes: bool
    """Whether a claim is configured, so that a second job must resume the first one."""
    survives: bool = False
    """Whether further jobs must survive a killed process and a deleted Pod."""
    model: str = ""
    """The model of Hugging Face that the user's program trains; empty for none."""
    kind: str = AUTO
    """The requested kind of the jobs."""
    nodes: int = 0
    """Number of nodes that train; 0 if unknown."""
    why: str = ""
    """Why no check was made; empty if checks were made."""
    before: tuple[Check, ...] = ()
    """The checks before the jobs."""
    price: str = ""
    """The hourly price of the nodes, as a line."""
    software: t.Mapping[str, t.Sequence[str]] = field(default_factory=dict)
    """The driver and the architecture of the nodes, and the minimum driver of the images. A value that is not known is empty."""
    of_checks: t.Mapping[str, t.Sequence[Row]] = field(default_factory=dict)
    """The objects that each check before the jobs would create, in check mode."""
    unverified: tuple[Unverified, ...] = ()
    """The declared nodes that no job verifies."""

    @property
    def wanted(self) -> tuple[str, ...]:
        """The requested jobs, which must all pass. ``RECOVER`` is one of them only if the jobs' kind, once known, supports it."""
        recovers = self.survives and not no_recovery(self.results, self.kind, self.nodes)
        further = {RESUME: self.resumes, SURVIVE: self.survives, RECOVER: recovers, FINE_TUNE: bool(self.model)}
        return (TRAIN, *(name for name, requested in further.items() if requested))

    @property
    def jobs(self) -> dict[str, Result]:
        """The results, keyed by the name of the job."""
        return dict(zip(self.wanted, self.results))


def no_recovery(results: t.Sequence[Result], kind: str, nodes: int) -> str:
    """Why the job ``RECOVER``, which must survive the deletion of a Pod, does not apply; empty if it applies."""
    if nodes == 1:
        return "The test requires several nodes, because with one node no launcher can lose the rendezvous."
    used = next((str(each["kind"]) for each in results if each.get("kind")), kind)
    return not_interrupted("replace_pod", used, name="verify_training_kind")


def checks(cluster: Cluster) -> list[Check]:
    """All checks, in their order. A check that was not reached has the verdict ``NOT_RUN``."""
    begin, last = ((ACCESS,), (FINE_TUNE,)) if cluster.model else ((), ())
    if cluster.why:
        return [Check(name, NOT_RUN, cluster.why) for name in (*begin, *BEFORE, STORAGE, *OWN, *last)]
    made = {each.name: each for each in cluster.before}
    before = [made.get(name) or Check(name, NOT_RUN, NOT_REACHED) for name in (*begin, *BEFORE)]
    return [*before, _storage(cluster), *_jobs(cluster, (*OWN, *last))]


def _jobs(cluster: Cluster, names: t.Iterable[str]) -> t.Iterator[Check]:
    jobs, later = cluster.jobs, continued(cluster.jobs)
    for name in names:
        if name in jobs:
            yield _job(name, jobs[name], later.get(name, ()))
        elif name in cluster.wanted:
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
    """The check of the storage, from the first job. A checkpoint counts only after all processes of the job have seen it."""
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
    """The rates, each from the first job that reported it."""
    found = {name: next((each[name] for each in results if each.get(name)), None) for name in (WRITE, READ)}
    return {name: rate for name, rate in found.items() if rate}


def continued(jobs: t.Mapping[str, Result]) -> dict[str, tuple[Problem, ...]]:
    """The problems with how each job resumed the job before it, keyed by job. Jobs that did not run are omitted."""
    ran = [(name, jobs[name]) for name in OWN if name in jobs]
    found = {}
    for (_earlier, one), (name, other) in itertools.pairwise(ran):
        if not other["failure"]:
            found[name] = resumed(_figures(one), _figures(other))
    return found


def verdict(made: t.Sequence[Check]) -> str:
    """The worst verdict of all checks that were not skipped."""
    verdicts = {each.verdict for each in made} - {SKIPPED}
    return FAILED if FAILED in verdicts else PASSED if verdicts == {PASSED} else NOT_RUN


def document(
    clusters: t.Mapping[str, Document],
    *,
    created: str,
    not_read: t.Sequence[str],
    before: t.Mapping[str, Measured] | None = None,
) -> Document:
    """The document of this run.

    :param clusters: the results of ``of_cluster``, keyed by the cluster's key.
    :param not_read: what the inventory could not read.
    :param before: the rates that earlier runs measured, keyed by cluster. The document repeats them for clusters without new rates.
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
    """The part of the document about a cluster.

    :param before: the rates that the last run measured.
    """
    made = checks(cluster)
    jobs = {name: {key: value for key, value in each.items() if key not in OMITTED} for name, each in cluster.jobs.items()}
    found = {
        "arn": cluster.arn,
        "account": cluster.account,
        "region": cluster.region,
        "instance_type": cluster.instance_type,
        "price": cluster.price,
        "verdict": verdict(made),
        "why": cluster.why,
        "software": {name: list(values) for name, values in cluster.software.items()},
        "would_create": planned(cluster),
        "unverified": [each.text for each in cluster.unverified],
        "checks": [each.to_task() for each in made],
        "jobs": jobs,
    }
    return {**found, "compared": compared(before, measured(found, created))}


SHOWN = {PASSED: "Training works", FAILED: "Training does not work as required", NOT_RUN: "Training was not verified"}
IN_PART = "Training works on the verified nodes"


def summary(verdict: str, unverified: t.Sequence[str]) -> str:
    """The verdict on a cluster in words, which never cover nodes that were not verified."""
    return IN_PART if verdict == PASSED and unverified else SHOWN[verdict]


def planned(cluster: Cluster) -> list[Document]:
    """The objects that each check and each job would create, in check mode."""
    of_jobs = {name: each.get("would_create") or () for name, each in cluster.jobs.items()}
    return [{"for": name, **row} for name, rows in {**cluster.of_checks, **of_jobs}.items() for row in rows]


def jobs_of(cluster: t.Mapping[str, t.Any]) -> list[tuple[str, Document]]:
    """The jobs in the order in which they ran. A JSON file does not preserve this order."""
    return [(name, cluster["jobs"][name]) for name in JOBS if name in cluster["jobs"]]


def problems(cluster: t.Mapping[str, t.Any]) -> list[tuple[str, str, str]]:
    """The checks, code and text of each problem. Several checks may have the same problem."""
    found: dict[tuple[str, str], list[str]] = {}
    for check in cluster["checks"]:
        for each in check["problems"]:
            found.setdefault((each["code"], each["text"]), []).append(check["name"])
    return [(", ".join(dict.fromkeys(names)), code, text) for (code, text), names in found.items()]


def steps_of(job: Result) -> str:
    """The first and the last step; empty without steps."""
    losses = job["losses"]
    return f"{losses[0][0]} to {losses[-1][0]}" if losses else ""


def loss_of(job: Result) -> str:
    """The first and the last loss; empty if one of them is unknown."""
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
