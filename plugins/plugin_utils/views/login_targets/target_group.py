# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The target group: its name, its ports, and its health check."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import balancer_ports
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view


@view
def group_name(variables: Variables) -> str:
    """The name of the target group; an adopted target group keeps its name."""
    adopted = variables["login_balancer_adopted"].get("target_group") or {}
    return adopted.get("name") or variables["login_balancer_name"]


@view
def ports(variables: Variables) -> dict[str, t.Any]:
    """Ports in use before this run changes the targets, from ``__login_targets_read``.

    Nodes keep answering at these ports until the targets have moved and no target is draining.
    """
    read = plain(variables["__login_targets_read"])
    return balancer_ports.ports_in_effect(read, plain(variables["login_balancer_adopted"]))


@dataclass(frozen=True)
class Registered:
    """The registered targets and their health check."""

    asks_elsewhere: bool
    """Whether the health check uses a different port from the readiness gate's port."""
    health_check_due: bool
    """Whether the health check can now use the readiness gate's port, because every node in service answers there."""
    health_check: dict[str, t.Any]
    notes: Findings


@view
def registered(variables: Variables) -> Registered:
    found = variables["__login_targets_registered"]
    port = found.get("health_check_port") or ""
    elsewhere = str(port) not in ("", str(variables["login_balancer_gate_port"]))
    says = "health-check-at-each-port" if port == "traffic-port" else "health-check-elsewhere"
    verified = found.get("all_verified") and variables["hyperpod_run"]["verified_nodes"]
    return Registered(
        asks_elsewhere=elsewhere,
        health_check_due=bool((elsewhere or variables["login_balancer_adopted"]) and verified),
        health_check={"port": variables["login_balancer_gate_port"], **balancer_ports.HEALTH_CHECK},
        notes=finding(
            says, target_group=variables["login_targets_group"], asked=port, port=variables["login_balancer_people_port"]
        ),
    )
