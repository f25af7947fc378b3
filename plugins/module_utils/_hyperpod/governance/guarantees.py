# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether the quotas of a cluster guarantee more than it has: pure, no I/O.

Whole instances can be compared, and where EC2 tells what one of a type has, accelerators, vCPUs and memory. So can parts of GPUs
where the labels of all instance groups of a type tell into which its GPUs are cut.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._core.failure import refuse_option
from ..._core.settings import Values
from ..model import MIG_CONFIG
from ..statuses import DELETING, NEVER_MADE
from .fields import DISABLED, MIG
from .model import Capacity, Found
from .partitions import UNKNOWN, parts_of_instance
from .threads import THREADS, VCPU, with_threads

OPTION, PARTITION = "compute_quota_resources", "accelerator_partition"
WAY = "with allow_oversubscription: true"
INSTANCES, ACCELERATORS = "count", "accelerators"
WHOLE, WHOLE_AND_CUT = "whole", "whole and cut"
NAMED = {
    INSTANCES: "instances",
    ACCELERATORS: "accelerators",
    WHOLE: "whole accelerators",
    WHOLE_AND_CUT: "accelerators, whole and in parts",
    VCPU: "vCPUs",
    "memory_in_gib": "GiB of memory",
    **{profile: f"parts {profile}" for profile in MIG},
}
"""What is compared, by the names of the options where there is one."""
BESIDE = (VCPU, "memory_in_gib")
"""What a quota may have more of than its part of accelerators."""


def instances_of(groups: t.Iterable[tuple[t.Iterable[str], int]]) -> dict[str, int]:
    """Of the types of each group, and its size: a flexible group may be all of one of its types."""
    found: dict[str, int] = {}
    for types, target in groups:
        for name in types:
            found[name] = found.get(name, 0) + target
    return found


def amounts_of(described: t.Mapping[str, t.Any]) -> dict[str, float]:
    """What an instance has, by the names of the options, of what ``instance_types`` tells of its type."""
    memory = described["memory_mib"]
    known = {
        ACCELERATORS: described["gpus"] or described["neuron_devices"],
        VCPU: described["vcpus"],
        THREADS: described["threads_per_core"],
        "memory_in_gib": memory if memory is None else memory / 1024,
    }
    parts = parts_of_instance(described["gpus"], described["gpu_memory_mib"])
    return {**{unit: amount for unit, amount in known.items() if amount is not None}, **parts}


def types_to_look_up(settings: Values, others: t.Iterable[Found], capacity: Capacity) -> list[str]:
    """Those of which somebody has something else than whole instances."""
    ours = {each["instance_type"] for each in _resources(settings)} & capacity.instances.keys()
    entries = [*_resources(settings), *(each for other in others for each in _resources(other.settings))]
    return sorted(ours & {each["instance_type"] for each in entries if _is_measured(each)})


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
        have = capacity.instances.get(name)
        if have is None:
            types = ", ".join(sorted(capacity.instances)) or "none"
            refuse_option(option, name, f"{types}, or others {way}", "the cluster has no instance group of that type")
        single = capacity.single_threaded.get(name, 0)
        stock = _Stock(name, have, capacity.each.get(name, {}), capacity.cut.get(name, {}), single)
        for unit in _units(stock, [after, *(other.settings for other in counted)]):
            most, ours = stock.of(unit), _amount(unit, after, stock)
            theirs = {other.team: _amount(unit, other.settings, stock) for other in counted}
            if ours > _amount(unit, before, stock) and round(ours + sum(theirs.values()) - most, 3) > 0:
                problem, allowed = _excess(unit, stock, {team: amount for team, amount in theirs.items() if amount})
                refuse_option(option, f"{name}: {_shown(ours)} {NAMED[unit]}", f"{allowed}, or more {way}", problem)


@dataclass(frozen=True)
class _Stock:
    """What the cluster has of an instance type. ``cut``: instances whose GPUs are cut, by profile."""

    type: str
    instances: int
    each: t.Mapping[str, float]
    """What one has by AWS's count."""
    cut: t.Mapping[str, int]
    single: int
    """Instances with one thread per core."""

    @property
    def has(self) -> t.Mapping[str, float]:
        """What an average instance has for its jobs."""
        return with_threads(self.each, self.single, self.instances)

    @property
    def profiles(self) -> set[str]:
        """Into which GPUs are cut for certain."""
        return self.cut.keys() - {UNKNOWN}

    def of(self, unit: str) -> float:
        """An instance whose GPUs are cut has no whole ones."""
        if unit in MIG:
            return self.cut.get(unit, 0) * self.each[unit]
        if unit == WHOLE:
            return (self.instances - sum(self.cut[profile] for profile in self.profiles)) * self.each[ACCELERATORS]
        if unit == INSTANCES:
            return self.instances
        return self.instances * self.has[ACCELERATORS if unit == WHOLE_AND_CUT else unit]

    def source(self, unit: str) -> str:
        """What makes the amount another one than AWS's count of the instances."""
        if unit == WHOLE or unit in MIG:
            return f" by label {MIG_CONFIG} of its instance groups"
        counted = self.instances * self.each.get(VCPU, 0)
        if unit != VCPU or counted == self.of(VCPU):
            return ""
        where = "" if self.single == self.instances else " in part of its groups"
        return f" with threads_per_core 1{where} ({_shown(counted)} by AWS's own count)"


def _excess(unit: str, stock: _Stock, theirs: t.Mapping[str, float]) -> tuple[str, str]:
    """What there is, and what is allowed."""
    held, taken = ", ".join(f"{team} {_shown(amount)}" for team, amount in sorted(theirs.items())), sum(theirs.values())
    most = stock.of(unit)
    there = f"the cluster has {_shown(most)}{stock.source(unit)}"
    why = there + (f", and quotas of other teams guarantee {_shown(taken)} ({held})" if theirs else "")
    return why, f"at most {_shown(max(most - taken, 0))} {NAMED[unit]}"


def _units(stock: _Stock, all_settings: t.Sequence[Values]) -> list[str]:
    """What is counted of a type: what of EC2 tells of it somebody asks for, and at least instances or accelerators.

    Parts are not where one of the type's groups may be cut into any.
    """
    entries = [each for settings in all_settings for each in _guaranteed(settings) if each["instance_type"] == stock.type]
    asked = [unit for unit in (ACCELERATORS, *BESIDE) if unit in stock.each and any(_is_in(unit, each) for each in entries)]
    parts = [] if UNKNOWN in stock.cut else sorted(stock.each.keys() & {_profile(each) for each in entries})
    whole = [WHOLE] if ACCELERATORS in asked and stock.profiles else []
    uncut = ACCELERATORS if ACCELERATORS in asked else INSTANCES
    leading = WHOLE_AND_CUT if stock.profiles.intersection(parts) else uncut
    return [*parts, *whole, leading, *(unit for unit in asked if unit != ACCELERATORS)]


def _amount(unit: str, settings: Values, stock: _Stock) -> float:
    entries = [each for each in _guaranteed(settings) if each["instance_type"] == stock.type]
    if unit == INSTANCES:
        return sum(each.get(INSTANCES, 0) for each in entries)
    if unit in MIG:
        return sum(each[PARTITION]["count"] for each in entries if _profile(each) == unit)
    if unit == WHOLE:
        return sum(each[ACCELERATORS] for each in entries if _is_in(ACCELERATORS, each))
    if unit == WHOLE_AND_CUT:
        return sum(_part(ACCELERATORS, each, stock) + _cut(each, stock) for each in entries)
    return sum(_part(unit, each, stock) for each in entries)


def _cut(resource: Values, stock: _Stock) -> float:
    """The accelerators that parts are cut from."""
    profile = _profile(resource)
    if INSTANCES in resource or profile not in stock.profiles or not stock.each.get(profile):
        return 0
    return resource[PARTITION]["count"] * stock.each[ACCELERATORS] / stock.each[profile]


def _part(unit: str, resource: Values, stock: _Stock) -> float:
    """Of what is not said AWS allocates in proportion: API reference of ComputeQuotaResourceConfig."""
    has = stock.has
    if INSTANCES in resource:
        return resource[INSTANCES] * has[unit]
    if unit == ACCELERATORS:
        return resource[unit] if _is_in(unit, resource) else 0
    if unit in resource:
        return resource[unit]
    leading = next((each for each in (ACCELERATORS, *BESIDE) if _is_in(each, resource) and resource[each] and has.get(each)), None)
    if leading is None:
        return 0
    whole = stock.each[VCPU] if leading == VCPU else has[leading]
    return resource[leading] * has[unit] / whole


def _is_measured(resource: Values) -> bool:
    return PARTITION in resource or any(_is_in(unit, resource) for unit in (ACCELERATORS, *BESIDE))


def _is_in(unit: str, resource: Values) -> bool:
    """AWS may tell of whole instances in accelerators, too, and of parts of GPUs."""
    return unit in resource and INSTANCES not in resource and not (unit == ACCELERATORS and PARTITION in resource)


def _profile(resource: Values) -> str:
    """Of the parts that an entry is about, or empty."""
    return str((resource.get(PARTITION) or {}).get("type", ""))


def _shown(amount: float) -> str:
    return f"{round(amount, 3):.15g}"


def _guaranteed(settings: Values) -> t.Sequence[Values]:
    return () if settings.get("activation_state") == DISABLED else _resources(settings)


def _resources(settings: Values) -> t.Sequence[Values]:
    return settings.get(OPTION) or ()
