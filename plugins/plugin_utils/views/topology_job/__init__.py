# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role topology_job need."""

from __future__ import annotations

from . import asked, findings, gain, report, slurm, source, stands

OF_SLURM = (slurm.slurm_declared, slurm.slurm_job, source.script)
OF_GAIN = (gain.gain_asked, gain.gain_types, gain.gain, gain.gain_by_pods, gain.gained)
OF_JOB = (asked.chosen, asked.declared, asked.server, asked.job, source.source)
VIEWS = (*OF_JOB, stands.done, findings.found, report.report, *OF_SLURM, *OF_GAIN)
