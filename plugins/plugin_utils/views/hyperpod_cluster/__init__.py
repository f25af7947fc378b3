# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role hyperpod_cluster need."""

from __future__ import annotations

from . import declared, planned, removal

VIEWS = (
    declared.declared,
    declared.definition,
    declared.lookup,
    declared.resolved,
    declared.execution_role,
    declared.life_cycle,
    planned.plan,
    planned.locked,
    planned.room,
    planned.unscripted,
    planned.login,
    planned.scaled,
    planned.eks,
    planned.outcome,
    removal.removal,
    removal.jobs,
    removal.lost,
)
