# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role remediation need."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._remediation import route

from . import acts, kubernetes, repairs

VIEWS = (
    repairs.declared,
    repairs.training_plans,
    repairs.plan,
    repairs.jobs,
    repairs.emptied,
    kubernetes.nodes,
    kubernetes.emptied_of_pods,
    acts.kind,
    acts.act,
    acts.acted,
    route.route,
    repairs.unconfigured,
    repairs.turn,
    repairs.judged,
)
