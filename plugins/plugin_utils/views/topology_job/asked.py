# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requested job and its cluster."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import PREFERRED, REQUIRED, UNCONSTRAINED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import topology_job as rules
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.api_server import ApiServer, api_server
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused

from .. import Variables, view


@dataclass(frozen=True)
class Chosen:
    """The cluster that the operator chose for the job."""

    refusals: Findings
    here: bool
    """Whether the job is for this cluster."""


@view
def chosen(variables: Variables) -> Chosen:
    run = list(variables["ansible_play_hosts_all"])
    given = (variables["hostvars"][host].get(rules.CLUSTER) for host in run)
    named = {str(each) for each in given if each}
    return Chosen(refused(rules.cluster_problems(named, run)), not named or variables["inventory_hostname"] in named)


@view
def refusals(variables: Variables) -> Findings:
    known = variables["hostvars"][variables["inventory_hostname"]]
    return refused(rules.problems(variables, known))


@view
def server(variables: Variables) -> ApiServer:
    return api_server(variables, kubeconfig=variables["topology_job_kubeconfig"], context=variables["topology_job_context"])


@dataclass(frozen=True)
class Job:
    """Options of ``topology_job`` without the manifest."""

    namespace: str | None
    queue: str | None
    priority_class: str | None
    required: str | None
    preferred: str | None
    unconstrained: bool
    slice_layer: str | None
    slice_size: int | None


@view
def job(variables: Variables) -> Job:
    mode, layer = variables["topology_job_placement"], rules.layer(variables["topology_job_layer"])
    team = str(variables["topology_job_team"])
    return Job(
        namespace=rules.namespace(team, str(variables["topology_job_namespace"])),
        queue=rules.queue(team, str(variables["topology_job_queue"])),
        priority_class=str(variables["topology_job_priority_class"]) or None,
        required=layer if mode == REQUIRED else None,
        preferred=layer if mode == PREFERRED else None,
        unconstrained=mode == UNCONSTRAINED,
        slice_layer=rules.layer(variables["topology_job_slice_layer"]),
        slice_size=int(variables["topology_job_slice_size"]) or None,
    )
