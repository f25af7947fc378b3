# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The source of a task's result, for the report callback. The inventory and the task determine it, never the result itself."""

from __future__ import annotations

import typing as t

from ansible import context
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import Source
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run_scope import DEFINITIONS

OURS = "mlfleet.hyperpod."
LOOKS = (OURS, "ansible.builtin.ping")
"""Prefixes of actions that check a node or a cluster."""
REPORTS = "mlfleet.hyperpod.finding"  # this action only reports
FLEET = "mlfleet.hyperpod.fleet_report"
"""The action that reads only reports of earlier runs, and no cluster."""
WRITES = ("mlfleet.hyperpod.report_file", FLEET)
"""The actions that write the files of a report on the control node."""
CHECKS_FIRST = "mlfleet.hyperpod.cluster_look"
"""The action that compares AWS with the last full look. It counts as a check only if it returns that no full look is needed."""
RUN_HERE = ("mlfleet.hyperpod.host_key_adoption",)
"""Actions whose tasks are delegated to nodes, but whose modules run on the control node."""


def looks(result: t.Any) -> bool:
    action = result.task.action
    reads = action.startswith(LOOKS) and action not in (REPORTS, FLEET)
    return reads and (action != CHECKS_FIRST or bool(result.result.get("quiet")))


def only_plans(task: t.Any) -> bool:
    """Whether the task's findings are ignored, because a later task or the playbook itself reports them."""
    variables = task.get_vars()
    planned = task.check_mode and (not context.CLIARGS.get("check") or variables.get("hyperpod_only_plans", False))
    return planned or variables.get("hyperpod_reported_later", False)


def _is_ours(host: t.Any) -> bool:
    """Whether the host is a cluster, a node of a cluster, or a cluster definition. The defined cluster need not exist yet."""
    return "hyperpod_cluster_arn" in host.vars or any(group.name == DEFINITIONS for group in host.get_groups())


def teller_of(host: t.Any, task: t.Any) -> Source:
    """The source of the result, from the inventory and the task's delegation."""
    cluster = host.vars.get("hyperpod_cluster_host", host.name) if _is_ours(host) else None
    node, subject = host.vars.get("hyperpod_instance_id"), host.name
    delegate = task.delegate_to or host.name
    if delegate in (cluster, "localhost") or task.action in RUN_HERE:
        return Source(cluster, node or subject, host.name, trusted=True)
    if "{{" in delegate:  # in a loop, each item names the host
        return Source(cluster, node or subject, host.name, trusted=False)
    if delegate != host.name:
        return Source(cluster, delegate.removeprefix(f"{cluster}-"), host.name, trusted=False)
    return Source(cluster, node or subject, host.name, trusted=node is None)
