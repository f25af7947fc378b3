# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The verdict on a job that runs a program of its image. Such a program reports no steps, so its loss is not assessed. No I/O."""

from __future__ import annotations

import typing as t

from ..events import PodLog as Log
from ..history import carried_by
from ..model import NOT_ASSESSED, Desired as Required, Figures, Problem, Verdict, named, status
from ..verdict import by_sockets, carrier_unproven
from .ends import causes, ends, images
from .model import Desired, Ran


def judged(desired: Desired, required: Required, outcome: Ran, logs: t.Sequence[Log]) -> Verdict:
    """The verdict from the exit statuses of the containers, the nodes of the Pods, and NCCL's log."""
    evidence = tuple(dict.fromkeys(each for log in logs for each in log.network.evidence))
    carrier = carried_by(logs, nodes=required.nodes)
    figures = Figures(weights=NOT_ASSESSED, carrier=carrier, carrier_evidence=evidence, images=images(outcome))
    first = tuple(causes(outcome))
    found = [*first, *ends(desired, outcome, explained=bool(first), started=True), *by_sockets(required, figures)]
    problems = found or [*_unended(outcome), *carrier_unproven(required, figures)]
    return Verdict(status(problems), tuple(problems), figures)


def text(desired: Desired, figures: Figures) -> str:
    """The sentence about a job that passed."""
    processes, count = len(desired.nodes) * desired.gpus, len(desired.nodes)
    over = f", and {figures.carrier} carried its traffic" if figures.carrier else ""
    where = f"{processes} process{'es' if processes > 1 else ''} on {count} node{'s' if count > 1 else ''}"
    return f"The image's program ended without an error in {where}{over}. The loss is not assessed."


def _unended(outcome: Ran) -> t.Iterator[Problem]:
    unknown = [pod.name for pod in outcome.pods if pod.status is None]
    if unknown:
        why = f"Kubernetes reports no exit status of the containers in {named(unknown)}. Read the logs of these Pods."
        yield Problem("exit-unproven", why)
