# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a job of Slurm is, by the leaf switches above its nodes, and whether that is as asked. Pure.

The leaf switch of a node is the last network node above it, with the whole path: nothing says that names are unique.
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
"""Nodes of a job."""
KIND = "Slurm job"
HEAD = ("NODE", "LEAF SWITCH", "LAYERS")
Path = tuple[str, ...]
Layers = t.Mapping[str, Path]
"""Network nodes above each node, from the top down, by Slurm's name of the node."""
Answer = dict[str, t.Any]


@dataclass(frozen=True)
class Job:
    """As a controller has told of it, made printable."""

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
    """How many leaf switches all nodes are below; 0 where that is not known."""
    known = {path for path in layers.values() if path}
    unknown = any(not path for path in layers.values())
    return 0 if unknown and len(known) < 2 else len(known)


def proof(job: Job, layers: Layers, *, switches: int = 0) -> Answer:
    """In the form of ``placement`` of ``topology_job``.

    :param switches: what was asked for; by default what Slurm has of it.
    """
    asked = switches or job.switches
    paths = {node: layers.get(node, ()) for node in job.nodes}
    counts = collections.Counter(path for path in paths.values() if path)
    unknown = sum(1 for path in paths.values() if not path)
    verdict, text = _verdict(job, asked, counts, unknown) if asked else ("", "")
    rows = [(node, path[-1] if path else "not told", " > ".join(path)) for node, path in sorted(paths.items())]
    return {
        "verdict": verdict,
        "told": text,
        "podsets": [],
        "rows": [{"node": node, "domain": leaf} for node, leaf, _path in rows],
        "table": table(HEAD, rows) if rows else [],
    }


def _verdict(job: Job, asked: int, counts: t.Mapping[Path, int], unknown: int) -> tuple[str, str]:
    if not job.nodes:
        return UNKNOWN, "it has no nodes that Slurm tells of"
    where = ", ".join(f"{path[-1]} ({count})" for path, count in sorted(counts.items()))
    nodes = f"its {len(job.nodes)} nodes are" if len(job.nodes) > 1 else "its node is"
    if len(counts) > asked:
        wait = f", and Slurm gives up the wish after {job.switches_wait} s" if job.switches_wait else ""
        text = f"{nodes} below {len(counts)} leaf switches, not {asked}: {where}{wait}"
        return (LEFT if job.placement == REQUIRED else SPILLED), text
    if unknown and len(job.nodes) > asked:
        beside = f" beside {where}" if where else ""
        return UNKNOWN, f"nobody tells which leaf switches {unknown} of its nodes are below{beside}"
    return KEPT, f"{nodes} below {where or 'one leaf switch'}"


def row(job: Job, layers: Layers) -> Answer:
    """One of all jobs that were looked at, in the form of ``topology_job_info``."""
    why = job.why if job.state in ("waiting", "failed") else ""
    named = {"api_version": "", "kind": KIND, "namespace": job.user, "name": job.name, "queue": "", "hash": "", "workload": ""}
    counts = {"pods": len(job.nodes), "at_work": len(job.nodes)}
    about = {"id": job.id, "ours": job.ours, "state": job.state, "why": why, "problem": ""}
    return {**named, **counts, **about, "placement": proof(job, layers)}
