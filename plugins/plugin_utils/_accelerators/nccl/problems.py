# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The problems of each node that NCCL tests found, in the format of the document.

An NCCL test never makes a node unfit, because it does not show which part is slow or wrong. The driver and the kernel report broken
hardware, and the next check reads these reports.
"""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import (
    CONFIG,
    FABRIC,
    FIT,
    HARDWARE,
    SERVICE,
    WATCH,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import (
    HARDWARE as OF_A_GPU,
    NO_EFA,
    WRONG_VALUES,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.result import code_of

from .model import NOT_RUN, PASSED, Outcome
from .plan import good

NO_DIRECT = "nccl-no-gdr"
CAUSES = {NO_EFA: CONFIG, OF_A_GPU: HARDWARE, WRONG_VALUES: HARDWARE}
"""The cause that the report shows for a test that ran but failed, keyed by the test's failure. Other failures have ``FABRIC``."""
WITH_DIRECT = ("ml.p4", "ml.p5.48", "ml.p5e", "ml.p6")
"""Prefixes of the instance types on which EFA uses GPUDirect RDMA."""
Problem = dict[str, t.Any]


def problems(done: t.Sequence[Outcome], types: t.Mapping[str, str]) -> dict[str, list[Problem]]:
    """The problems, keyed by instance ID. ``types``: instance types, keyed by instance ID."""
    known = set(good(types, done))
    found: dict[str, list[Problem]] = {}
    for outcome in done:
        for iid in outcome.ids:
            problem = _problem(outcome, iid, known, types.get(iid, ""))
            if problem:
                found.setdefault(iid, []).append(problem)
    return found


def _problem(outcome: Outcome, iid: str, known: t.Container[str], instance_type: str) -> Problem | None:
    others = [each for each in outcome.ids if each != iid]
    if outcome.verdict == PASSED:
        direct = outcome.direct is not False or not instance_type.startswith(WITH_DIRECT)
        text = "EFA carried the data without GPUDirect RDMA."
        return None if direct else _made(NO_DIRECT, WATCH, CONFIG, text, outcome, others)
    code = code_of(outcome.verdict, outcome.failure)
    if outcome.verdict == NOT_RUN:
        text = f"The test itself failed ({outcome.failure or 'unclear'}), so it shows nothing about the node. {outcome.text}"
        return _made(code, FIT, SERVICE, text, outcome, others)
    cause = CAUSES.get(outcome.failure, FABRIC)
    if len(others) > 1:
        return _made(code, FIT, cause, f"{outcome.text} In a pair with another node, each of the nodes passed.", outcome, others)
    if others and iid in known:
        return None
    unclear = bool(others) and others[0] not in known
    blame = " Either node may be the cause, because neither has passed with another node." if unclear else ""
    return _made(code, WATCH, cause, f"{outcome.text}{blame}", outcome, others)


def _made(code: str, verdict: str, cause: str, text: str, outcome: Outcome, others: t.Sequence[str]) -> Problem:
    peers = f" with {others[0]}" if len(others) == 1 else f" with {len(others)} others" if others else ""
    return {
        "code": code,
        "verdict": verdict,
        "cause": cause,
        "part": "NCCL",
        "key": f"NCCL{peers}",
        "text": f"NCCL test{peers}: {text}",
        "evidence": outcome.evidence,
        "folded": [],
    }
