# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The jobs of a cluster: the next one, and the results so far."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training import hub
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import CHECK_MODE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import NOT_RUN, PASSED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import verify_training as rules
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training import report as of_report
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.checks import NO_ANSWER
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from .checks import made, stopped, would_create
from .cluster import account_of, arn_of
from .groups import of_cluster as unverified_of
from .lease import namespace, not_held
from .nodes import TYPES, chosen

CHECKPOINT, RESULTS, JOB = (f"__verify_training_{name}" for name in ("checkpoint", "results", "job"))
"""Facts of a cluster's inventory host, and the variable with the last result of the module."""


@dataclass(frozen=True)
class Job:
    """The options of ``training_job``."""

    nodes: list[str]
    gpus: int
    efa: bool
    namespace: str
    checkpoint: str | None
    steps: int
    resume_from: int
    checkpoint_every: int
    kill: bool
    replace_pod: bool
    remove_checkpoints: bool


@view
def coming(variables: Variables) -> Job | None:
    """The next job to run; None if no job remains, or if an earlier check or job did not pass."""
    nodes, done = chosen(variables), results_of(variables)
    claim, steps = bool(variables["verify_training_claim"]), int(variables["verify_training_steps"])
    wanted = [each for each in wanted_of(variables) if each != of_report.FINE_TUNE]
    if len(done) >= len(wanted) or not _goes_on(variables):
        return None
    return Job(
        nodes=nodes.names,
        gpus=nodes.gpus,
        efa=nodes.efa,
        namespace=namespace(variables),
        checkpoint=str(variables[CHECKPOINT]) if claim else None,
        steps=steps * (len(done) + 1),
        resume_from=steps * len(done),
        checkpoint_every=max(steps // 2, 1),
        kill=wanted[len(done)] == of_report.SURVIVE,
        replace_pod=wanted[len(done)] == of_report.RECOVER,
        remove_checkpoints=claim and len(done) == len(wanted) - 1,
    )


@dataclass(frozen=True)
class FineTuning:
    """The options of ``training_job`` for the user's program."""

    nodes: list[str]
    gpus: int
    efa: bool
    namespace: str
    checkpoint: str | None
    image: str
    environment: dict[str, t.Any]


@view
def fine_tuning(variables: Variables) -> FineTuning | None:
    """The job with the user's program; None if it is not requested, or if an earlier check or job did not pass."""
    nodes, wanted = chosen(variables), wanted_of(variables)
    if wanted[-1] != of_report.FINE_TUNE or len(results_of(variables)) != len(wanted) - 1 or not _goes_on(variables):
        return None
    endpoint = {hub.VARIABLE: str(variables["verify_training_model_endpoint"])}
    return FineTuning(
        nodes=nodes.names,
        gpus=nodes.gpus,
        efa=nodes.efa,
        namespace=namespace(variables),
        checkpoint=str(variables[CHECKPOINT]) if variables["verify_training_claim"] else None,
        image=str(variables["verify_training_model_image"] or variables["verify_training_image"]),
        environment={**endpoint, **plain(variables["verify_training_environment"])},
    )


def _goes_on(variables: Variables) -> bool:
    """Whether no earlier check or job prevents the next job. In check mode, all jobs are planned."""
    done = all(each["verdict"] == PASSED or each["failure"] == CHECK_MODE for each in results_of(variables))
    return done and not stopped(variables)


@view
def results(variables: Variables) -> list[dict[str, t.Any]]:
    """All results so far, including the last job's. If the module failed, the result is built from the module's message."""
    answer = plain(variables.get(JOB) or {})
    why = printable(str(answer.get("msg") or "").partition("\n")[0])
    failed = {"verdict": NOT_RUN, "failure": NO_ANSWER, "text": why, "problems": []}
    return [*results_of(variables), dict(answer.get("training_job") or {**_NOTHING, **failed})]


_NOTHING: dict[str, t.Any] = {
    "losses": [], "checkpoints": [], "dtypes": [], "nodes": [], "carried_by": "", "weights": "not_read",
    **dict.fromkeys(("first_step", "first_loss", "last_loss", "validation", "tokens_per_second")),
}  # fmt: skip


def wanted_of(variables: Variables) -> tuple[str, ...]:
    """The names of the jobs that must pass."""
    return cluster_of(variables).wanted


def cluster_of(variables: Variables) -> of_report.Cluster:
    """The cluster, without its price."""
    nodes = chosen(variables)
    return of_report.Cluster(
        arn=arn_of(variables),
        account=account_of(variables),
        region=str(variables["hyperpod_region"]),
        instance_type=nodes.instance_type,
        results=tuple(results_of(variables)),
        resumes=bool(variables["verify_training_claim"]),
        survives=rules.kills(variables),
        model=str(variables["verify_training_model"]),
        kind=str(variables["verify_training_kind"]),
        nodes=len(nodes.nodes),
        why=nodes.why or not_held(variables),
        before=made(variables),
        of_checks=would_create(variables),
        unverified=() if nodes.why else unverified_of(variables, plain(variables[TYPES]), nodes.instance_ids),
    )


def results_of(variables: Variables) -> list[dict[str, t.Any]]:
    return list(plain(variables.get(RESULTS) or []))
