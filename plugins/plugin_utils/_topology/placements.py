# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The placements of all clusters' jobs, as one document and as lines for the screen."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.proof import WRONG
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import table

from . import gain

SCHEMA = 1
Document = dict[str, t.Any]
NOT_READ = "The jobs could not be read, because the run stopped for the cluster or could not reach any controller node."
HEAD = ("JOB", "CLUSTER", "STATE", "PLACEMENT", "WHERE")


@dataclass(frozen=True)
class Cluster:
    key: str
    arn: str
    account: str
    region: str
    seen: t.Mapping[str, t.Any] | None
    """``jobs`` and ``unseen``, as ``topology_job_info`` returns them; None if the jobs could not be read."""
    gain: t.Mapping[str, t.Any] | None = None
    """The gain from nearby nodes; None if it was not requested."""


def document(clusters: t.Iterable[Cluster], *, created: str, not_read: t.Sequence[str]) -> Document:
    """The document of this run. ``not_read``: failures of the inventory."""
    return {
        "schema": SCHEMA,
        "created": created,
        "inventory_failures": list(not_read),
        "clusters": {each.key: _cluster(each) for each in clusters},
    }


def _cluster(cluster: Cluster) -> Document:
    seen = cluster.seen or {"jobs": [], "unseen": []}
    return {
        "arn": cluster.arn,
        "account": cluster.account,
        "region": cluster.region,
        "failure": "" if cluster.seen is not None else NOT_READ,
        "unseen": seen["unseen"],
        "jobs": list(map(_job, seen["jobs"])),
        "gain": cluster.gain,
    }


def _job(job: Document) -> Document:
    return {**job, "placement": {**job["placement"], "wrong": job["placement"]["verdict"] in WRONG}}


def lines(document: Document) -> list[str]:
    """One row per job, then the Pods of each job that is not placed as requested."""
    clusters = document["clusters"].items()
    listed = [f"{key}: {each['failure'] or _counted(each['jobs'])}" for key, each in clusters if each["jobs"] is not None]
    listed += [f"{key}: {gain.line(each['gain'])}" for key, each in clusters if each["gain"]]
    listed += [f"The inventory could not be read completely: {each}" for each in document["inventory_failures"]]
    rows = [_row(key, job) for key, each in clusters for job in each["jobs"] or ()]
    listed += table(HEAD, rows) if rows else []
    for key, each in clusters:
        for job in each["jobs"] or ():
            if job["placement"]["wrong"]:
                listed += ["", f"{key}: {job['kind']} {job['namespace']}/{job['name']}", *job["placement"]["table"]]
    return listed


def _counted(jobs: t.Sequence[Document]) -> str:
    wrong = sum(1 for each in jobs if each["placement"]["wrong"])
    counted = f"{len(jobs)} job{'' if len(jobs) == 1 else 's'}"
    return f"{counted} with a topology request or submitted by this collection, {wrong} not placed as requested."


def _row(key: str, job: Document) -> tuple[str, ...]:
    name = f"{job['kind']} {job['namespace']}/{job['name']}"
    where = job["placement"]["told"] or job["problem"] or job["why"]
    return name, key, job["state"], job["placement"]["verdict"] or "not placed yet", where
