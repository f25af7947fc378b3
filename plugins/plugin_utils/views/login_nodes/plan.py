# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes on a node: planned changes, and changes that were made."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings

from .. import Variables, view
from .node import node, users_changed


@dataclass(frozen=True)
class Made:
    """The results of the tasks for sshd and the readiness gate, which run on login nodes only."""

    changed: bool
    ready: bool


@view
def made(variables: Variables) -> Made:
    results = [variables.get(f"__login_nodes_{each}") or {} for each in ("sshd", "gate")]
    readiness = results[-1].get("readiness_gate") or {}
    return Made(any(each.get("changes") for each in results), bool(readiness.get("ready", False)))


@dataclass(frozen=True)
class Planned:
    dirty: bool
    users_seen: bool


@view
def planned(variables: Variables) -> Planned:
    run = variables["hyperpod_run"]
    of_identity = (run.get("identity") or {}).get("changed", False)
    dirty = bool(users_changed(variables) or of_identity or made(variables).changed)
    return Planned(dirty, users_seen=not run["accounts"]["held"] and (variables["ansible_check_mode"] or not dirty))


@view
def report(variables: Variables) -> Findings:
    """Findings about the readiness gate of a login node. Empty if another task reports them: in check mode, the task that plans the
    changes, and for a node with changes, the task that makes them. Also empty for a drained node.
    """
    left_alone = not (variables["ansible_check_mode"] or variables["hyperpod_run"]["dirty"] or variables["login_nodes_drained"])
    gate = variables.get("__login_nodes_gate") or {}
    return plain(gate.get("hyperpod_findings") or []) if node(variables).is_login and left_alone else []
