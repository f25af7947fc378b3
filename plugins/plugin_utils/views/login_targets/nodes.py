# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Login nodes that are in service, and login nodes that are taken out of service."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import balancer_ports, run_scope
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view

NOTHING_YET = "(known after apply)"


@dataclass(frozen=True)
class Nodes:
    types: dict[str, str]
    """Node types of instance groups, if the inventory sets them."""
    drained: list[str]
    """Drained login nodes."""
    then: list[str]
    """Drained login nodes, including nodes that this run will drain."""
    failed: list[str]
    """Failed login nodes that this run takes out of service."""


@view
def nodes(variables: Variables) -> Nodes:
    run = variables.get("hyperpod_run") or {}
    now = _drained(run)
    then = list(dict.fromkeys([*now, *variables["login_targets_drain_nodes"]]))
    return Nodes(plain(variables.get("hyperpod_node_types") or {}), now, then, list(run.get("failed_login_nodes", ())))


@dataclass(frozen=True)
class Draining:
    """The target group as it would be without the nodes that will be drained."""

    refusals: Findings
    needed: list[str]
    """Selected nodes that must stay in service for now."""
    target_group: str
    ports: dict[str, t.Any]


@view
def draining(variables: Variables) -> Draining:
    without = plain(variables["__login_targets_without"])
    wanted, rows = variables["login_targets_drain_nodes"], without["targets"]
    staying = {each["instance_id"] for each in rows if each["ip"] and each["decision"] != "out"}
    needed = [each for each in wanted if each in staying]
    leaves = boolean(variables["login_targets_leaves_needed"], strict=False) and len(needed) < len(wanted)
    return Draining(
        refusals=_refused(variables, {each["instance_id"] for each in rows}, [] if leaves else needed),
        needed=needed,
        target_group=without.get("target_group_arn") or "",
        ports=balancer_ports.ports_in_effect(without, plain(variables["login_balancer_adopted"])),
    )


@dataclass(frozen=True)
class Node:
    """The current host, a login node to deregister. The node's cluster follows from its groups, never from its variables."""

    cluster_host: str
    node_types: dict[str, str]
    target_group: str
    target_port: int
    drained: list[str]
    sent_to: bool
    """Whether the load balancer may still send logins to the node."""
    refusals: Findings


@view
def node(variables: Variables) -> Node:
    host = fleet.cluster_host(variables["group_names"], variables["groups"])
    cluster, instance_id = variables["hostvars"][host], variables["hyperpod_instance_id"]
    run = cluster["hyperpod_run"]
    left = (variables.get("__login_targets_left") or {}).get("targets") or []
    targets = [each for each in left if each["instance_id"] == instance_id]
    staying = [each["reason"] for each in targets if each["ip"] and each["decision"] != "out"]
    return Node(
        cluster_host=host,
        node_types=plain(cluster.get("hyperpod_node_types") or {}),
        target_group=run["target_group"],
        target_port=run["target_port"],
        drained=list(dict.fromkeys([*_drained(run), instance_id])),
        sent_to=any(each["health"] not in (None, "", "unused") for each in targets),
        refusals=finding("node-stays-in-service", node=instance_id, reasons=staying) if staying else [],
    )


@dataclass(frozen=True)
class Service:
    """Whether users can log in. In check mode and in runs without nodes, targets are only predicted, so there is no finding."""

    due: bool
    """Whether to report the service. A run that only plans changes does not report it."""
    login_name: str | None
    state: dict[str, t.Any]
    login_nodes: int
    in_service: int


@view
def service(variables: Variables) -> Service:
    found = plain(variables["__login_targets_registered"]["login_service"])
    predicted = variables["ansible_check_mode"] or run_scope.without_nodes(variables)
    name = variables["hyperpod_run"]["login_name"]
    return Service(
        due=not variables.get("hyperpod_only_plans", False),
        login_name=None if name == NOTHING_YET else name,
        state={**found, "finding": None} if predicted else found,
        login_nodes=found["login_nodes"],
        in_service=len(found["in_service"]),
    )


def _drained(run: t.Mapping[str, t.Any]) -> list[str]:
    return list((run.get("records") or {}).get("drained") or {})


def _refused(variables: Variables, known: t.Container[str], needed: t.Sequence[str]) -> Findings:
    """The refusal of selected nodes that are no login nodes, or that must stay in service."""
    others = [each for each in variables["login_targets_drain_nodes"] if each not in known]
    if others:
        return finding("drain-no-login-node", nodes=others, cluster=variables["hyperpod_cluster_key"])
    return finding("drain-needed", nodes=needed, minimum=variables["login_balancer_minimum_healthy"]) if needed else []
