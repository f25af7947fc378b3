# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role accelerator_health need."""

from __future__ import annotations

from . import asked, cluster, cron, efa, hooks, jobs, nccl, node, report

VIEWS = (
    asked.declared,
    asked.look,
    asked.types,
    efa.efa_groups,
    node.node,
    nccl.nccl,
    jobs.jobs,
    cron.cron,
    hooks.hooks,
    cluster.cluster,
    report.report,
    report.verdict,
)
