# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The planned actions that the run carries out now, one kind after another, on a cluster's inventory host."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import node_limit, slurm_states
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators import kubernetes_states
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.disagreements import RUNNING
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation import (
    checks,
    history,
    plan as plans,
    route as routes,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.service import NOT_LISTED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .kubernetes import occupied_by_pods
from .repairs import REPAIRED, occupied, repairs_of

KIND, NODES, IN_SLURM, IN_KUBERNETES = (f"__remediation_{name}" for name in ("kind", "nodes", "slurm", "kubernetes"))
"""Names of variables: the kind of action (``reboot``, ``replace`` or ``check``), and the states in AWS, Slurm and Kubernetes
directly before the action."""
TAKES_JOBS = ("idle", "allocated", "mixed")
"""States in Slurm of nodes that take jobs."""
NO_CONFIRMATION = "the controller node did not confirm that no job runs on the node."


@dataclass(frozen=True)
class Kind:
    """The planned actions of one kind."""

    nodes: list[str]
    """Instance IDs of the nodes."""
    addresses: list[str]
    in_slurm: bool
    """Whether the cluster uses Slurm, and not Kubernetes."""
    controller: str
    """The controller node on which Slurm is queried. Without Slurm, the cluster's inventory host, because Ansible needs a host even
    for a task that it skips.
    """
    python: str
    """The Python interpreter of this host. The play's own interpreter is for the control node."""


@view
def kind(variables: Variables) -> Kind:
    rows = _rows(variables)
    return Kind([each["node"] for each in rows], [each["address"] for each in rows], *routes.controller(variables))


@dataclass(frozen=True)
class Act:
    """Actions of one kind, directly before the run carries them out."""

    reboots: list[str]
    replacements: list[str]
    checks: list[dict[str, t.Any]]
    """The instance groups with their nodes and checks."""
    records: list[dict[str, t.Any]]
    """The name and value of each record to write."""
    pending: Findings
    repaired: list[str]
    """All nodes that this run has repaired or checked, including these actions; empty in check mode."""
    node_types: dict[str, str]


@view
def act(variables: Variables) -> Act:
    run, now = variables["hyperpod_run"], datetime.datetime.now(datetime.timezone.utc)
    held = {each["node"]: _held(variables, each) for each in _rows(variables)}
    ready = [each for each in _rows(variables) if not held[each["node"]]]
    before = history.history(_records(variables), now)
    return Act(
        reboots=[each["node"] for each in ready if each["does"] == plans.REBOOTS],
        replacements=[each["node"] for each in ready if each["does"] == plans.REPLACES],
        checks=checks.requested([each for each in ready if each["does"] == plans.CHECKS]),
        records=[{"name": each["node"], "value": _record(each, before, now)} for each in ready],
        pending=[one for iid, why in held.items() if why for one in finding("remediation-occupied", node=iid, why=why)],
        repaired=[] if variables["ansible_check_mode"] else [*run.get("repaired", ()), *(each["node"] for each in ready)],
        node_types=plain(variables.get("hyperpod_node_types") or {}),
    )


@dataclass(frozen=True)
class Acted:
    """The nodes of all planned actions, and outdated records."""

    nodes: list[str]
    """Instance IDs of the nodes with a planned action."""
    outdated: list[str]
    """Names of records that are too old to count."""


@view
def acted(variables: Variables) -> Acted:
    nodes, now = [each["node"] for each in repairs_of(variables)], datetime.datetime.now(datetime.timezone.utc)
    return Acted(nodes, [name for name in history.outdated(_records(variables), now) if name not in nodes])


@dataclass(frozen=True)
class Route:
    """How the actions in ``__remediation_acts`` are requested, on a cluster's inventory host."""

    calls: bool
    """Whether the run requests reboots and replacements through AWS's API."""
    requests: list[dict[str, t.Any]]
    """Requests to Slurm or Kubernetes instead of AWS, each with kind, addresses and instance IDs."""
    purpose: str


@view
def route(variables: Variables) -> Route:
    acts = plain(variables["__remediation_acts"])
    at = {each["node"]: each["address"] for each in plain(variables["hyperpod_run"]["repairs"])}
    ids = {"reboot": acts["reboots"], "replace": acts["replacements"]}
    requested = {what: of_nodes for what, of_nodes in ids.items() if of_nodes}
    requests = [{"asks_for": what, "addresses": [at[iid] for iid in each], "node_ids": each} for what, each in requested.items()]
    return Route(not routes.by_orchestrator(variables), requests if routes.by_orchestrator(variables) else [], routes.PURPOSE)


def _rows(variables: Variables) -> list[dict[str, t.Any]]:
    return [each for each in repairs_of(variables) if each["does"] == variables[KIND]]


def _records(variables: Variables) -> dict[str, t.Any]:
    return dict(plain((variables["hyperpod_run"].get("records") or {}).get(REPAIRED) or {}))


def _held(variables: Variables, repair: t.Mapping[str, t.Any]) -> str:
    """Why no action is carried out on the node now; empty if there is no reason. A reason that was found earlier still counts."""
    iid, run = repair["node"], variables["hyperpod_run"]
    status = {each["instance_id"]: str(each["status"]) for each in plain(variables[NODES]["nodes"])}
    if status.get(iid) != RUNNING:
        return f"HyperPod now reports status {status.get(iid, NOT_LISTED)}."
    if variables["ansible_check_mode"]:
        return ""
    if "occupied" not in run:
        return NO_CONFIRMATION
    return str(run["occupied"].get(iid, "")) or _occupied_now(variables, repair)


def _occupied_now(variables: Variables, repair: t.Mapping[str, t.Any]) -> str:
    if not routes.controller(variables).in_slurm:
        answer = plain(variables.get(IN_KUBERNETES) or {})
        seen = kubernetes_states.states(answer).get(repair["node"], kubernetes_states.NOTHING)
        return occupied_by_pods(seen) if "nodes" in answer else "Kubernetes did not confirm that no pod runs on the node."
    answer = plain(variables.get(IN_SLURM) or {})
    if "slurm_nodes" not in answer:
        return NO_CONFIRMATION
    state = slurm_states.states(answer["slurm_nodes"]).get(repair["address"], slurm_states.NOTHING)
    if state.state in TAKES_JOBS:
        return f"the node was put back into service: Slurm reports state {state.state}."
    return occupied(variables, repair, state)


def _record(repair: t.Mapping[str, t.Any], before: history.History, now: datetime.datetime) -> dict[str, t.Any]:
    action = history.Act(repair["does"], now, tuple(repair["codes"]))
    return history.with_act(before.get(repair["node"]), action, group=repair["group"], number=repair["times"])


@view
def longest(variables: Variables) -> int:
    """The time limit in seconds of the task that waits for jobs to end."""
    return node_limit.with_wait(variables["remediation_jobs_timeout"])
