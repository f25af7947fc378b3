# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Pod Security level of teams' namespaces."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.team_space import namespace_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .declared import teams_of


@dataclass(frozen=True)
class PodSecurity:
    """The Pod Security level for the namespaces of teams with a quota."""

    level: str
    namespaces: list[str]
    """Namespaces that get the level; empty if no level is declared."""
    findings: Findings
    """Findings from ``__task_governance_pod_security`` about Pods that violate the level."""


@view
def pod_security(variables: Variables) -> PodSecurity:
    level = str(variables["task_governance_pod_security"])
    teams = [each.name for each in teams_of(variables) if each.present] if level else []
    seen = plain(variables.get("__task_governance_pod_security") or {}).get("namespaces") or []
    findings = [
        one
        for each in seen
        if each["warnings"]
        for one in finding("governance-pod-security", namespace=each["name"], level=level, warnings="; ".join(each["warnings"]))
    ]
    return PodSecurity(level, [namespace_of(each) for each in teams], findings)
