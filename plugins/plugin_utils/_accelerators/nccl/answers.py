# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates the result of ``nccl_test`` or ``nccl_jobs``, which is untrusted because a node can return anything."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import EFA, P2P, SHARED_MEMORY, SOCKETS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import Row, entries, line

from .model import FAILED, NOT_RUN, VERDICTS, Outcome

NO_ANSWER = "no-answer"
LONGEST = 300
MOST = 1e6
"""Figures of this size (in GB/s) and larger are invalid."""
MOST_BYTES = 2**50
CARRIERS = (EFA, SOCKETS, P2P, SHARED_MEMORY)


def outcome(ids: t.Sequence[str], answer: t.Any) -> Outcome:
    """The outcome of a test. ``ids`` come from the plan, never from the node."""
    row: Row = answer if isinstance(answer, t.Mapping) else {}
    if row.get("verdict") not in VERDICTS:
        return Outcome(tuple(ids), NOT_RUN, NO_ANSWER, "The test returned no result.")
    direct = row.get("gpu_direct")
    first = next(iter(entries(row.get("evidence"), 1)), "") if row["verdict"] in (FAILED, NOT_RUN) else ""
    return Outcome(
        tuple(ids),
        str(row["verdict"]),
        line(row.get("failure"))[:LONGEST],
        line(row.get("text"))[:LONGEST],
        line(first)[:LONGEST],
        direct if isinstance(direct, bool) else None,
        _figure(row.get("bandwidth")),
        _figure(row.get("floor")),
        _bytes(row.get("bytes")),
        str(row["carried_by"]) if row.get("carried_by") in CARRIERS else "",
    )


def _figure(value: t.Any) -> float | None:
    known = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if known and 0 <= value < MOST else None


def _bytes(value: t.Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_BYTES else None
