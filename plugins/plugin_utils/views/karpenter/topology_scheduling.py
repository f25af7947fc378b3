# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the run turns off Kueue's topology-aware scheduling."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._karpenter.addon_gates import with_gates
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view


@dataclass(frozen=True)
class TopologyScheduling:
    """The plan, from ``__karpenter_gates``, ``__karpenter_addon`` and ``__karpenter_addon_settings``."""

    version: str
    """The version of the add-on; empty if no add-on installed Kueue."""
    configuration: dict[str, t.Any] | None
    """The desired settings of the add-on, including Kueue's feature gates."""
    before: dict[str, t.Any] | None
    """The current settings of the add-on."""
    offered: bool
    findings: Findings


@view
def topology_scheduling(variables: Variables) -> TopologyScheduling:
    addons = plain(variables["__karpenter_addon"]["eks_addons"])
    if not addons:
        return TopologyScheduling("", None, before=None, offered=False, findings=[])
    version, have = addons[0]["version"], addons[0]["configuration"]
    takes = plain((variables.get("__karpenter_addon_settings") or {}).get("eks_addon_configuration") or {})
    gates = plain(variables["__karpenter_gates"]["topology_scheduling"]["feature_gates"])
    settings = with_gates(takes.get("schema"), have, gates) if isinstance(have, dict) else None
    offered = settings is not None
    return TopologyScheduling(
        version,
        settings,
        before=have if offered else None,
        offered=offered,
        findings=[] if offered else finding("karpenter-topology-scheduling-file", version=version),
    )
