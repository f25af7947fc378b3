# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds the results of NCCL tests, or the reason why a node was not tested, to the health of each node."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import FIT, WATCH, worst
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import slurm_states
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators import held

from .model import Outcome
from .problems import problems

Row = t.Mapping[str, t.Any]
"""A node of the document."""


def merged(
    rows: t.Sequence[Row],
    done: t.Sequence[Outcome],
    *,
    with_gpus: t.Container[str],
    slurm: t.Mapping[str, slurm_states.State] | None,
    check: bool,
) -> list[dict[str, t.Any]]:
    """The ``rows`` with the results.

    :param with_gpus: instance types that have GPUs.
    :param slurm: states of nodes, keyed by address; None if Slurm was not queried.
    """
    found = problems(done, {row["instance_id"]: row["instance_type"] for row in rows})
    tested = {iid for each in done for iid in each.ids}
    made = []
    for row in rows:
        untested = row["health"] and row["instance_type"] in with_gpus and row["instance_id"] not in tested
        why = _why_not(row, slurm, check=check) if untested else ""
        made.append({**row, "health": _and(row["health"], found.get(row["instance_id"], []), why)})
    return made


def may_be_tested(row: Row, slurm: t.Mapping[str, slurm_states.State] | None) -> bool:
    return bool(row["health"]) and not _held(row, slurm)


def _why_not(row: Row, slurm: t.Mapping[str, slurm_states.State] | None, *, check: bool) -> str:
    return "check mode starts no test" if check else _held(row, slurm) or "no test applies to the node"


def _held(row: Row, slurm: t.Mapping[str, slurm_states.State] | None) -> str:
    """Why the node must not be tested; empty if it may. An unfit or unknown node would distort the tests of other nodes."""
    verdict = row["health"]["verdict"]
    if verdict not in (FIT, WATCH):
        return f"the node's verdict is {verdict}"
    state = slurm.get(row["private_ip"], slurm_states.NOTHING) if slurm is not None else None
    return held.from_a_job(row["hyperpod"], state)


def _and(health: Row | None, more: t.Sequence[Row], untested: str) -> dict[str, t.Any] | None:
    if health is None:
        return None
    unseen = [{"what": "NCCL", "why": untested}] if untested else []
    return {
        **health,
        "verdict": worst([health["verdict"], *(each["verdict"] for each in more)]),
        "problems": [*health["problems"], *more],
        "not_looked_at": [*health["not_looked_at"], *unseen],
    }
