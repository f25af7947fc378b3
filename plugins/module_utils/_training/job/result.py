# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What ``training_job`` returns: the verdict on a job, from the logs of its Pods."""

from __future__ import annotations

import typing as t

from ..events import Place, pod_log
from ..model import FAILED, NOT_RUN, UNPROVEN, Desired as Required, Figures, Problem, Verdict
from ..verdict import judge
from .model import CHECK_MODE, Desired, NotRun, Outcome, Planned, Ran

MOST_SHOWN, MOST_EVIDENCE = 5, 20
UNEXPLAINED = ("", "Error")
"""Reasons of Kubernetes for a container that ended with an exit status other than 0."""


def not_run(desired: Desired, reason: NotRun, planned: Planned | None = None) -> dict[str, t.Any]:
    return _result(desired, Verdict(NOT_RUN, (), Figures()), planned, failure=reason.failure, text=reason.text)


def check_mode(desired: Desired, planned: Planned) -> dict[str, t.Any]:
    space = f", in the new namespace {desired.namespace}" if planned.new_namespace else ""
    text = f"Check mode creates nothing. A {planned.kind.name} would run on {len(desired.nodes)} nodes{space}."
    return not_run(desired, NotRun(CHECK_MODE, text), planned)


def ran(desired: Desired, planned: Planned, outcome: Outcome) -> dict[str, t.Any]:
    if isinstance(outcome, NotRun):
        return not_run(desired, outcome, planned)
    verdict = judged(desired, outcome)
    nodes = {pod.name: pod.node for pod in outcome.pods}
    return _result(desired, verdict, planned, text=_text(desired, verdict), nodes=nodes)


def judged(desired: Desired, outcome: Ran) -> Verdict:
    """The verdict on what the processes reported, and how Kubernetes ended the Pods."""
    program, count = desired.program, len(desired.nodes)
    required = Required(
        nodes=count,
        processes=desired.gpus,
        steps=program.steps,
        deadline=desired.timeout,
        first_step=program.resume_from,
        loss_bound=program.loss_bound,
        efa=desired.efa,
        restarts=1 if program.kill else 0,
        checkpoints=bool(desired.claim),
    )
    logs = [pod_log(Place(pod.name, count, desired.gpus), None if pod.unread else pod.text) for pod in outcome.pods]
    verdict = judge(required, logs)
    explained = any(each.code not in UNPROVEN for each in verdict.problems)
    problems = tuple(_ends(desired, outcome, explained=explained))
    if not problems:
        return verdict
    return Verdict(FAILED, (*verdict.problems, *problems), verdict.figures)


def _ends(desired: Desired, outcome: Ran, *, explained: bool) -> t.Iterator[Problem]:
    """:param explained: the processes reported why the job failed, so that a container ended with an error is no news."""
    for pod in outcome.pods:
        if pod.trouble not in UNEXPLAINED or (not explained and (pod.trouble or pod.status)):
            why = pod.trouble or f"exit status {pod.status}"
            yield Problem("pod-failed", f"Pod {pod.name} on {pod.node} failed: {why}. Read its log and the events of its node.")
    if outcome.late:
        text = f"Not all Pods had finished after {desired.timeout} s. Check the ranks that are behind, or raise timeout."
        yield Problem("deadline", text)
    yield from _places(desired, outcome)
    for pod in outcome.pods:
        if pod.restarts:
            text = f"The container of Pod {pod.name} was restarted (restarts: {pod.restarts}), and its log before that is lost."
            yield Problem("restarted", f"{text} Read the events of the Pod.")


def _places(desired: Desired, outcome: Ran) -> t.Iterator[Problem]:
    missing = sorted({*desired.nodes} - {pod.node for pod in outcome.pods})
    if len(outcome.pods) < len(desired.nodes):
        count = len(desired.nodes) - len(outcome.pods)
        text = f"{count} of {len(desired.nodes)} Pods are gone. Check who deleted or evicted them, and the health of the nodes."
        yield Problem("pod-failed", text)
    elif missing or len(outcome.pods) > len(desired.nodes):
        nodes = f"no Pod ran on {', '.join(missing[:MOST_SHOWN])}" if missing else f"there were {len(outcome.pods)} Pods"
        text = f"Not every node ran one Pod: {nodes}. Check whether its GPUs are shared, and the operator."
        yield Problem("rank-on-another-node", text)


def _text(desired: Desired, verdict: Verdict) -> str:
    if verdict.problems:
        return verdict.problems[0].text
    figures, processes = verdict.figures, len(desired.nodes) * desired.gpus
    rate = f", {figures.tokens_per_second:.0f} tokens per second" if figures.tokens_per_second else ""
    done = f"Trained steps {desired.program.resume_from + 1} to {desired.program.steps} in {processes} processes"
    restarted = ", with one restart" if desired.program.kill else ""
    return f"{done}{restarted}: loss {figures.first_loss:.3g} to {figures.last_loss:.3g}{rate}."


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
        "pods": [
            {"rank": rank, "pod": pod, "node": (nodes or {}).get(pod, ""), "host": host} for rank, pod, host in figures.pods
        ],
        **{name: getattr(figures, name) for name in FIGURES},
        "losses": [list(each) for each in figures.losses],
        "checkpoints": [list(each) for each in figures.checkpoints],
        "carried_by": figures.carrier,
        "evidence": list(figures.carrier_evidence[:MOST_EVIDENCE]),
        "devices": list(figures.devices),
        "dtypes": list(figures.dtypes),
        "versions": {name: list(getattr(figures, name)) for name in ("torch", "cuda", "nccl")},
    }


FIGURES = (
    *("first_step", "first_loss", "last_loss", "validation", "tokens_per_second", "tflops", "parameters"),
    *("weights", "restarts"),
)
"""Fields of ``Figures`` that are returned under their own names."""
