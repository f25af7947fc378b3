# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The result of ``accelerator_health``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t

from ...._core.finding import Finding, failure, note, pending, to_result
from ...._core.text import printable
from ..model import State
from .judge import Health, settles_in
from .look import Look
from .problem import CONFIG, FIT, REBOOT, REPLACE, UNKNOWN, WATCH, WORKLOAD, Problem, worst
from .profile import Waiver

Answer = dict[str, t.Any]
UNSEEN = "accelerators-unseen"
_NEXT = {
    REPLACE: "Replace the node: drain it, then call BatchReplaceClusterNodes.",
    REBOOT: "Reboot the node after its jobs have ended: drain it, then call BatchRebootClusterNodes.",
    UNKNOWN: "Check again in a few minutes.",
    WATCH: "Watch the node.",
}


def result(health: Health, look: Look) -> Answer:
    expected = look.expected
    return {
        "health": {
            "verdict": health.verdict,
            "settles_in": settles_in(look, health),
            "problems": [_problem(each) for each in health.problems],
            "waived": [_waived(problem, waiver) for problem, waiver in health.waived],
            "gpus": [_gpu(look, health, pci) for pci in look.addresses],
            "versions": _versions(look.state),
            "looked_at": list(health.looked_at),
            "not_looked_at": [{"what": printable(each.what), "why": printable(each.why)} for each in health.not_looked_at],
            "expected": {
                "gpus": expected.gpus,
                "efa_devices": expected.efa,
                "neuron_devices": expected.neuron,
                "source": expected.source,
            },
        },
        **to_result(findings(health)),
    }


def _gpu(look: Look, health: Health, pci: str) -> Answer:
    part = look.part(pci)
    verdict = worst(each.verdict for each in health.problems if each.part == part)
    return {"part": printable(part), "key": printable(look.key(pci)), "verdict": verdict}


def _versions(state: State) -> Answer:
    document = state.smi
    by_driver = {"driver": document.driver, "cuda": document.cuda} if document else {}
    found = {**by_driver, **{name: version for name, version in state.software.items() if version}}
    return {name: printable(version) for name, version in sorted(found.items()) if version}


def findings(health: Health) -> list[Finding]:
    found = [_finding(each) for each in health.problems]
    if health.not_looked_at and health.verdict == UNKNOWN:
        parts = "; ".join(f"{each.what}: {each.why.rstrip('.')}" for each in health.not_looked_at)
        found.append(pending(UNSEEN, printable(f"The node could not be checked completely: {parts}."), next_step=_NEXT[UNKNOWN]))
    return found


def _finding(problem: Problem) -> Finding:
    evidence = f" ({problem.evidence})" if problem.evidence else ""
    text, subject = printable(f"{problem.text}{evidence}"), printable(problem.part)
    if problem.verdict in (REBOOT, REPLACE):
        return failure(problem.code, text, subject=subject, next_step=_NEXT[problem.verdict])
    if problem.verdict == UNKNOWN:
        return pending(problem.code, text, subject=subject, next_step=_NEXT[UNKNOWN])
    if problem.verdict == FIT:
        return note(problem.code, text, subject=subject, next_step="Check the job." if problem.cause == WORKLOAD else "")
    step = "Correct the configuration of the node." if problem.cause == CONFIG else _NEXT[WATCH]
    return note(problem.code, text, severity="warning", subject=subject, next_step=step)


def _problem(problem: Problem) -> Answer:
    return {
        "code": problem.code,
        "verdict": problem.verdict,
        "cause": problem.cause,
        "part": printable(problem.part),
        "key": printable(problem.key),
        "text": printable(problem.text),
        "evidence": printable(problem.evidence),
        "folded": [printable(each) for each in problem.folded],
    }


def _waived(problem: Problem, waiver: Waiver) -> Answer:
    return {**_problem(problem), "until": waiver.until.isoformat(), "why": printable(waiver.why)}
