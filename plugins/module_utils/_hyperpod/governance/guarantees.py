# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether the quotas of a cluster guarantee more than it has: pure, no I/O.

Whole instances can be compared, and where EC2 tells what one of a type has, accelerators, vCPUs and memory. Parts of GPUs are not
summed: how many of a profile fit beside others depends on the GPU.
"""

from __future__ import annotations

import typing as t

from ..._core.failure import refuse_option
from ..._core.settings import Values
from .fields import DISABLED
from .model import DELETING, NEVER_MADE, Capacity, Found

OPTION = "compute_quota_resources"
WAY = "with allow_oversubscription: true"
INSTANCES, ACCELERATORS = "count", "accelerators"
NAMED = {INSTANCES: "instances", ACCELERATORS: "accelerators", "vcpu": "vCPUs", "memory_in_gib": "GiB of memory"}
"""What is compared, by the names of the options, in the order in which one stands for the others."""
BESIDE = ("vcpu", "memory_in_gib")
"""What a quota may have more of than its part of accelerators."""


def instances_of(groups: t.Iterable[tuple[t.Iterable[str], int]]) -> dict[str, int]:
    """Of the types of each group, and its size: a flexible group may be all of one of its types."""
    found: dict[str, int] = {}
    for types, target in groups:
        for name in types:
            found[name] = found.get(name, 0) + target
    return found


def amounts_of(told: t.Mapping[str, t.Any]) -> dict[str, float]:
    """What an instance has, by the names of the options, of what ``instance_types`` tells of its type."""
    memory = told["memory_mib"]
    known = {
        ACCELERATORS: told["gpus"] or told["neuron_devices"],
        "vcpu": told["vcpus"],
        "memory_in_gib": memory if memory is None else memory / 1024,
    }
    return {unit: amount for unit, amount in known.items() if amount is not None}


def types_to_look_up(settings: Values, others: t.Iterable[Found], capacity: Capacity) -> list[str]:
    """Those of which somebody has something else than whole instances."""
    ours = {each["instance_type"] for each in _resources(settings)} & capacity.instances.keys()
    entries = [*_resources(settings), *(each for other in others for each in _resources(other.settings))]
    measured = {each["instance_type"] for each in entries if any(_is_in(unit, each) for unit in (ACCELERATORS, *BESIDE))}
    return sorted(ours & measured)


def refuse_excess(
    capacity: Capacity, others: t.Sequence[Found], before: Values, after: Values, *, option: str = OPTION, way: str = WAY
) -> None:
    """
    :param before: The settings of our quota as it is; empty where there is none.
    :param option: Where a person wrote the amounts, and by what more is allowed.

    :raises Refused: for the first type of which our quota would get more, and all together more than there is.
    """
    counted = [other for other in others if other.status not in (*NEVER_MADE, DELETING)]
    for name in dict.fromkeys(each["instance_type"] for each in _guaranteed(after)):
        have, has = capacity.instances.get(name), capacity.each.get(name, {})
        if have is None:
            types = ", ".join(sorted(capacity.instances)) or "none"
            refuse_option(option, name, f"{types}, or others {way}", "the cluster has no instance group of that type")
        for unit in _units(name, has, [after, *(other.settings for other in counted)]):
            most = have * (1 if unit == INSTANCES else has[unit])
            ours = _amount(unit, name, after, has)
            theirs = {other.team: _amount(unit, name, other.settings, has) for other in counted}
            if ours > _amount(unit, name, before, has) and round(ours + sum(theirs.values()) - most, 3) > 0:
                told, allowed = _excess(unit, most, {team: amount for team, amount in theirs.items() if amount})
                refuse_option(option, f"{name}: {_shown(ours)} {NAMED[unit]}", f"{allowed}, or more {way}", told)


def _excess(unit: str, most: float, theirs: t.Mapping[str, float]) -> tuple[str, str]:
    """What there is, and what is allowed."""
    held, taken = ", ".join(f"{team} {_shown(amount)}" for team, amount in sorted(theirs.items())), sum(theirs.values())
    why = f"the cluster has {_shown(most)}" + (f", and quotas of other teams guarantee {_shown(taken)} ({held})" if theirs else "")
    return why, f"at most {_shown(max(most - taken, 0))} {NAMED[unit]}"


def _units(name: str, has: t.Mapping[str, float], all_settings: t.Sequence[Values]) -> list[str]:
    """What is counted of a type: what of EC2 tells of it somebody asks for, and at least instances or accelerators."""
    entries = [each for settings in all_settings for each in _guaranteed(settings) if each["instance_type"] == name]
    asked = [unit for unit in (ACCELERATORS, *BESIDE) if unit in has and any(_is_in(unit, each) for each in entries)]
    return asked if ACCELERATORS in asked else [INSTANCES, *asked]


def _amount(unit: str, name: str, settings: Values, has: t.Mapping[str, float]) -> float:
    entries = [each for each in _guaranteed(settings) if each["instance_type"] == name]
    if unit == INSTANCES:
        return sum(each.get(INSTANCES, 0) for each in entries)
    return sum(_part(unit, each, has) for each in entries)


def _part(unit: str, resource: Values, has: t.Mapping[str, float]) -> float:
    """Of what is not said AWS allocates in proportion: API reference of ComputeQuotaResourceConfig."""
    if INSTANCES in resource:
        return resource[INSTANCES] * has[unit]
    if unit == ACCELERATORS:
        return resource[unit] if _is_in(unit, resource) else 0
    if unit in resource:
        return resource[unit]
    leading = next((each for each in (ACCELERATORS, *BESIDE) if _is_in(each, resource) and resource[each] and has.get(each)), None)
    return resource[leading] * has[unit] / has[leading] if leading else 0


def _is_in(unit: str, resource: Values) -> bool:
    """AWS may tell of whole instances in accelerators, too, and of parts of GPUs."""
    return unit in resource and INSTANCES not in resource and not (unit == ACCELERATORS and "accelerator_partition" in resource)


def _shown(amount: float) -> str:
    return f"{round(amount, 3):.15g}"


def _guaranteed(settings: Values) -> t.Sequence[Values]:
    return () if settings.get("activation_state") == DISABLED else _resources(settings)


def _resources(settings: Values) -> t.Sequence[Values]:
    return settings.get(OPTION) or ()
