# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NAT gateways that EC2 is deleting since an earlier run. They use their address and their subnet until they are deleted."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .declared import observed, values

DELAY = 5
"""Seconds between two reads of a NAT gateway, as in the task."""
LEFT = "__training_cluster_leaving_gateways"
"""The variable with the NAT gateways that EC2 is still deleting."""
STAYS = "its address, its subnet and the VPC were not removed"
IS_MISSING = "no new NAT gateway was created"


@dataclass(frozen=True)
class Leaving:
    nat_gateways: list[str]
    """IDs of the gateways."""
    attempts: int
    """How often to read these gateways before the timeout."""


@view
def leaving(variables: Variables) -> Leaving:
    ids = [str(each["id"]) for each in observed(variables).leaving]
    return Leaving(ids, int(values(variables)["wait_timeout"]) // DELAY + 1)


@view
def still_leaving(variables: Variables) -> Findings:
    """The failure about gateways that EC2 did not delete in time, or that could not be read."""
    read, given = plain(variables[LEFT]), values(variables)
    left = [printable(each["nat_gateway_id"]) for each in read.get("result") or ()]
    if left:
        reason = f"EC2 is still deleting NAT gateway {', '.join(left)} after {given['wait_timeout']} s"
    elif read.get("failed"):
        why = printable(read.get("msg") or "no reason")
        reason = f"NAT gateway {', '.join(leaving(variables).nat_gateways)} could not be read ({why})"
    else:
        return []
    result = STAYS if given["state"] == "absent" else IS_MISSING
    return finding("training-cluster-still-leaving", reason=reason, result=result)
