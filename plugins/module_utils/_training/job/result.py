# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The result of ``training_job``: the verdict on a job, from the logs of its Pods."""

from __future__ import annotations

import typing as t
from dataclasses import replace

from ..._kubernetes.made import RUN, Row, would_create
from ..events import pod_log
from ..model import NOT_RUN, UNPROVEN, Desired as Required, EfaTraffic, Figures, Place, Verdict, status
from ..rendezvous import UNMET
from ..verdict import judge
from . import image_program, manifest
from .ends import causes, ends, images
from .model import CHECK_MODE, Desired, NotRun, Outcome, Planned, PodLog, Ran

MOST_EVIDENCE = 20


def not_run(desired: Desired, reason: NotRun, planned: Planned | None = None) -> dict[str, t.Any]:
    return _result(desired, Verdict(NOT_RUN, (), Figures()), planned, failure=reason.failure, text=reason.text)


def check_mode(desired: Desired, planned: Planned) -> dict[str, t.Any]:
    space = f", in the new namespace {desired.namespace}" if planned.new_namespace else ""
    nodes = f"{len(desired.nodes)} node{'s' if len(desired.nodes) > 1 else ''}"
    text = f"Check mode creates nothing. A {planned.kind.name} would run on {nodes}{space}."
    return {**not_run(desired, NotRun(CHECK_MODE, text), planned), "would_create": _would_create(desired, planned)}


def _would_create(desired: Desired, planned: Planned) -> list[Row]:
    name = manifest.name(RUN)
    kinds = ["ConfigMap", *(["Service"] if planned.service else []), *(["Secret"] if desired.token else []), planned.kind.name]
    pods = [(name, node) for node in desired.nodes]
    return would_create(desired.namespace, [(kind, name) for kind in kinds], pods, new_namespace=planned.new_namespace)


def ran(desired: Desired, planned: Planned, outcome: Outcome) -> dict[str, t.Any]:
    if isinstance(outcome, NotRun):
        return not_run(desired, outcome, planned)
    verdict = judged(desired, outcome)
    nodes = {pod.name: pod.node for pod in outcome.pods}
    return _result(desired, verdict, planned, text=_text(desired, verdict), nodes=nodes)


def judged(desired: Desired, outcome: Ran) -> Verdict:
    """The verdict from the reports of the processes, and from what Kubernetes reports about the Pods."""
    program = desired.program
    required = Required(
        nodes=len(desired.nodes),
        processes=desired.gpus,
        steps=program.steps,
        deadline=desired.timeout,
        first_step=program.resume_from,
        loss_bound=program.loss_bound,
        efa=desired.efa,
        restarts=1 if program.interrupted else 0,
        checkpoints=bool(desired.claim),
    )
    logs = [pod_log(_place(desired, pod), None if pod.unread else pod.text) for pod in outcome.pods]
    if not program.source:
        return image_program.judged(desired, required, outcome, logs)
    verdict = judge(required, logs)
    first, figures = tuple(causes(outcome)), replace(verdict.figures, images=images(outcome))
    if outcome.unreplaced:  # all other problems are effects of the missing Pod
        return Verdict(status(first), first, figures)
    explained = any(each.code not in (*UNPROVEN, UNMET) for each in (*first, *verdict.problems))
    problems = (*first, *verdict.problems, *ends(desired, outcome, explained=explained, started=bool(figures.pods)))
    return Verdict(status(problems), problems, figures)


def _place(desired: Desired, pod: PodLog) -> Place:
    return Place(pod.name, len(desired.nodes), desired.gpus, where=pod.node)


def _text(desired: Desired, verdict: Verdict) -> str:
    if verdict.problems:
        return next((each for each in verdict.problems if each.code not in UNPROVEN), verdict.problems[0]).text
    figures, program, processes = verdict.figures, desired.program, len(desired.nodes) * desired.gpus
    if not program.source:
        return image_program.text(desired, figures)
    rate = f", {figures.tokens_per_second:.0f} tokens per second" if figures.tokens_per_second else ""
    done = f"Trained steps {program.resume_from + 1} to {program.steps} in {processes} process{'es' if processes > 1 else ''}"
    interrupted = ", with one restart" if program.kill else ", with one Pod replaced" if program.replace_pod else ""
    return f"{done}{interrupted}: loss {figures.first_loss:.3g} to {figures.last_loss:.3g}{rate}."


def _result(
    desired: Desired,
    verdict: Verdict,
    planned: Planned | None,
    *,
    text: str,
    failure: str = "",
    nodes: t.Mapping[str, str] | None = None,
) -> dict[str, t.Any]:
    figures = verdict.figures
    return {
        "verdict": verdict.status,
        "failure": failure,
        "text": text,
        "problems": [{"code": each.code, "text": each.text} for each in verdict.problems],
        "kind": planned.kind.name if planned else "",
        "name": planned.name if planned else "",
        "namespace": desired.namespace,
        "nodes": list(desired.nodes),
        "manifest": planned.job if planned else {},
        "would_create": [],
        "pods": [_pod(*each, nodes or {}, planned.layers if planned else {}) for each in figures.pods],
        **{name: getattr(figures, name) for name in FIGURES},
        "losses": [list(each) for each in figures.losses],
        "checkpoints": [list(each) for each in figures.checkpoints],
        "checkpoints_removed": figures.removed,
        "write_mib_per_second": figures.write_rate,
        "read_mib_per_second": figures.read_rate,
        "carried_by": figures.carrier,
        "efa_traffic": [_traffic(each, nodes or {}) for each in figures.efa],
        "evidence": list(figures.carrier_evidence[:MOST_EVIDENCE]),
        "devices": list(figures.devices),
        "image_digests": list(figures.images),
        "dtypes": list(figures.dtypes),
        "versions": {name: list(getattr(figures, name)) for name in ("torch", "cuda", "nccl")},
    }


def _pod(rank: int, pod: str, host: str, nodes: t.Mapping[str, str], layers: t.Mapping[str, tuple[str, ...]]) -> dict[str, t.Any]:
    node = nodes.get(pod, "")
    return {"rank": rank, "pod": pod, "node": node, "host": host, "layers": list(layers.get(node, ()))}


def _traffic(found: EfaTraffic, nodes: t.Mapping[str, str]) -> dict[str, t.Any]:
    counted = {"counters": found.counters, "devices": found.devices, "sent_bytes": found.sent}
    return {"pod": found.pod, "node": nodes.get(found.pod, ""), **counted}


FIGURES = (
    *("first_step", "first_loss", "last_loss", "validation", "tokens_per_second", "tflops", "parameters"),
    *("weights", "restarts"),
)
"""The fields of ``Figures`` that are returned under their own names."""
