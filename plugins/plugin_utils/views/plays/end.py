# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a run."""

from __future__ import annotations

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.parsing.dataloader import DataLoader
from ansible.utils.vars import load_extra_vars
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import FAILURE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import orders, run_scope, training_clusters
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.workflow_variables import PLANNED

from .. import Variables, view


@view
def statistics(variables: Variables) -> dict[str, t.Any]:
    """The artifacts for AWX: the report as the callback returned it, and the numbers of the plans of all clusters of the run.

    All hosts have the same report. Empty if no cluster has one.
    """
    hosts = [variables["hostvars"][name] for name in variables["ansible_play_hosts"]]
    report = next((each["hyperpod_artifact"] for each in hosts if "hyperpod_artifact" in each), None)
    if report is None:
        return {}
    runs = [each.get("hyperpod_run") or {} for each in hosts]
    return {"hyperpod": plain(report), PLANNED: [plain(run["planned"]) for run in runs if run.get("planned")]}


@view
def failures(variables: Variables) -> Findings:
    """The first reason why the run must not exit with 0 for the current cluster."""
    key, run = training_clusters.key(variables), variables.get("hyperpod_run") or {}
    found = variables.get("hyperpod_verdict") or {"status": "", "pending": [], "locked": False}
    status, pending = found["status"], list(found["pending"])
    service = (run.get("login_service") or {}).get("finding") or {}
    degraded = status == "degraded" and boolean(variables.get("hyperpod_degraded_fails", False), strict=False)
    checks = (
        _selection(variables, run),
        [service] if service.get("kind") == FAILURE else [],
        finding("cluster-failed", cluster=key) if status == "failed" else [],
        finding("event-not-handled", cluster=key) if found["locked"] and variables.get("full_look_event_time") else [],
        _orders(orders.Outcome(key, found["locked"], pending, _nodes(variables, run))),
        finding("degraded", cluster=key, pending=len(pending)) if degraded else [],
    )
    return next(filter(None, checks), [])


def _selection(variables: Variables, run: Variables) -> Findings:
    """The finding if tags select no task. Every playbook that works on a cluster records something about the cluster."""
    run_tags, skip_tags = list(variables["ansible_run_tags"]), list(variables["ansible_skip_tags"])
    looked = any(variables.get(name) is not None for name in ("hyperpod_look", "hyperpod_event"))
    worked = "variables_validated" in run or "cluster" in run or looked
    if (run_tags == ["all"] and not skip_tags) or worked or run.get("skipped", False):
        return []
    tags, skipped = ",".join(run_tags), ",".join(skip_tags)
    if skipped:
        return finding("skipped-tags-select-nothing", tags=tags, skipped=skipped)
    return finding("tags-select-nothing", tags=tags)


def _nodes(variables: Variables, run: Variables) -> dict[str, list[str]]:
    """The nodes of each option: those that ``drain_nodes`` or ``undrain_nodes`` names, and those that lack an approved repair."""
    hosts = run.get("chosen_nodes", ())
    there = set(variables["groups"].get(run_scope.NODES, ()) if hosts else ())  # in a large fleet, reading the groups takes long
    chosen = [variables["hostvars"][host]["hyperpod_instance_id"] for host in hosts if host in there]
    left = [each["node"] for each in run.get("repairs", ()) if each["node"] not in run.get("repaired", ())]
    return {"drain_nodes": chosen, "undrain_nodes": chosen, "remediation_approve": left}


def _orders(outcome: orders.Outcome) -> Findings:
    options = orders.not_carried_out(load_extra_vars(DataLoader()), outcome)
    return finding("order-not-carried-out", option=options, cluster=outcome.key) if options else []


@view
def inventory_failures(variables: Variables) -> Findings:
    """The finding if the inventory could not be read completely."""
    failures = variables.get("hyperpod_inventory_failures", [])
    return finding("inventory-not-read", failures="; ".join(failures)) if failures else []
