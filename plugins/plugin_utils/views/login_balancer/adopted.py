# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A load balancer and a target group that this collection did not create: their adoption, and their return to the owner."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view


@dataclass(frozen=True)
class Adopted:
    """The adopted load balancer, as ``balancer_adoption`` returned it. ``subnets`` is empty without an adoption."""

    subnets: list[str]
    takes_groups: bool
    """Whether the load balancer can have security groups. AWS can't add any to a load balancer that was created without them."""


@view
def adopted(variables: Variables) -> Adopted:
    read = (variables.get("__login_balancer_adoption") or {}).get("balancer_adoption") or {}
    balancer = read.get("load_balancer") or {}
    return Adopted(
        subnets=[each["subnet_id"] for each in balancer.get("subnets") or ()],
        takes_groups="security_groups" not in balancer or bool(balancer["security_groups"]),
    )


@dataclass(frozen=True)
class GiveBack:
    port: int
    """The port of the target group before the adoption."""
    verified: list[str]
    """Instance IDs of registered nodes."""
    drained: list[str]
    refusals: Findings
    restores_groups: bool
    """Whether the load balancer had security groups before the adoption."""


@view
def give_back(variables: Variables) -> GiveBack:
    recorded, read = variables["login_balancer_adopted"], variables["__login_balancer_adoption"]["balancer_adoption"]
    port = int(recorded["target_group"].get("port") or _port(variables))
    targets = plain((variables.get("__login_targets_read") or {}).get("targets") or [])
    registered = [each["instance_id"] for each in targets if each["instance_id"] and each["health"] not in (None, "", "draining")]
    return GiveBack(
        port=port,
        verified=list(dict.fromkeys(registered)),
        drained=_drained(variables),
        refusals=_left(variables, port),
        restores_groups=bool(read["load_balancer"]["exists"] and recorded["load_balancer"]["security_groups"]),
    )


def _port(variables: Variables) -> int:
    return int(variables["__login_balancer_adoption"]["balancer_adoption"]["target_group"]["port"])


def _left(variables: Variables, port: int) -> Findings:
    """The finding about targets that are healthy at a different port, but not at ``port``."""
    targets = (variables.get("__login_balancer_returned") or {}).get("targets") or []
    drained = _drained(variables)
    held = [each for each in targets if each["decision"] == "hold" and each["health"] == "healthy" and each["port"] != port]
    left = [each for each in held if each["instance_id"] and each["instance_id"] not in drained]
    if not left:
        return []
    return finding(
        "targets-not-handed-back",
        target_group=variables["login_balancer_adopted"]["target_group"]["name"],
        nodes=[each["instance_id"] for each in left],
        ports=list(dict.fromkeys(each["port"] for each in left)),
        port=port,
    )


def _drained(variables: Variables) -> list[str]:
    return list((variables["hyperpod_run"].get("records") or {}).get("drained") or {})
