# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the leaf switches above a Slurm job's nodes with the request.

A leaf switch is identified by the full path of the last network node above a node, because names may not be unique.
"""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.model import REQUIRED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.proof import KEPT, LEFT, SPILLED, UNKNOWN
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import table
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import entries, line

MOST = 10_000
"""The maximum number of nodes of a job."""
KIND = "Slurm job"
HEAD = ("NODE", "LEAF SWITCH", "LAYERS")
Path = tuple[str, ...]
Layers = t.Mapping[str, Path]
"""The network nodes above each node, from the top down, keyed by Slurm's node name."""
Answer = dict[str, t.Any]


@dataclass(frozen=True)
class Job:
    """A job as a controller node reported it, with printable texts."""

    id: int
    name: str
    user: str
    ours: bool
    state: str
    why: str
    nodes: tuple[str, ...]
    placement: str
    switches: int
    switches_wait: int

    @property
    def described(self) -> str:
        return f"{KIND} {self.user}/{self.name}"


def job_of(row: t.Mapping[str, t.Any]) -> Job:
    return Job(
        id=_number(row.get("id")),
        name=line(row.get("name")),
        user=line(row.get("user")),
        ours=row.get("ours") is True,
        state=line(row.get("state")),
        why=line(row.get("why")),
        nodes=tuple(line(each) for each in entries(row.get("nodes"), MOST)),
        placement=line(row.get("placement")),
        switches=_number(row.get("switches")),
        switches_wait=_number(row.get("switches_wait")),
    )


def _number(value: t.Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32 else 0


def leaves(layers: Layers) -> int:
    """The number of leaf switches above all nodes; 0 if unknown."""
    known = {path for path in layers.values() if path}
    unknown = any(not path for path in layers.values())
    return 0 if unknown and len(known) < 2 else len(known)


def proof(job: Job, layers: Layers, *, switches: int = 0) -> Answer:
    """The result in the form of the field ``placement`` of the module ``topology_job``.

    :param switches: the requested number of leaf switches; by default, the number that Slurm reports for the job.
    """
    requested = switches or job.switches
    paths = {node: layers.get(node, ()) for node in job.nodes}
    counts = collections.Counter(path for path in paths.values() if path)
    unknown = sum(1 for path in paths.values() if not path)
    verdict, text = _verdict(job, requested, counts, unknown) if requested else ("", "")
    rows = [(node, path[-1] if path else "unknown", " > ".join(path)) for node, path in sorted(paths.items())]
    return {
        "verdict": verdict,
        "told": text,
        "podsets": [],
        "rows": [{"node": node, "domain": leaf} for node, leaf, _path in rows],
        "table": table(HEAD, rows) if rows else [],
    }


def _verdict(job: Job, requested: int, counts: t.Mapping[Path, int], unknown: int) -> tuple[str, str]:
    if not job.nodes:
        return UNKNOWN, "Slurm reports no nodes for the job"
    where = ", ".join(f"{path[-1]} ({count})" for path, count in sorted(counts.items()))
    nodes = f"its {len(job.nodes)} nodes are" if len(job.nodes) > 1 else "its node is"
    if len(counts) > requested:
        wait = f"; Slurm ignores the request after {job.switches_wait} s" if job.switches_wait else ""
        text = f"{nodes} below {len(counts)} leaf switches instead of {requested}: {where}{wait}"
        return (LEFT if job.placement == REQUIRED else SPILLED), text
    if unknown and len(job.nodes) > requested:
        others = f"; the others are below {where}" if where else ""
        return UNKNOWN, f"the leaf switches above {unknown} of its nodes are unknown{others}"
    return KEPT, f"{nodes} below {where or 'one leaf switch'}"


def row(job: Job, layers: Layers) -> Answer:
    """A job in the form of a result of ``topology_job_info``."""
    why = job.why if job.state in ("waiting", "failed") else ""
    named = {"api_version": "", "kind": KIND, "namespace": job.user, "name": job.name, "queue": "", "hash": "", "workload": ""}
    counts = {"pods": len(job.nodes), "at_work": len(job.nodes)}
    about = {"id": job.id, "ours": job.ours, "state": job.state, "why": why, "problem": ""}
    return {**named, **counts, **about, "placement": proof(job, layers)}
