# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The removal of a cluster and everything that is lost with it."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view
from .declared import REMOVE


@dataclass(frozen=True)
class Removal:
    """The removal of a cluster in the inventory, with its Slurm jobs."""

    controller: str
    """A controller node that can list the cluster's jobs. Empty if no such node or no cluster exists."""
    python: str
    """The Python interpreter of this controller node. The play's own interpreter is for the control node."""


@view
def removal(variables: Variables) -> Removal:
    """The removal from ``__hyperpod_cluster_removal``."""
    hostvars, groups = variables["hostvars"], variables["groups"]
    members = [
        host
        for cluster in groups.get(fleet.CLUSTERS, ())
        if hostvars[cluster].get("hyperpod_cluster_arn") == variables[REMOVE]
        for host in groups[hostvars[cluster]["hyperpod_cluster_group"]]
    ]
    found = [host for host in groups.get(fleet.CONTROLLERS, ()) if host in members and _removed(variables)]
    return Removal(found[0], hostvars[found[0]].get("ansible_python_interpreter", "auto")) if found else Removal("", "auto")


@view
def job_addresses(variables: Variables) -> list[str]:
    """Addresses of the nodes whose jobs are listed, from ``__hyperpod_cluster_nodes``."""
    return [row["ip"] for row in plain(variables["__hyperpod_cluster_nodes"]["nodes"]) if row["ip"]]


@view
def lost(variables: Variables) -> Findings:
    """Findings about everything that is lost, from ``__hyperpod_cluster_removal`` and ``__hyperpod_cluster_jobs``."""
    found = _removed(variables)
    return finding("cluster-goes", cluster=found["resource"], **_lost(variables, found["before"]["groups"])) if found else []


def _lost(variables: Variables, groups: t.Mapping[str, t.Any]) -> dict[str, str]:
    nodes = [
        f"{name} {group['nodes']}" + (f" ({', '.join(group['node_ids'])})" if group["node_ids"] else "")
        for name, group in groups.items()
    ]
    sizes = [
        f"{volume['volume_size_in_gb']} GB on each node of {name}"
        for name, group in groups.items()
        for volume in group["volumes"]
        if "volume_size_in_gb" in volume
    ]
    answer = (variables.get("__hyperpod_cluster_jobs") or {}).get("slurm_nodes")
    ends = [f"{job['id']} of {job['user']}" for job in plain(answer["jobs"])] if answer else []
    unknown = "unknown, because no controller node in the inventory listed them"
    return {
        "nodes": ", ".join(nodes) or "none",
        "volumes": ", ".join(sizes) or "none except root volumes",
        "jobs": ", ".join(ends) or "none" if answer else unknown,
    }


def _removed(variables: Variables) -> dict[str, t.Any] | None:
    return next(iter(plain(variables["__hyperpod_cluster_removal"]["changes"])), None)
