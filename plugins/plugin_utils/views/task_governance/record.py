# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file with the quotas of all clusters and their use."""

from __future__ import annotations

import os
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view
from .declared import DELETED

SCHEMA = 1
NOT_READ = "The run ended before it read the quotas of this cluster."
READ, NO_QUEUE, UNREAD = "read", "no queue", "not read"
"""Whether the use of a quota is known. HyperPod creates the queue of a quota some time after the quota."""


@view
def quota_files(variables: Variables) -> list[dict[str, str]]:
    """The file with the quotas of all clusters of the run; none if its path is empty."""
    if not variables["task_governance_json"]:
        return []
    hostvars, asked = variables["hostvars"], {*variables["ansible_play_hosts_all"]}
    found = {host: _cluster(hostvars[host]) for host in variables["groups"][fleet.CLUSTERS] if host in asked}
    path = os.path.join(variables["hyperpod_state_dir"], str(variables["task_governance_json"]))
    return [{"path": path, "content": json_text({"schema": SCHEMA, "created": iso_now(), "governance": found})}]


def _cluster(cluster: Variables) -> dict[str, t.Any]:
    arn, listed = str(cluster["hyperpod_cluster_arn"]), plain(cluster.get("__task_governance_quotas_after") or {"msg": NOT_READ})
    if "compute_quotas" not in listed:
        return {"arn": arn, "failure": str(listed["msg"]), "teams": []}
    use = plain(cluster.get("__task_governance_use") or {"msg": NOT_READ})
    there = {str(each["team_name"]): each for each in listed["compute_quotas"] if each["status"] != DELETED}
    return {"arn": arn, "failure": "", "teams": [_team(each, use) for _name, each in sorted(there.items())]}


def _team(quota: t.Mapping[str, t.Any], use: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    return {
        "team": quota["team_name"],
        "status": quota["status"],
        "activation_state": quota.get("activation_state"),
        "quota": quota.get("compute_quota_resources") or [],
        "use": _use(quota["team_name"], use),
    }


def _use(team: str, use: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    if "usage" not in use:
        return {"state": UNREAD, "why": str(use["msg"])}
    own = next((each for each in use["usage"] if each["team"] == team), None)
    if own is None:
        return {"state": NO_QUEUE, "why": ""}
    return {"state": READ, "why": "", **{name: value for name, value in own.items() if name != "team"}}
