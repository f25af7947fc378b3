# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that must take no jobs after AWS replaced, rebooted or updated them, because they are not configured. No I/O."""

from __future__ import annotations

from .fleet import FORESEEN, Fleet, Node, Variables


def unconfigured(nodes: Fleet, run: Variables, *, check_mode: bool) -> list[str]:
    """Instance IDs of nodes that this run did not configure, and that have no valid configuration from an earlier run.

    ``run``: the run state of the cluster after login access was configured.
    """
    return [node.instance_id for node in nodes.nodes if not _is_configured(node, run, check_mode=check_mode)]


def _is_configured(node: Node, run: Variables, *, check_mode: bool) -> bool:
    if node.says("failed"):
        return False
    if run.get("up_to_date", False):  # this run did not configure login access
        return not node.access or bool(node.access.get("configured", False))
    if node.says("configured"):
        return True
    if check_mode:
        return node.says("dirty") or not node.access or node.access.get("access") == FORESEEN
    return not node.access and bool(run.get("writing", False))  # outside the scope of a run that checked all changed nodes
