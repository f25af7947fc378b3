# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an extra variable asks of one run by name, and what of it a cluster did not do: such a run must not exit with 0. Pure."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

SESSIONS = ("sessions-open", "sessions-not-ended")
MAINTENANCE = (*SESSIONS, "jobs-running", "maintenance-waits", "maintenance-next", "maintenance-held")
REMOVAL = ("home-waits", "home-not-removed", "processes-left", "scheduled-work-left", "user-in-directory")
OF_NODES = ("node-failed", "node-unreachable", "login-node-out")
"""For orders over all nodes: a node that was left out did not get the change."""
OF_SLURM = ("jobs-unknown", "jobs-not-ended", "slurm-account-unknown")
VPN = ("crl-waits", "vpn-change-waits")

Extra = t.Mapping[str, t.Any]
"""Variables that were given with -e."""
Given = t.Callable[[t.Any, str], bool]
"""Whether a value asks something of the cluster with this key."""


def _names(value: t.Any, _key: str) -> bool:
    return bool(given_names(value))


def _true(value: t.Any, _key: str) -> bool:
    return boolean(value, strict=False)


def _plan(value: t.Any, key: str) -> bool:
    """A plan by its number; ``all`` is for schedules."""
    return any(each.startswith(f"{key}:") for each in given_names(value))


@dataclass(frozen=True)
class Order:
    option: str
    codes: tuple[str, ...] = ()
    """Of pending findings that mean that it was not carried out."""
    given: Given = _names
    needs: str = ""
    """Another option without which it only shows a plan."""


ORDERS = (
    Order("adopt_from"),
    Order("adopt_host_keys"),
    Order("adopt_load_balancer"),
    Order("adopt_target_group"),
    Order("drain_nodes", (*SESSIONS, "drained-node-not-reached")),
    Order("forget_nodes"),
    Order("karpenter_confirm", ("karpenter-held", "karpenter-used")),
    Order("karpenter_prove"),
    Order("offboard_name", (*REMOVAL, *OF_SLURM, *OF_NODES, *VPN)),
    Order("purge_secrets_confirm"),
    Order("readmit_name"),
    Order("remediation_approve", ("remediation-unapproved", "remediation-unconfigured"), _plan),
    Order("remediation_deep_checks", ("remediation-unchecked",), needs="remediation_approve"),
    Order("replace_nodes", (*MAINTENANCE, *OF_NODES)),
    Order("rotation", OF_NODES),
    Order("task_governance_confirm"),
    Order("teardown_confirm", OF_NODES),
    Order("topology_job_manifest"),
    Order("topology_job_measure_gain", ("topology-gain-not-measured",), _true),
    Order("topology_job_src"),
    Order("accelerator_health_nccl", ("nccl-not-run",), _true),
    Order("undrain_nodes"),
    Order("unlock_confirm"),
    Order("update_groups", (*MAINTENANCE, *OF_NODES)),
    Order("vpn_recreate", VPN, _true),
    Order("vpn_revoke", VPN),
)


@dataclass(frozen=True)
class Outcome:
    """What the verdict has of a cluster."""

    key: str
    locked: bool
    """Another run holds its lock, so nothing was done."""
    pending: t.Sequence[tuple[str, str]]
    """Code and node of each finding."""
    nodes: t.Mapping[str, t.Collection[str]] = field(default_factory=dict)
    """By option, instance IDs of the nodes for which any pending finding means that the order was not carried out."""


def not_carried_out(extra: Extra, outcome: Outcome) -> list[str]:
    """The options, in the order of the table."""
    return [each.option for each in ORDERS if _is_given(each, extra, outcome.key) and (outcome.locked or _waits(each, outcome))]


def _is_given(order: Order, extra: Extra, key: str) -> bool:
    return order.option in extra and order.given(extra[order.option], key) and (not order.needs or order.needs in extra)


def _waits(order: Order, outcome: Outcome) -> bool:
    return any(code in order.codes or node in outcome.nodes.get(order.option, ()) for code, node in outcome.pending)
