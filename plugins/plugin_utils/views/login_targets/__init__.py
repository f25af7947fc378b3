# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role login_targets need."""

from __future__ import annotations

from . import nodes, target_group

VIEWS = (
    nodes.nodes,
    nodes.draining,
    nodes.node,
    nodes.service,
    target_group.group,
    target_group.ports,
    target_group.registered,
)
