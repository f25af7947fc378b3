# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role fleet_report."""

from __future__ import annotations

import collections
import os
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from . import Variables, view

FORMS = {"fleet_report_json": "json", "fleet_report_html": "html"}


@dataclass(frozen=True)
class Inventory:
    """The clusters by the inventory, and the files of the report."""

    clusters: list[dict[str, t.Any]]
    known: list[str]
    """The keys of all clusters of the inventory, also of those that are not in this run."""
    not_read: list[str]
    files: dict[str, str]
    """The path by form."""


@view
def inventory(variables: Variables) -> Inventory:
    hostvars, asked = variables["hostvars"], {*variables["ansible_play_hosts_all"]}
    known = [str(host) for host in variables["groups"][fleet.CLUSTERS]]
    paths = {form: str(variables[option]) for option, form in FORMS.items() if variables[option]}
    return Inventory(
        clusters=[_cluster(host, hostvars[host], variables) for host in known if host in asked],
        known=known,
        not_read=plain(variables.get("hyperpod_inventory_failures", [])),
        files={form: os.path.join(variables["hyperpod_state_dir"], os.path.expanduser(path)) for form, path in paths.items()},
    )


def _cluster(host: str, cluster: Variables, variables: Variables) -> dict[str, t.Any]:
    members = variables["groups"].get(cluster["hyperpod_cluster_group"], ())
    nodes = (variables["hostvars"][each] for each in members if each != host)
    counts = collections.Counter(str(each.get("hyperpod_status") or "unknown") for each in nodes)
    return {
        "key": host,
        "arn": str(cluster["hyperpod_cluster_arn"]),
        "account": str(cluster["hyperpod_account_id"]),
        "region": str(cluster["hyperpod_region"]),
        "orchestrator": str(cluster["hyperpod_orchestrator"]),
        "nodes": dict(sorted(counts.items())),
    }
