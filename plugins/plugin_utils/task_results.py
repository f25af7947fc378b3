# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who a task's result is from, as the report callback sees it: known from inventory and task, never from the result."""

from __future__ import annotations

import typing as t

from ansible import context
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import Source
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run_scope import DEFINITIONS

OURS = "mlfleet.hyperpod."
LOOKS = (OURS, "ansible.builtin.ping")
"""Actions that end on a node, where they are not delegated away from it."""
TELLS = "mlfleet.hyperpod.finding"  # this is no look
ASKS_FIRST = "mlfleet.hyperpod.cluster_look"
"""An action that counts as a look where it says that no other is needed."""
RUN_HERE = ("mlfleet.hyperpod.host_key_adoption",)
"""Actions that are delegated to nodes, and whose module runs on the controller."""


def looks(result: t.Any) -> bool:
    action = result.task.action
    return action.startswith(LOOKS) and action != TELLS and (action != ASKS_FIRST or bool(result.result.get("quiet")))


def only_plans(task: t.Any) -> bool:
    """What such a task found comes again from the task that acts, or the playbook tells it in its own words."""
    variables = task.get_vars()
    planned = task.check_mode and (not context.CLIARGS.get("check") or variables.get("hyperpod_only_plans", False))
    return planned or variables.get("hyperpod_reported_later", False)


def _is_ours(host: t.Any) -> bool:
    """A cluster, a node of one, or the definition of a cluster that need not exist yet."""
    return "hyperpod_cluster_arn" in host.vars or any(group.name == DEFINITIONS for group in host.get_groups())


def teller_of(host: t.Any, task: t.Any) -> Source:
    """Who answered, from what the inventory says and to whom the task was delegated."""
    cluster = host.vars.get("hyperpod_cluster_host", host.name) if _is_ours(host) else None
    node, subject = host.vars.get("hyperpod_instance_id"), host.name
    delegate = task.delegate_to or host.name
    if delegate in (cluster, "localhost") or task.action in RUN_HERE:
        return Source(cluster, node or subject, host.name, trusted=True)
    if "{{" in delegate:  # of a loop: each item says who answered
        return Source(cluster, node or subject, host.name, trusted=False)
    if delegate != host.name:
        return Source(cluster, delegate.removeprefix(f"{cluster}-"), host.name, trusted=False)
    return Source(cluster, node or subject, host.name, trusted=node is None)
