# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A load balancer and a target group of others, taken over and given back."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told_findings import Findings, told

from .. import Variables

OPTIONS = ("load_balancer", "target_group")
"""Of the module, which are variables here."""


@dataclass(frozen=True)
class Adopted:
    """As AWS has it, read by ``balancer_adoption``; nothing of a load balancer of ours."""

    subnets: list[str]
    takes_groups: bool
    """AWS can't add security groups to a load balancer that was made without."""


def adopted(variables: Variables) -> Adopted:
    read = (variables.get("__login_balancer_adoption") or {}).get("balancer_adoption") or {}
    balancer = read.get("load_balancer") or {}
    return Adopted(
        subnets=[each["subnet_id"] for each in balancer.get("subnets") or ()],
        takes_groups="security_groups" not in balancer or bool(balancer["security_groups"]),
    )


@dataclass(frozen=True)
class Adoption:
    """What can be adopted."""

    refusals: Findings
    record: dict[str, t.Any]
    """What is recorded, and restored when it is given back."""


def adoption(variables: Variables) -> Adoption:
    read = variables["__login_balancer_adoption"]
    if "balancer_adoption" not in read:
        option = (read.get("hyperpod_failure") or {}).get("subject")
        refused = told("balancer-not-adoptable", reason=read.get("msg", ""), option=f"adopt_{option}")
        return Adoption(refused if option in OPTIONS else [], {})
    return Adoption(_another(variables, read["balancer_adoption"]["load_balancer"]["load_balancer_arn"]), _record(variables))


@dataclass(frozen=True)
class GiveBack:
    port: int
    """The one before the adoption."""
    verified: list[str]
    """Nodes that are registered there."""
    drained: list[str]
    refusals: Findings
    restores_groups: bool
    """It had security groups."""


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


def _another(variables: Variables, arn: str) -> Findings:
    recorded = variables["login_balancer_adopted"].get("load_balancer") or {}
    if recorded.get("arn", arn) == arn:
        return []
    asked, cluster = variables["login_balancer_adopt_load_balancer"], variables["hyperpod_cluster_key"]
    return told("adopted-another-balancer", load_balancer=asked, adopted=recorded["name"], cluster=cluster)


def _record(variables: Variables) -> dict[str, t.Any]:
    read = plain(variables["__login_balancer_adoption"]["balancer_adoption"])
    balancer, group = read["load_balancer"], read["target_group"]
    return {
        "load_balancer": {
            "name": balancer["name"],
            "arn": balancer["load_balancer_arn"],
            "security_groups": balancer["security_groups"],
        },
        "target_group": {
            "name": group["name"],
            "arn": group["target_group_arn"],
            "port": _used_port(variables, _port(variables)),
            "health_check": group["health_check"],
        },
    }


def _port(variables: Variables) -> int:
    return int(variables["__login_balancer_adoption"]["balancer_adoption"]["target_group"]["port"])


def _used_port(variables: Variables, port: int) -> int:
    """User port of the target group: its own, unless all its targets have others."""
    used = (variables.get("__login_targets_read") or {}).get("ports") or [port]
    return port if port in used else int(min(used))


def _left(variables: Variables, port: int) -> Findings:
    """Healthy targets that are not healthy at ``port``."""
    targets = (variables.get("__login_balancer_returned") or {}).get("targets") or []
    drained = _drained(variables)
    held = [each for each in targets if each["decision"] == "hold" and each["health"] == "healthy" and each["port"] != port]
    left = [each for each in held if each["instance_id"] and each["instance_id"] not in drained]
    if not left:
        return []
    return told(
        "targets-not-handed-back",
        target_group=variables["login_balancer_adopted"]["target_group"]["name"],
        nodes=[each["instance_id"] for each in left],
        ports=list(dict.fromkeys(each["port"] for each in left)),
        port=port,
    )


def _drained(variables: Variables) -> list[str]:
    return list((variables["hyperpod_run"].get("records") or {}).get("drained") or {})
