# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a job, from Kubernetes or Slurm."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run.fleet import SLURM

from .. import Variables, view
from . import findings, slurm


@view
def done(variables: Variables) -> findings.Done:
    return slurm.done(variables) if SLURM in variables["group_names"] else findings.done(variables)
