# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The version of the VPC CNI on a cluster with nodes of HyperPod."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.model import Catalogue, Version
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import cni as rules
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import Addon
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import ADDON
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused

from .. import Variables, view
from ..hyperpod_cluster.declared import orchestrator
from .declared import declared, observed, this
from .planned import upgrades, version_of

OFFERED = "__training_cluster_cni_offered"
"""The variable with the result of ``eks_addon_info``."""


@dataclass(frozen=True)
class Cni:
    """Whether the version of the VPC CNI matters, and the options of ``eks_addon_info``."""

    matters: bool
    name: str
    kubernetes_version: str


@view
def cni(variables: Variables) -> Cni:
    return Cni(bool(_evidence(variables)), rules.NAME, version_of(variables))


@view
def cni_refusals(variables: Variables) -> Findings:
    """The refusal of a version that does not work with HyperPod."""
    there = [str(each["details"]["version"]) for each in observed(variables).of(ADDON) if each["name"] == rules.NAME]
    found = rules.refusal(
        next((each for each in _wanted(variables) if each.name == rules.NAME), None),
        next(iter(there), ""),
        _offered(variables),
        declared=any(each.name == rules.NAME for each in declared(variables).addons),
        upgrade=upgrades(variables),
        why=_evidence(variables),
    )
    return refused([found] if found else [])


def _evidence(variables: Variables) -> str:
    orchestrates = orchestrator(variables) == this(variables).arn
    return rules.evidence(observed(variables), _wanted(variables), orchestrates=orchestrates)


def _wanted(variables: Variables) -> tuple[Addon, ...]:
    return declared(variables).wanted_addons(ours=not observed(variables).foreign)


def _offered(variables: Variables) -> Catalogue:
    listed: list[dict[str, t.Any]] = plain(variables[OFFERED])["eks_addon_versions"]
    return Catalogue(version_of(variables), tuple(Version(each["version"], default=each["default"]) for each in listed))
