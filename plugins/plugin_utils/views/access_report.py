# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role access_report."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import access, answers
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports import access as access_forms
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from . import Variables, view

SEEN, PART = "__access_report_seen", "__access_report_cluster_access"
"""Names of the facts of a node and of a cluster."""


@view
def is_login(variables: Variables) -> bool:
    """Whether the current host is a login node."""
    return variables["inventory_hostname"] in variables["groups"].get(fleet.LOGIN_NODES, ())


@view
def seen(variables: Variables) -> dict[str, t.Any]:
    """The data that the current node returned. Malformed data fails this node only, so the report contains the other nodes."""
    return answers.checked(plain(variables["__access_report_read"].get("login_info")), answers.LOGIN_INFO)


@view
def cluster_access(variables: Variables) -> dict[str, t.Any]:
    """The data of the cluster's nodes, compared with the declaration."""
    return access.of_cluster(
        {instance_id: plain(answer) for instance_id, answer in _answers(variables).items()},
        users=variables["access_report_users"],
        files=variables["access_report_users_files"],
        offboarded=(variables["hyperpod_run"].get("records") or {}).get("offboarded") or {},
        operations_user=variables["access_report_operations_user"],
    )


@dataclass(frozen=True)
class Report:
    """The report on all clusters of the run, including failed reads."""

    table: Printed
    files: list[dict[str, str]]
    """The ``path`` and ``content`` of each file."""


@view
def report(variables: Variables) -> Report:
    parts, not_read = _parts(variables), plain(variables.get("hyperpod_inventory_failures", []))
    written = (
        (variables["access_report_json"], access_forms.to_json(parts, created=iso_now(), not_read=not_read)),
        (variables["access_report_csv"], access_forms.to_csv(parts, not_read=not_read)),
    )
    return Report(
        table=printed(access_forms.to_table(parts, not_read=not_read)),
        files=[{"path": path, "content": content} for path, content in written if path],
    )


def _answers(variables: Variables) -> dict[str, t.Any]:
    """The data that nodes returned, keyed by instance ID; empty for a node that was not read."""
    hosts = variables["groups"][variables["hyperpod_cluster_group"]]
    nodes = [variables["hostvars"][host] for host in hosts if host != variables["inventory_hostname"]]
    return {each["hyperpod_instance_id"]: each.get(SEEN, "") for each in nodes}


def _parts(variables: Variables) -> dict[str, t.Any]:
    """The parts of the report, keyed by cluster; empty for a cluster that failed."""
    groups = variables["groups"]
    asked = {*groups["orchestrator_slurm"]} & {*variables["ansible_play_hosts_all"]}
    return {host: plain(variables["hostvars"][host].get(PART, "")) for host in groups[fleet.CLUSTERS] if host in asked}
