# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role drain."""

from __future__ import annotations

import datetime
import json
import re
import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import drained, node_limit
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.drain import LONGEST_SETTLE, LONGEST_WAIT
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from . import Variables, view

REASON = re.compile(r"^[^\x00-\x1f\x7f]{1,500}$")
FORCE = ("true", "false", "yes", "no", "1", "0")


@view
def refusals(variables: Variables) -> Findings:
    reason, force = plain(variables["drain_reason"]), variables["drain_force"]
    timeout, settle = variables["drain_timeout"], variables["drain_settle"]
    return [
        *([] if REASON.match(str(reason)) and str(reason).strip() else finding("drain-reason", reason=json.dumps(reason))),
        *([] if _is_number(timeout, LONGEST_WAIT) else finding("drain-timeout", seconds=timeout)),
        *([] if str(force).lower() in FORCE else finding("drain-force", value=force)),
        *([] if _is_number(settle, LONGEST_SETTLE) else finding("drain-settle", seconds=settle)),
    ]


@dataclass(frozen=True)
class Chosen:
    """Login nodes that ``drain_chosen_nodes`` names."""

    refusals: Findings
    hosts: list[str]
    """The selected nodes of this cluster."""


@view
def chosen(variables: Variables) -> Chosen:
    login_hosts = _login_hosts(variables)
    ids = {variables["hostvars"][host]["hyperpod_instance_id"]: host for host in login_hosts}
    found = drained.chosen_nodes(plain(variables["drain_chosen_nodes"]), ids)
    here = variables["groups"][variables["hyperpod_cluster_group"]]
    values = {"option": variables["drain_chosen_by"], "hosts": sorted(login_hosts) or "there are none"}
    if found["unknown"]:
        refusals = finding("drain-chosen", unknown=found["unknown"], **values)
    else:
        refusals = [] if found["hosts"] else finding("drain-not-chosen", **values)
    return Chosen(refusals, [host for host in found["hosts"] if host in here])


@dataclass(frozen=True)
class Records:
    """The records of drained nodes, on their cluster's inventory host."""

    recorded: bool
    removed: list[str]
    """Nodes whose records are removed, because they no longer exist or will accept logins again."""
    gone: list[str]
    remaining: dict[str, t.Any]
    """Records of all kinds, without the records of ``removed``."""
    notes: Findings


@view
def records(variables: Variables) -> Records:
    run = variables["hyperpod_run"]
    kinds = plain(run.get("records") or {})
    found = kinds.get("drained") or {}
    undrain = [variables["hostvars"][host]["hyperpod_instance_id"] for host in variables["drain_undrain"]]
    gone = sorted(name for name in found if name not in run["node_access"])
    undrained = sorted(name for name in found if name in undrain and name not in gone)
    remaining = {name: record for name, record in found.items() if name not in (*gone, *undrained)}
    return Records(
        recorded=bool(found),
        removed=[*gone, *undrained],
        gone=gone,
        remaining={**kinds, "drained": remaining},
        notes=drained.drained_notes(remaining),
    )


@view
def cluster_host(variables: Variables) -> str:
    """The host of the current node's cluster. The cluster follows from the node's groups, never from its variables."""
    return fleet.cluster_host(variables["group_names"], variables["groups"])


@view
def record(variables: Variables) -> dict[str, str]:
    """The drain record to write for the current host, a node."""
    login_name = variables["hostvars"][cluster_host(variables)]["hyperpod_run"]["login_name"]
    whole = {"whole_group": "true"} if boolean(variables["drain_whole_group"], strict=False) else {}
    return {"reason": str(variables["drain_reason"]).strip(), "login_name": login_name, **whole}


@view
def recorded(variables: Variables) -> dict[str, t.Any]:
    """The cluster's records of all kinds after all nodes of the play were recorded, from the ``__drain_record`` of each node.

    The nodes are recorded in parallel, so each ``__drain_record`` may lack the new records of other nodes.
    """
    hostvars, groups = variables["hostvars"], variables["groups"]
    own = hostvars[cluster_host(variables)]["hyperpod_cluster_group"]
    kinds = plain(variables["__drain_record"]["records"])
    drained = dict(kinds.get("drained") or {})
    for host in [each for each in variables["ansible_play_hosts"] if each in groups[own]]:
        answered = plain(hostvars[host].get("__drain_record") or {})
        instance_id = str(hostvars[host]["hyperpod_instance_id"])
        found = (answered.get("records") or {}).get("drained") or {}
        drained.update({instance_id: found[instance_id]} if instance_id in found else {})
    return {**kinds, "drained": drained}


@dataclass(frozen=True)
class Node:
    """The current host."""

    reached: bool
    """Whether the node was reached, according to the run state of the cluster."""
    answers: bool
    """Whether the node still answers, according to ``__drain_ping``."""


@view
def node(variables: Variables) -> Node:
    run = variables["hostvars"][cluster_host(variables)]["hyperpod_run"]
    reached, ping = fleet.can_be_asked(run, variables["hyperpod_instance_id"]), variables.get("__drain_ping")
    return Node(reached, answers=reached and ping is not None and not ping.get("unreachable", False))


@dataclass(frozen=True)
class Sessions:
    """The wait for users' sessions to end."""

    ended: bool
    """Whether the run terminates the sessions that remain."""
    notice: str


@view
def sessions(variables: Variables) -> Sessions:
    instance_id = variables["hyperpod_instance_id"]
    record = plain(variables["__drain_record"]["records"]["drained"][instance_id])
    ended = boolean(variables["drain_force"], strict=False)
    ends = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=int(variables["drain_timeout"]))
    until = ends.strftime("%H:%M UTC on %Y-%m-%d")
    return Sessions(ended, drained.wall_message(record, instance_id, until=until, ended=ended))


@view
def emptied(variables: Variables) -> bool:
    """Whether the node has no sessions. If the sessions are unknown, the value of ``drain_force`` is returned."""
    sessions = (variables.get("__drain_sessions") or {}).get("login_sessions")
    return boolean(variables["drain_force"], strict=False) if sessions is None else not plain(sessions)


def _login_hosts(variables: Variables) -> list[str]:
    """The login nodes of all clusters of the play."""
    hostvars, groups = variables["hostvars"], variables["groups"]
    clusters = [groups[hostvars[host]["hyperpod_cluster_group"]] for host in variables["ansible_play_hosts_all"]]
    login = set(groups.get(fleet.LOGIN_NODES, ()))
    return list(dict.fromkeys(host for hosts in clusters for host in hosts if host in login))


def _is_number(value: object, last: int) -> bool:
    return bool(re.match(r"^[0-9]+$", str(value))) and int(str(value)) <= last


@view
def longest(variables: Variables) -> int:
    """The time limit in seconds of the task that waits for sessions to end."""
    return node_limit.with_wait(variables["drain_timeout"])
