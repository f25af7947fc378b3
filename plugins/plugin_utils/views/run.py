# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role run."""

from __future__ import annotations

import os
import time
import typing as t
from dataclasses import dataclass

from ansible.parsing.dataloader import DataLoader
from ansible.utils.vars import load_extra_vars
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.statuses import CLUSTER, CREATING, DELETING, FAILED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import holds, run_scope, variables as spelling
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import controller as programs
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.offline import problems
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.variables import of_people
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, of_texts, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.node_action import ISOLATES, ORDERED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.people_digests import group_representatives
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reasons import failure_reason
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import faults, fleet

from . import Variables, view

USABLE = tuple(status for status in CLUSTER.values if status not in (CREATING, DELETING, FAILED))
"""Statuses in which the nodes of a cluster can be configured."""
RECORDS = ("drained", "adopted", "rollout")


@dataclass(frozen=True)
class Names:
    """Findings about the names of variables of the cluster's inventory host and of one node of each instance group.

    Each node also has the variables of its node type's group.
    """

    misspelt: Findings
    unused: Findings


@view
def names(variables: Variables) -> Names:
    group = variables.get("hyperpod_cluster_group")
    nodes = group_representatives(variables["groups"], group) if group else []
    found = [*variables, *(name for node in nodes for name in variables["hostvars"][node])]
    extra = load_extra_vars(DataLoader())
    unused = of_texts("variables-unused", None, spelling.unknown(found, extra))
    return Names(refused(spelling.misspelt(found, extra)), [each.to_result() for each in unused])


@view
def refusals(variables: Variables) -> Findings:
    """Refusals of variables of the roles in ``run_validated_roles`` and of the nodes or users that a playbook selects by name.

    The first playbook of a run also refuses misspelt names of variables.
    """
    validated = "variables_validated" in (variables.get("hyperpod_run") or {})
    misspelt = [] if validated else names(variables).misspelt
    wrong = refused(problems(of_people(variables), variables["run_validated_roles"]))
    ordered = plain(variables["run_ordered_refusals"])
    return list({each["text"]: each for each in [*misspelt, *ordered, *wrong]}.values())


@view
def controller_refusals(variables: Variables) -> Findings:
    """Refusals if the control node lacks a requirement for connections to nodes."""
    key, path = variables["run_operations_public_key"], variables["run_operations_public_key_file"]
    lacking = programs.operations_key_problems(key, path, of_people(variables))
    return refused(lacking + programs.program_problems(variables.get("hyperpod_connection", "")))


@dataclass(frozen=True)
class Hold:
    live: bool
    """Whether the cluster waits for its wave of a rollout, and the wait has not ended."""
    shown: dict[str, t.Any]
    """The values of the finding."""


@view
def hold(variables: Variables) -> Hold:
    records = variables["hyperpod_run"]["records"]
    live = holds.live(records, now=time.time(), released=holds.released(variables))
    return Hold(live, holds.shown(holds.hold_of(records)))


@view
def cluster_refusals(variables: Variables) -> Findings:
    """The refusal of a cluster whose status allows no action."""
    read, key = variables["__run_read"]["cluster"], variables["hyperpod_cluster_key"]
    if read is None:
        return finding("cluster-gone", cluster=key)
    status = read["status"]
    return finding("cluster-not-usable", cluster=key, state=status) if status not in USABLE else []


@dataclass(frozen=True)
class Failure:
    """The failure that a rescue handles."""

    outrun: bool
    """Whether another run acquired the lock first."""
    holder: dict[str, t.Any]
    reasons: Findings
    looked: bool
    """Whether a full look (a check of everything by reconcile) had begun."""


@view
def failure(variables: Variables) -> Failure:
    result = variables["ansible_failed_result"]
    results = result.get("results")
    items = [each for each in [result, *(results if isinstance(results, (list, tuple)) else ())] if isinstance(each, t.Mapping)]
    holders = [plain(each["locked_by"]) for each in items if "locked_by" in each]
    reasons = of_texts("task-failed", None, [failure_reason(result)])
    look = variables.get("hyperpod_look") or {}
    return Failure(
        outrun=bool(holders),
        holder=holders[0] if holders else {},
        reasons=[each.to_result() for each in reasons],
        looked=isinstance(look.get("seen"), t.Mapping),
    )


@dataclass(frozen=True)
class NodeFailure:
    """A failure on a node, for the rescue section that handles it."""

    conflict: bool
    """Whether the declared users and groups conflict with the node."""
    isolated: bool
    """Whether the play continues without the node, and reports the failure itself."""
    outrun: Findings
    """Findings if an operator named the node, and another run has acquired the lock of the node's cluster."""


@view
def node_failure(variables: Variables) -> NodeFailure:
    result = variables["ansible_failed_result"]
    problems = result.get("problems") if isinstance(result, t.Mapping) else None
    stopped = failure(variables)
    return NodeFailure(
        conflict=isinstance(problems, (list, tuple)),
        isolated=bool(variables.get(ISOLATES, False)),
        outrun=stopped.reasons if stopped.outrun and variables.get(ORDERED, False) else [],
    )


@view
def judgement_refusals(variables: Variables) -> Findings:
    """The refusal of a declaration that conflicts with too many nodes of the current cluster."""
    nodes = fleet.of(variables)
    if not faults.declaration_is_wrong(nodes):
        return []
    conflicting = [node.instance_id for node in nodes.conflicting]
    return finding("declaration-conflicts", cluster=variables["hyperpod_cluster_key"], nodes=conflicting)


@dataclass(frozen=True)
class Failed:
    """Failed nodes, on a cluster's inventory host, after the run has configured all nodes."""

    login_nodes: list[str]
    """Instance IDs of login nodes that are taken out of service."""
    failures: Findings
    """Findings if failed login nodes must stay in service, because no other login node is ready or the change itself is wrong."""


@view
def failed(variables: Variables) -> Failed:
    drained = (variables["hyperpod_run"].get("records") or {}).get("drained") or {}
    found, cluster = faults.login_nodes(fleet.of(variables), drained), variables["hyperpod_cluster_key"]
    if found.kept and not run_scope.without_nodes(variables):
        return Failed(found.out, finding("login-nodes-failed", cluster=cluster, nodes=found.kept))
    return Failed(found.out, finding("change-failed", cluster=cluster, nodes=found.rolled_back) if found.rolled_back else [])


@view
def state_dir(variables: Variables) -> str:
    return os.path.expanduser(variables["hyperpod_state_dir"])


@view
def records(variables: Variables) -> list[dict[str, str]]:
    """The ``kind`` and ``name`` of each record that a teardown removes."""
    known = variables["hyperpod_run"]["records"]
    return [{"kind": kind, "name": name} for kind in RECORDS for name in known.get(kind, ())]
