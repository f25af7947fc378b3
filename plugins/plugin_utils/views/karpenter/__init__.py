# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role karpenter need."""

from __future__ import annotations

from . import access, declared, removal, report, requirements, topology_scheduling

VIEWS = (
    access.login,
    access.kubeconfig,
    access.role,
    declared.declared,
    declared.proof,
    requirements.requirements,
    requirements.room,
    removal.removal,
    removal.held,
    removal.emptied,
    removal.autoscaler,
    topology_scheduling.topology_scheduling,
    report.proven,
    report.page,
)
