# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role accelerator_health need."""

from __future__ import annotations

from .asked import declared, look, types
from .cluster import cluster
from .efa import efa_groups
from .hooks import hooks
from .jobs import jobs
from .nccl import nccl
from .node import node
from .report import report, told

VIEWS = (declared, look, types, efa_groups, node, nccl, jobs, hooks, cluster, report, told)
