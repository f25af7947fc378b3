# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validation of the variables, and the instance types to read, before a check begins."""

from __future__ import annotations

import uuid

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators import findings
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused

from .. import Variables, view
from . import seen

DCGM_LEVELS = ("1", "2", "3", "4")


@view
def refusals(variables: Variables) -> Findings:
    outcome = str(variables["accelerator_health_result"])
    level = str(variables["accelerator_health_dcgm_level"])
    wrong = [] if outcome in findings.RESULTS else [not_allowed("accelerator_health_result", outcome, ", ".join(findings.RESULTS))]
    wrong += [] if level in DCGM_LEVELS else [not_allowed("accelerator_health_dcgm_level", level, ", ".join(DCGM_LEVELS))]
    return refused(wrong)


@view
def look_stamp(_variables: Variables) -> str:
    """A stamp that distinguishes the results of this check from results of earlier playbooks in the same run."""
    return uuid.uuid4().hex


@view
def types(variables: Variables) -> list[str]:
    """Instance types of the cluster's nodes."""
    return sorted({str(node["hyperpod_instance_type"]) for node in seen.nodes(variables)})
