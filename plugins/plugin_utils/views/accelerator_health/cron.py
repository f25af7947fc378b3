# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scheduled checks in Kubernetes."""

from __future__ import annotations

from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import BOOLEANS_FALSE, boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.accelerator_health import CRON, CRON_TEXTS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused

from .. import Variables, view
from .jobs import jobs


@dataclass(frozen=True)
class Cron:
    """The CronJobs of an EKS cluster."""

    refusals: Findings
    notes: Findings
    """Notes about the image; empty if CronJobs are switched off."""
    state: str
    """The desired state, ``present`` or ``absent``."""
    schedule: str
    """The schedule in crontab format. If it is empty, checks run once an hour, at a minute that depends on the instance ID."""


@view
def cron(variables: Variables) -> Cron:
    known = variables["hostvars"][variables["inventory_hostname"]]
    given = str(variables[CRON]).strip()
    off = not given or given.lower() in BOOLEANS_FALSE
    on = not off and boolean(given, strict=False)
    wrong = limits.text_problems({CRON: given}, CRON_TEXTS, known)
    found = jobs(variables)
    refusals = [*refused(wrong), *found.refusals]
    return Cron(refusals, [] if off else found.notes, "absent" if off else "present", "" if off or on else given)
