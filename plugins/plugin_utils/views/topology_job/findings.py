# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about the submitted job, and about all jobs of a cluster."""

from __future__ import annotations

import collections
import dataclasses
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import FAILURE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.proof import KEPT, MOVED, SPILLED, UNKNOWN, WRONG
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import why_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed

from .. import Variables, view
from . import slurm_seen
from .asked import job as requested_job
from .source import source

MOST = 20
"""Maximum number of jobs with their own finding, not counting misplaced jobs. The report file lists all jobs."""
SEEN = "__topology_job_seen"
"""The fact with the result of ``topology_job_info``."""
WAITS = "topology-job-waits"
NONE_IN_SLURM = "none waits or runs, and jobs that have ended are not counted"
NONE_IN_KUBERNETES = "none exists, and jobs that Kubernetes removed after their end are not counted"
BY_VERDICT = {
    KEPT: "topology-job-kept",
    MOVED: "topology-job-kept",
    SPILLED: "topology-job-spilled",
    UNKNOWN: "topology-job-unproven",
    **dict.fromkeys(WRONG, "topology-job-misplaced"),
}
"""Names of messages, keyed by verdict."""


@dataclass(frozen=True)
class Done:
    """The result of the requested job."""

    table: Printed
    """The location of each Pod or node."""
    findings: Findings


def done(variables: Variables) -> Done:
    """The result from ``__topology_job_done``."""
    result = plain(variables["__topology_job_done"])
    placement = result.get("placement") or {}
    table = printed(placement["table"] if placement.get("rows") else [])
    if "job" not in result:
        return Done(table, _failed(result, variables))
    if variables["ansible_check_mode"] and result["changes"]:
        return Done(table, [])  # the changes show the plan
    return Done(table, _status(result["job"], placement))


def _failed(result: t.Mapping[str, t.Any], variables: Variables) -> Findings:
    """The finding about a failed module. It does not include the table, which is printed separately."""
    name = _name(variables)
    why = why_of(result, printable(str(result.get("msg") or "").partition("\n")[0]))
    if why.code == WAITS:
        return finding("topology-job-still-waits", job=name, why=why.text)
    return [dataclasses.replace(why, subject=why.subject or name).to_result()]


def _name(variables: Variables) -> str:
    """The name of the job, with the parts that are declared."""
    manifest = source(variables).manifest
    meta = manifest.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    namespace = meta.get("namespace") or requested_job(variables).namespace or ""
    return printable(f"{manifest.get('kind')} {namespace}/{meta.get('name')}")


def _status(job: t.Mapping[str, t.Any], placement: t.Mapping[str, t.Any]) -> Findings:
    if job["state"] == "absent":
        return []
    if job["state"] == "waiting" or (job["state"] == "admitted" and job["why"]):
        return finding(WAITS, job=name_of(job), why=job["why"])
    if job["state"] == "failed":
        return finding("topology-job-over", job=name_of(job), why=job["why"])
    return _placed(job, placement)


def _placed(job: t.Mapping[str, t.Any], placement: t.Mapping[str, t.Any]) -> Findings:
    """The finding about a placed job. Empty for a job without a topology request if all Pods are on their assigned nodes."""
    verdict = placement["verdict"]
    if not placement["told"] or verdict not in BY_VERDICT:
        return []
    return finding(BY_VERDICT[verdict], job=name_of(job), described=placement["told"])


@view
def found(variables: Variables) -> Findings:
    """Findings about all jobs of a cluster, from ``__topology_job_seen`` or from the facts of its controller nodes."""
    by_api_server = variables.get(SEEN)
    seen = slurm_seen.seen(variables) if by_api_server is None else plain(by_api_server)
    if seen is None:
        return finding("topology-not-read")
    jobs = seen["jobs"]
    each = [one for job in jobs for one in _of_one(job)]
    wrong = [one for one in each if one["kind"] == FAILURE]
    others = [one for one in each if one["kind"] != FAILURE][:MOST]
    verdicts = collections.Counter(job["placement"]["verdict"] or "nowhere yet" for job in jobs)
    none = NONE_IN_SLURM if by_api_server is None else NONE_IN_KUBERNETES
    counted = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())) or none
    unseen = finding("topology-job-unseen", unseen=list(map(printable, seen["unseen"]))) if seen["unseen"] else []
    return [*finding("topology-jobs-looked-at", count=len(jobs), verdicts=counted), *wrong, *others, *unseen]


def _of_one(job: t.Mapping[str, t.Any]) -> Findings:
    """The finding about a job. Empty for a job that is placed as requested or not placed yet, which is only counted."""
    if job["problem"]:
        return finding("topology-job-unproven", job=name_of(job), described=job["problem"].rstrip("."))
    verdict = job["placement"]["verdict"]
    return _placed(job, job["placement"]) if verdict in (SPILLED, MOVED, *WRONG) else []


def name_of(job: t.Mapping[str, t.Any]) -> str:
    return f"{job['kind']} {job['namespace']}/{job['name']}"
