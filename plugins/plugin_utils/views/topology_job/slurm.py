# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A job on a Slurm cluster: options for a controller node, and the job's placement from the facts of controller nodes."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.model import NONE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import node_limit
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import topology_job as rules
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology import slurm_proof
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import why_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run.state import NAME
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology import cluster as of_topology

from .. import Variables, view
from .findings import BY_VERDICT, WAITS, Done
from .slurm_seen import controllers, of_cluster

SUBMITTED = "__topology_job_submitted"
"""The fact of a controller node with the result of ``slurm_job``."""


@view
def slurm_refusals(variables: Variables) -> Findings:
    """The refusals of the job's variables, on a Slurm cluster's inventory host."""
    known = variables["hostvars"][variables["inventory_hostname"]]
    return refused(rules.slurm_problems(variables, known))


@dataclass(frozen=True)
class SlurmJob:
    """Options of ``slurm_job``, for a controller node."""

    here: bool
    """Whether this controller node submits the job. It is the first one that could query Slurm."""
    switches_wait: int | None
    leaves: int


@view
def slurm_job(variables: Variables) -> SlurmJob:
    own = of_cluster(fleet.cluster_host(variables["group_names"], variables["groups"]), variables)
    wait = int(variables["topology_job_switches_wait"]) if variables["topology_job_placement"] != NONE else 0
    layers = of_topology.layers_by_node(own) or {}
    answered = (host for host in controllers(own) if own["hostvars"][host].get(of_topology.SLURM) is not None)
    here = next(answered, "") == variables["inventory_hostname"]
    return SlurmJob(here, wait or None, slurm_proof.leaves(layers))


def done(variables: Variables) -> Done:
    """The result of the job that a controller node has submitted, for the inventory host that represents the cluster."""
    if not (variables.get(NAME) or {}).get("ready"):
        return Done([], [])  # the job is for another cluster
    hosts = (variables["hostvars"][host] for host in controllers(variables))
    answers = [each[SUBMITTED] for each in hosts if each.get(SUBMITTED) is not None]
    if not answers:
        return Done([], finding("slurm-job-unreached"))
    result = plain(answers[0])
    job = slurm_proof.job_of(_mapping(result.get("job")))
    name = f"{slurm_proof.KIND} {printable(variables['topology_job_user'])}/{printable(variables['topology_job_name'])}"
    if result.get("failed") or "job" not in result:
        return Done([], _failed(result, name))
    if variables["ansible_check_mode"] and result.get("changes"):
        return Done([], [])  # the changes show the plan
    if job.state in ("absent", "cancelled") or variables["topology_job_state"] == "absent":
        return Done([], [])
    if job.state == "waiting":
        return Done([], finding(WAITS, job=name, why=job.why))
    if job.state == "failed":
        return Done([], finding("topology-job-over", job=name, why=job.why))
    return _placed(job, name, variables)


def _placed(job: slurm_proof.Job, name: str, variables: Variables) -> Done:
    """The result for a placed job. The placement is compared with the declared request, not with the request in Slurm's record."""
    mode = str(variables["topology_job_placement"])
    switches = int(variables["topology_job_switches"]) if mode != NONE else 0
    declared = dataclasses.replace(job, placement=mode)
    found = slurm_proof.proof(declared, of_topology.layers_by_node(variables) or {}, switches=switches)
    findings = finding(BY_VERDICT[found["verdict"]], job=name, described=found["told"]) if found["verdict"] else []
    return Done(found["table"], findings)


def _failed(result: t.Mapping[str, t.Any], name: str) -> Findings:
    reason = printable(str(result.get("msg") or "slurm_job returned nothing").partition("\n")[0])
    why = why_of(result, reason)
    if why.code == WAITS:
        return finding("topology-job-still-waits", job=name, why=why.text)
    return [dataclasses.replace(why, subject=why.subject or name).to_result()]


def _mapping(value: t.Any) -> t.Mapping[str, t.Any]:
    return value if isinstance(value, t.Mapping) else {}


@view
def longest(variables: Variables) -> int:
    """The time limit in seconds of the task that waits for a job."""
    return node_limit.with_wait(variables["topology_job_timeout"])
