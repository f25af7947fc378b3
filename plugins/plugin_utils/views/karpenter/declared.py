# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declared settings of Karpenter."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import karpenter
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._karpenter import declared as objects
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused

from .. import Variables, view

CLASSES, POOLS, SCALED = objects.CLASSES, objects.POOLS, objects.SCALED
Objects = list[dict[str, t.Any]]


@dataclass(frozen=True)
class Declared:

    refusals: Findings
    """All refusals. If there are any, the other fields are empty."""
    classes: Objects
    """The name and groups of each NodeClass, as ``karpenter_requirement_info`` takes them."""
    objects: Objects
    """Manifests of the NodeClasses, followed by the NodePools."""
    class_names: list[str]
    pool_names: list[str]
    scaled: Objects
    """Manifests of the ScaledObjects."""
    triggers: Objects
    """The type and authentication of each trigger, as ``karpenter_requirement_info`` takes them."""
    notes: Findings
    everything: Objects
    """Manifests of all desired objects."""


@view
def declared(variables: Variables) -> Declared:
    wrong = [*karpenter.problems(variables, variables), *objects.problems(_given(variables), present=_is_present(variables))]
    if wrong:
        return Declared(refused(wrong), [], [], [], [], [], [], [], [])
    read = [given(option, variables) for option in (CLASSES, POOLS, SCALED)]
    classes, pools, scaled = ([each["definition"] for each in found if each["state"] == "present"] for found in read)
    return Declared(
        refusals=[],
        classes=[{"name": name_of(each), "groups": each["spec"]["instanceGroups"]} for each in classes],
        objects=[*classes, *pools],
        class_names=list(map(name_of, classes)),
        pool_names=list(map(name_of, pools)),
        scaled=scaled,
        everything=[*classes, *pools, *scaled],
        triggers=[{"type": kind, "authenticated": own} for kind, own in _triggers(scaled)],
        notes=[
            one
            for each in scaled
            if each["spec"]["minReplicaCount"]
            for one in finding("karpenter-replicas", name=name_of(each), count=each["spec"]["minReplicaCount"])
        ],
    )


@dataclass(frozen=True)
class Proof:
    """The NodePools to prove, from ``__karpenter_ready``."""

    pools: list[str]
    instance_type: str | None
    notes: Findings
    """Findings about NodePools that check mode can't prove, because a run must first create them or wait until they are ready."""


@view
def proof(variables: Variables) -> Proof:
    wanted = list(variables["karpenter_prove"])
    there = plain(variables["__karpenter_ready"]["node_pools"]) if wanted else []
    ready = {each["name"] for each in there if each["ready"]}
    later = [name for name in wanted if name not in ready] if variables["ansible_check_mode"] else []
    return Proof(
        pools=[name for name in wanted if name not in later],
        instance_type=str(variables["karpenter_proof_instance_type"]) or None,
        notes=[one for name in later for one in finding("karpenter-proof-later", pool=name)],
    )


def given(option: str, variables: Variables) -> Objects:
    return objects.READ[option](option, plain(variables[option]))


def _given(variables: Variables) -> dict[str, t.Any]:
    return {option: plain(variables[option]) for option in (*objects.READ, objects.PROVE)}


def _is_present(variables: Variables) -> bool:
    return bool(variables["karpenter_state"] == "present")


def name_of(definition: t.Mapping[str, t.Any]) -> str:
    return str(definition["metadata"]["name"])


def _triggers(scaled: Objects) -> list[tuple[str, bool]]:
    return sorted({(each["type"], "authenticationRef" in each) for one in scaled for each in one["spec"]["triggers"]})
