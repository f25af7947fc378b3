# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All problems in Karpenter's declared settings: invalid objects, and references to missing objects."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed, refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import refusals

from .node_classes import node_classes
from .node_pools import node_pools
from .scaled_objects import scaled_objects

CLASSES, POOLS, SCALED, PROVE = "karpenter_node_classes", "karpenter_node_pools", "karpenter_scaled_objects", "karpenter_prove"
READ: t.Mapping[str, t.Callable[[str, t.Any], list[dict[str, t.Any]]]] = {
    CLASSES: node_classes,
    POOLS: node_pools,
    SCALED: scaled_objects,
}
Given = t.Mapping[str, t.Any]
"""The declared objects, keyed by variable. If no objects are declared, the list is empty."""


def problems(given: Given, *, present: bool) -> list[str]:
    """One sentence per problem. ``present``: whether Karpenter must scale the cluster."""
    found = [sentence for option, read in READ.items() for sentence in refusals(read, option, given[option])]
    return [*found, *_references(given)] if present else found


def _references(given: Given) -> t.Iterator[str]:
    """Check references by name, even in objects with other problems."""
    classes, pools = _names(given[CLASSES]), _names(given[POOLS])
    if not given[CLASSES]:
        yield f"{CLASSES}: missing; it must name the instance groups that Karpenter scales."
        return
    if not classes:
        why = "to stop scaling the cluster, set karpenter_state=absent"
        yield refusal_text(CLASSES, "a list with only state: absent", "at least one NodeClass with state: present", why)
        return
    for place, pool in _present(given[POOLS]):
        name = pool.get("node_class")
        if isinstance(name, str) and name not in classes:
            option = f"{POOLS}[{place}].node_class"
            yield not_allowed(option, name, ", ".join(classes), f"{CLASSES} does not have this NodeClass")
    for name in given[PROVE] if isinstance(given[PROVE], list) else ():
        if name not in pools:
            yield not_allowed(PROVE, name, ", ".join(pools) or "none", f"{POOLS} does not have this NodePool")


def _present(objects: t.Any) -> list[tuple[int, dict[str, t.Any]]]:
    listed = enumerate(objects) if isinstance(objects, list) else ()
    return [(place, each) for place, each in listed if isinstance(each, dict) and each.get("state", "present") == "present"]


def _names(objects: t.Any) -> list[str]:
    return [str(each.get("name")) for _place, each in _present(objects)]
