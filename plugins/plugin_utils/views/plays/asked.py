# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to the run, by tags and extra variables."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import run_scope
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.parts import asked_parts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events import selection as of_places
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.rollout_step import clusters

from .. import Variables, view


@dataclass(frozen=True)
class Tags:
    parts: list[str]
    reach_nodes: bool
    refusals: Findings
    """The refusal of tags, for a playbook that works on a cluster as a whole."""


@view
def tags(variables: Variables) -> Tags:
    run_tags = variables["ansible_run_tags"]
    parts = asked_parts(run_tags)
    whole = parts == asked_parts([])
    return Tags(parts, parts != ["balancer"], [] if whole else finding("no-tags", tags=",".join(run_tags)))


@view
def rotation_refusals(variables: Variables) -> Findings:
    """The refusal of a missing ``rotation``. The validation of the role refuses a step that does not exist."""
    return [] if variables.get("rotation") else finding("rotation")


@dataclass(frozen=True)
class Adoption:
    plans: bool
    """Whether the run only plans, and changes nothing."""
    enforces: bool


@view
def adoption(variables: Variables) -> Adoption:
    mode = variables.get("login_access_mode", "plan")
    return Adoption(mode == "plan", mode == "enforce")


@view
def teardown_refusals(variables: Variables) -> Findings:
    """Refusals because of missing confirmations. Check mode needs none."""
    if variables["ansible_check_mode"]:
        return []
    removal, purge = variables.get("teardown_confirm", ""), variables.get("purge_secrets_confirm", "")
    purges = any(boolean(variables.get(name) or False, strict=False) for name in ("purge_secrets", "client_vpn_purge_secrets"))
    why = "purging secrets removes keys that the clients of all users trust"
    wrong = _unconfirmed(variables, "purge_secrets_confirm", purge, why)
    return [
        *_unconfirmed(variables, "teardown_confirm", removal, "teardown removes login access of all users"),
        *(wrong if purges else []),
    ]


OF_KARPENTER = ("karpenter_node_classes", "karpenter_node_pools", "karpenter_scaled_objects", "karpenter_prove")
OF_GOVERNANCE = ("hyperpod_teams", "task_governance_scheduler")
"""Variables that declare something for the playbook. The first variable is the main one."""
OF_VPN = ("client_vpn", "client_vpn_access", "login_balancer")
"""Roles of the playbooks for the Client VPN."""


@dataclass(frozen=True)
class Kept:
    """Whether the playbook has something to do for the current cluster."""

    declared: bool
    """Whether a declaration for the playbook exists, or everything that the playbook manages will be removed."""
    undeclared: Findings
    """The finding if the cluster is skipped. It is a failure if no cluster of the run has a declaration."""


@dataclass(frozen=True)
class Removable(Kept):
    refusals: Findings
    """The refusal of a removal that is not confirmed."""


@dataclass(frozen=True)
class Vpn(Kept):
    roles: list[str]
    """Roles whose variables are validated."""
    validated: list[str]
    """Roles whose variables are validated before the run skips clusters without a Client VPN."""


@view
def karpenter(variables: Variables) -> Removable:
    consequence = "karpenter_state=absent terminates the nodes of NodePools"
    refusals = _unconfirmed(variables, "karpenter_confirm", variables.get("karpenter_confirm", ""), consequence)
    return _removable(variables, OF_KARPENTER, "karpenter_state", refusals)


@view
def task_governance(variables: Variables) -> Removable:
    consequence = "task_governance_state=absent removes the quotas of teams and the access of their submitters"
    refusals = _unconfirmed(variables, "task_governance_confirm", variables.get("task_governance_confirm", ""), consequence)
    return _removable(variables, OF_GOVERNANCE, "task_governance_state", refusals)


@view
def events_refusals(variables: Variables) -> Findings:
    """Refusals of a run that includes only some of the clusters that share a queue, and of a removal that is not confirmed."""
    return [*refused(of_places.problems(variables)), *_events_unconfirmed(variables)]


def _events_unconfirmed(variables: Variables) -> Findings:
    if not _goes(variables, "events_state") or variables["ansible_check_mode"]:
        return []
    consequence = "events_state=absent ends the delivery of events and deletes all messages in the queues"
    return _unconfirmed(variables, "events_confirm", variables.get("events_confirm", ""), consequence)


@view
def client_vpn(variables: Variables) -> Vpn:
    """Whether the playbook handles the Client VPN of the cluster, and which roles' variables are validated for it.

    ``reconcile`` and ``drift`` check the Client VPN of clusters that declare one, and report nothing about other clusters.
    """
    kept = _kept(variables, ("client_vpn_client_cidr",))
    if not variables.get("hyperpod_vpn_required", False):
        return Vpn(kept.declared, [], list(OF_VPN), [])
    return Vpn(kept.declared, kept.undeclared, list(OF_VPN), list(OF_VPN))


def _goes(variables: Variables, state: str) -> bool:
    return variables.get(state) == "absent"


def _removable(variables: Variables, options: t.Sequence[str], state: str, unconfirmed: Findings) -> Removable:
    """The result for a playbook that can remove everything. Check mode needs no confirmation for that."""
    kept, needed = _kept(variables, options, state=state), _goes(variables, state) and not variables["ansible_check_mode"]
    return Removable(kept.declared, kept.undeclared, unconfirmed if needed else [])


def _kept(variables: Variables, options: t.Sequence[str], *, state: str = "") -> Kept:
    def declares(own: Variables) -> bool:
        return _goes(own, state) or any(own.get(each) for each in options)

    if declares(variables):
        return Kept(True, [])
    others = any(declares(variables["hostvars"][host]) for host in clusters(variables))
    text = "nothing-declared" if others else "nothing-declared-anywhere"
    groups = dict.fromkeys([variables["hyperpod_cluster_group"], *variables["group_names"], "all"])
    return Kept(False, finding(text, cluster=variables["hyperpod_cluster_key"], option=options[0], groups=list(groups)))


def _unconfirmed(variables: Variables, option: str, confirmed: t.Any, consequence: str) -> Findings:
    return refused(run_scope.confirmation_problems(option, confirmed, clusters(variables), consequence))
