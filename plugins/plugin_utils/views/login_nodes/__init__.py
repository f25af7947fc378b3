# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role login_nodes need."""

from __future__ import annotations

from . import declared, node, people, plan, turns

VIEWS = (
    declared.declared,
    node.node,
    node.record,
    node.identity,
    node.sshd,
    node.gate,
    people.gate_users,
    people.files,
    plan.made,
    plan.planned,
    plan.report,
    turns.turns,
    turns.turn,
)
