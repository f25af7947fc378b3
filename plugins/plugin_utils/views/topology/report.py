# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on the topology of all clusters."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology import document as of_fleet, forms
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology.page import page
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.earlier import earlier
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view
from .cluster import CLUSTER, PLACES, place_of

NOT_READ = "The nodes could not be read: the run failed for the cluster, or no controller node was reached."


@dataclass(frozen=True)
class Report:
    """The report on all clusters of the run."""

    lines: Printed
    files: list[dict[str, str]]
    """The ``path``, ``content`` and ``mode`` of each file."""


@view
def coverage(variables: Variables) -> Findings:
    """Findings about nodes of one cluster with unknown locations, from the fact ``PLACES``."""
    found = plain(variables.get(PLACES)) or ()
    unknown = sum(1 for each in found if not each["layers"])
    return finding("topology-unknown", unknown=unknown, count=len(found)) if unknown else []


@view
def report(variables: Variables) -> Report:
    document = _document(variables)
    forms_by_option = {"topology_json": json_text, "topology_html": page}
    written = [(str(variables[option]), form(document)) for option, form in forms_by_option.items() if variables[option]]
    drawn = [(key, each["mermaid"]) for key, each in document["clusters"].items() if not each["failure"]]
    if variables["topology_mermaid"]:
        written += [(str(variables["topology_mermaid"]).replace(CLUSTER, key), text) for key, text in drawn]
    files = [{"path": _path(variables, path), "content": text, "mode": "0600"} for path, text in written]
    return Report(printed(forms.lines(document)), files)


def _document(variables: Variables) -> of_fleet.Document:
    hostvars, asked = variables["hostvars"], {*variables["ansible_play_hosts_all"]}
    return of_fleet.document(
        [_cluster(host, hostvars[host]) for host in variables["groups"][fleet.CLUSTERS] if host in asked],
        created=iso_now(),
        before=earlier(_path(variables, str(variables["topology_json"])), of_fleet.SCHEMA),
        not_read=plain(variables.get("hyperpod_inventory_failures", [])),
        needed=of_fleet.Needed(int(variables["topology_nodes_needed"]), str(variables["topology_instance_type"])),
    )


def _cluster(host: str, variables: Variables) -> of_fleet.Cluster:
    rows = plain(variables.get(PLACES))
    return of_fleet.Cluster(
        key=host,
        arn=str(variables["hyperpod_cluster_arn"]),
        account=str(variables["hyperpod_account_id"]),
        region=str(variables["hyperpod_region"]),
        places=tuple(place_of(each) for each in rows or ()),
        failure="" if rows is not None else NOT_READ,
    )


def _path(variables: Variables, path: str) -> str:
    return os.path.join(variables["hyperpod_state_dir"], path)
