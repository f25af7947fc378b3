# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of a Slurm cluster that request a number of leaf switches, from the facts of controller nodes."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology import slurm_proof
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import rows
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology.cluster import layers_by_node

from .. import Variables

LISTED = "__topology_job_listed"
"""The fact of a controller node with the jobs from ``slurm_job_info``."""
MOST = 10_000


def seen(variables: Variables) -> dict[str, t.Any] | None:
    """The jobs as ``topology_job_info`` returns them, on the cluster's inventory host. None if no controller node answered."""
    hosts = (variables["hostvars"][host] for host in controllers(variables))
    answers = [each[LISTED] for each in hosts if each.get(LISTED) is not None]
    if not answers:
        return None
    layers = layers_by_node(variables) or {}
    jobs = [slurm_proof.job_of(each) for each in rows(plain(answers[0]), MOST)]
    return {"jobs": [slurm_proof.row(each, layers) for each in jobs], "unseen": []}


def of_cluster(host: str, variables: Variables) -> Variables:
    """The variables of a cluster's inventory host, for use on a different host."""
    known = {"hostvars": variables["hostvars"], "groups": variables["groups"], "inventory_hostname": host}
    return collections.ChainMap(known, variables["hostvars"][host])


def controllers(variables: Variables) -> list[str]:
    """The controller nodes of a cluster, for the cluster's inventory host."""
    known = variables["groups"].get(fleet.CONTROLLERS, ())
    return [host for host in variables["groups"][variables["hyperpod_cluster_group"]] if host in known]
