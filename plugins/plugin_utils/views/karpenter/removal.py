# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects to remove, their remaining nodes, and whether the run also turns Karpenter off."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._karpenter.node_classes import KIND as CLASS, VERSION as OF_CLASSES
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._karpenter.node_pools import KIND as POOL, VERSION as OF_POOLS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .declared import CLASSES, POOLS, SCALED, Objects, given, name_of

LISTED = {CLASSES: "node_classes", POOLS: "node_pools"}


@dataclass(frozen=True)
class Removal:
    """Objects to remove, from ``__karpenter_seen``: objects that are declared as absent. With ``karpenter_state: absent``, also all
    NodePools and NodeClasses that this role created.
    """

    any: bool
    scaled: Objects
    pools: Objects
    pool_names: list[str]
    """NodePools whose nodes the run waits for."""
    classes: Objects
    """NodeClasses that no remaining NodePool uses."""
    everything: Objects
    """All objects to remove, including NodeClasses that stay while a NodePool uses them."""
    findings: Findings
    """Findings about the objects to remove, with their nodes and Pods."""
    kept: Findings
    """Findings about NodeClasses that are declared as absent, but that remaining NodePools use."""


@view
def removal(variables: Variables) -> Removal:
    declared = {option: given(option, variables) for option in (CLASSES, POOLS, SCALED)}
    names = {
        option: [name_of(each["definition"]) for each in declared[option] if each["state"] == "absent"]
        for option in (CLASSES, POOLS)
    }
    all_of_it = variables["karpenter_state"] == "absent"
    scaled = [each["definition"] for each in declared[SCALED] if all_of_it or each["state"] == "absent"]
    seen = plain(variables.get("__karpenter_seen") or {})
    for option, listed in LISTED.items() if all_of_it else ():
        names[option] += [each["name"] for each in seen.get(listed) or () if each["ours"] and each["name"] not in names[option]]
    scaled = [{name: value for name, value in each.items() if name != "spec"} for each in scaled]
    pools = [_named(OF_POOLS, POOL, name) for name in names[POOLS]]
    classes = [_named(OF_CLASSES, CLASS, name) for name in names[CLASSES]]
    used = _used(variables, names[POOLS])
    return Removal(
        any=bool(scaled or pools or classes),
        scaled=scaled,
        pools=pools,
        pool_names=[*names[POOLS], *(_removed(seen, names[POOLS]) if all_of_it else ())],
        classes=[each for each in classes if name_of(each) not in used],
        everything=[*scaled, *pools, *classes],
        findings=[*_removals(seen, names), *([] if all_of_it else _leaving_groups(seen, declared[CLASSES]))],
        kept=[
            one
            for name in names[CLASSES]
            for one in (finding("karpenter-class-used", name=name, pools=used[name]) if name in used and not all_of_it else ())
        ],
    )


def _used(variables: Variables, going: t.Collection[str]) -> dict[str, list[str]]:
    """The remaining NodePools, keyed by NodeClass."""
    found: dict[str, list[str]] = {}
    for each in _newest(variables).get("node_pools") or ():
        if each["name"] not in going:
            found.setdefault(each["node_class"], []).append(each["name"])
    return found


def _newest(variables: Variables) -> dict[str, t.Any]:
    """The newest state. Other users may change objects while the run waits."""
    return dict(plain(variables.get("__karpenter_left") or variables.get("__karpenter_seen") or {}))


def _removed(seen: t.Mapping[str, t.Any], names: t.Collection[str]) -> list[str]:
    """NodePools that an earlier run removed, but whose nodes still exist."""
    there = {*names, *(each["name"] for each in seen.get("node_pools") or ())}
    return sorted({each["node_pool"] for each in seen.get("node_claims") or () if each["node_pool"] not in there})


def _removals(seen: t.Mapping[str, t.Any], names: t.Mapping[str, list[str]]) -> Findings:
    there = {option: [each["name"] for each in seen.get(listed) or ()] for option, listed in LISTED.items()}
    names = {option: [name for name in names[option] if name in there[option]] for option in names}
    if not (names[CLASSES] or names[POOLS]):
        return []
    claims = [each for each in seen["node_claims"] if each["node_pool"] in names[POOLS]]
    nodes = [f"{each['node'] or each['name']}, {each['instance_type']}" for each in claims]
    pods = [pod for each in claims for pod in each["pods"]]
    shown = {name: list(map(printable, value)) for name, value in (("nodes", nodes), ("pods", pods))}
    return finding("karpenter-goes", pools=names[POOLS], classes=names[CLASSES], **shown)


def _leaving_groups(seen: t.Mapping[str, t.Any], declared: Objects) -> Findings:
    """Findings about instance groups that leave their NodeClass."""
    wanted = {name_of(each["definition"]): each["definition"] for each in declared if each["state"] == "present"}
    left = [
        (group, each["name"])
        for each in seen.get("node_classes") or ()
        for group in (each["groups"] if each["name"] in wanted else ())
        if group not in wanted[each["name"]]["spec"]["instanceGroups"]
    ]
    found: Findings = []
    for group, name in left:
        nodes = [printable(each["node"] or each["name"]) for each in seen["node_claims"] if each["instance_group"] == group]
        found += finding("karpenter-group-leaves", group=printable(group), name=name, nodes=nodes or "none")
    return found


@dataclass(frozen=True)
class Held:
    """Nodes of removed objects that still exist, from ``__karpenter_left``."""

    gone: bool
    nodes: list[str]
    forced: bool
    """Whether Pods on these nodes are deleted by force."""
    findings: Findings


@view
def held(variables: Variables) -> Held:
    pools = removal(variables).pool_names
    left = plain(variables["__karpenter_left"])
    claims = [each for each in left["node_claims"] if each["node_pool"] in pools]
    if variables["ansible_check_mode"] or not claims:
        return Held(True, [], forced=False, findings=[])
    found: Findings = []
    for each in claims:
        why = "; ".join(holding["text"] for holding in each["holding"]) or "AWS has not terminated it yet"
        found += finding("karpenter-held", claim=each["name"], node=each["node"] or "no node yet", held=why)
    pods = [printable(pod) for each in claims for pod in each["pods"]]
    step = finding("karpenter-held-step", pods=pods) if pods else []
    nodes = [each["node"] for each in claims if each["node"]]
    forced = bool(nodes) and boolean(variables["karpenter_force"], strict=False)
    return Held(False, nodes, forced, [*found, *step])


@view
def emptied(variables: Variables) -> Findings:
    """Findings about nodes that could not be drained by force, from ``__karpenter_emptied``. Missing nodes are ignored."""
    results = plain(variables["__karpenter_emptied"].get("results") or [])
    failed = [(each["item"], printable(each["msg"])) for each in results if each.get("msg") and not each.get("result")]
    remaining = [(node, why) for node, why in failed if "not found" not in why.lower()]
    return [each for node, why in remaining for each in finding("karpenter-drain", node=node, why=why)]


@dataclass(frozen=True)
class Autoscaler:
    """Whether other objects still use the autoscaler."""

    unused: bool
    findings: Findings


@view
def autoscaler(variables: Variables) -> Autoscaler:
    seen, going = _newest(variables), removal(variables)
    gone = {*going.pool_names, *map(name_of, going.classes)}
    users = [each["name"] for listed in ("node_pools", "node_classes") for each in seen[listed] if each["name"] not in gone]
    return Autoscaler(not users and held(variables).gone, finding("karpenter-used", names=sorted(set(users))) if users else [])


def _named(version: str, kind: str, name: str) -> dict[str, t.Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}
