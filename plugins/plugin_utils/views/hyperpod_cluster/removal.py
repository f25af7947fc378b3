# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster that is removed, and what goes with it."""

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
    """Of a cluster that the inventory has, for Slurm."""

    controller: str
    """A host that knows of its jobs; empty where there is none, and where the cluster is gone."""
    python: str
    """Its interpreter: the play's own is the one of this machine."""


@view
def removal(variables: Variables) -> Removal:
    """By ``__hyperpod_cluster_removal``."""
    hostvars, groups = variables["hostvars"], variables["groups"]
    members = [
        host
        for cluster in groups.get(fleet.CLUSTERS, ())
        if hostvars[cluster].get("hyperpod_cluster_arn") == variables[REMOVE]
        for host in groups[hostvars[cluster]["hyperpod_cluster_group"]]
    ]
    found = [host for host in groups.get(fleet.CONTROLLERS, ()) if host in members and _goes(variables)]
    return Removal(found[0], hostvars[found[0]].get("ansible_python_interpreter", "auto")) if found else Removal("", "auto")


@view
def job_addresses(variables: Variables) -> list[str]:
    """Where they are looked for, by ``__hyperpod_cluster_nodes``."""
    return [row["ip"] for row in plain(variables["__hyperpod_cluster_nodes"]["nodes"]) if row["ip"]]


@view
def lost(variables: Variables) -> Findings:
    """What goes with a cluster that is removed, by ``__hyperpod_cluster_removal`` and ``__hyperpod_cluster_jobs``."""
    found = _goes(variables)
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
    unknown = "unknown, the inventory has no controller of it that answers"
    return {
        "nodes": ", ".join(nodes) or "none",
        "volumes": ", ".join(sizes) or "none besides those that the nodes start from",
        "jobs": ", ".join(ends) or "none" if answer else unknown,
    }


def _goes(variables: Variables) -> dict[str, t.Any] | None:
    return next(iter(plain(variables["__hyperpod_cluster_removal"]["changes"])), None)
