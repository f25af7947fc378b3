# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Refuses quotas that guarantee more than a cluster has. No I/O.

Whole instances can always be compared. Accelerators, vCPUs and memory can be compared only if EC2 describes the type. Partitions of
GPUs can be compared only if the labels of all instance groups of a type define how its GPUs are partitioned.
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
    WHOLE_AND_CUT: "accelerators, whole and partitioned",
    VCPU: "vCPUs",
    "memory_in_gib": "GiB of memory",
    **{profile: f"partitions {profile}" for profile in MIG},
}
"""Descriptions of the compared units, keyed by option name if an option exists."""
OTHERS = (VCPU, "memory_in_gib")
"""Amounts that a quota may set independently of its accelerators."""


def instances_of(groups: t.Iterable[tuple[t.Iterable[str], int]]) -> dict[str, int]:
    """Numbers of instances, keyed by type. A flexible group counts in full for each of its types.

    :param groups: types and size of each group.
    """
    found: dict[str, int] = {}
    for types, target in groups:
        for name in types:
            found[name] = found.get(name, 0) + target
    return found


def amounts_of(described: t.Mapping[str, t.Any]) -> dict[str, float]:
    """The amounts of an instance under the names of the options, from a result of ``instance_types``."""
    memory = described["memory_mib"]
    known = {
        ACCELERATORS: described["gpus"] or described["neuron_devices"],
        VCPU: described["vcpus"],
        THREADS: described["threads_per_core"],
        "memory_in_gib": memory if memory is None else memory / 1024,
    }
    parts = parts_of_instance(described["gpus"], described["gpu_memory_mib"])
    return {**{unit: amount for unit, amount in known.items() if amount is not None}, **parts}


def measured_types(settings: Values, others: t.Iterable[Found], capacity: Capacity) -> list[str]:
    """The types in our quota for which any of the quotas sets accelerators, vCPUs, memory or partitions."""
    types = {each["instance_type"] for each in _resources(settings)} & capacity.instances.keys()
    entries = [*_resources(settings), *(each for other in others for each in _resources(other.settings))]
    return sorted(types & {each["instance_type"] for each in entries if _is_measured(each)})


def refuse_excess(
    capacity: Capacity, others: t.Sequence[Found], before: Values, after: Values, *, option: str = OPTION, way: str = WAY
) -> None:
    """
    :param before: The current settings of our quota; empty if it does not exist.
    :param option: The option with the amounts.
    :param way: What allows larger amounts, as the end of a sentence.

    :raises Refused: for the first type for which our quota would grow, and all quotas together would exceed the cluster.
    """
    counted = [other for other in others if other.status not in (*NEVER_MADE, DELETING)]
    for name in dict.fromkeys(each["instance_type"] for each in _guaranteed(after)):
        have = capacity.instances.get(name)
        if have is None:
            types = ", ".join(sorted(capacity.instances)) or "none"
            refuse_option(option, name, f"{types}, or other types {way}", "the cluster has no instance group of that type")
        single = capacity.single_threaded.get(name, 0)
        stock = _Stock(name, have, capacity.each.get(name, {}), capacity.cut.get(name, {}), single)
        for unit in _units(stock, [after, *(other.settings for other in counted)]):
            most, amount = stock.of(unit), _amount(unit, after, stock)
            rest = {other.team: _amount(unit, other.settings, stock) for other in counted}
            if amount > _amount(unit, before, stock) and round(amount + sum(rest.values()) - most, 3) > 0:
                problem, allowed = _excess(unit, stock, {team: guaranteed for team, guaranteed in rest.items() if guaranteed})
                refuse_option(option, f"{name}: {_shown(amount)} {NAMED[unit]}", f"{allowed}, or more {way}", problem)


@dataclass(frozen=True)
class _Stock:
    """The cluster's instances of a type. ``cut``: numbers of instances with partitioned GPUs, keyed by profile."""

    type: str
    instances: int
    each: t.Mapping[str, float]
    """The amount of each unit that one instance has, as AWS counts it."""
    cut: t.Mapping[str, int]
    single: int
    """Instances with one thread per core."""

    @property
    def has(self) -> t.Mapping[str, float]:
        """As ``each``, but averaged over all instances, because some may have one thread per core."""
        return with_threads(self.each, self.single, self.instances)

    @property
    def profiles(self) -> set[str]:
        """The profiles into which GPUs are known to be partitioned."""
        return self.cut.keys() - {UNKNOWN}

    def of(self, unit: str) -> float:
        """The amount of a unit in the cluster. An instance with partitioned GPUs has no whole GPUs."""
        if unit in MIG:
            return self.cut.get(unit, 0) * self.each[unit]
        if unit == WHOLE:
            return (self.instances - sum(self.cut[profile] for profile in self.profiles)) * self.each[ACCELERATORS]
        if unit == INSTANCES:
            return self.instances
        return self.instances * self.has[ACCELERATORS if unit == WHOLE_AND_CUT else unit]

    def source(self, unit: str) -> str:
        """Why the amount differs from AWS's count of the instances; empty if it does not."""
        if unit == WHOLE or unit in MIG:
            return f" according to label {MIG_CONFIG} of its instance groups"
        counted = self.instances * self.each.get(VCPU, 0)
        if unit != VCPU or counted == self.of(VCPU):
            return ""
        where = "" if self.single == self.instances else " in some of its groups"
        return f" with threads_per_core 1{where} (AWS counts {_shown(counted)})"


def _excess(unit: str, stock: _Stock, others: t.Mapping[str, float]) -> tuple[str, str]:
    """The reason for the refusal, and the allowed amount."""
    held, taken = ", ".join(f"{team} {_shown(amount)}" for team, amount in sorted(others.items())), sum(others.values())
    most = stock.of(unit)
    there = f"the cluster has {_shown(most)}{stock.source(unit)}"
    why = there + (f", and quotas of other teams guarantee {_shown(taken)} ({held})" if others else "")
    return why, f"at most {_shown(max(most - taken, 0))} {NAMED[unit]}"


def _units(stock: _Stock, all_settings: t.Sequence[Values]) -> list[str]:
    """The units to compare for a type: those that a quota uses and EC2 describes, and at least instances or accelerators.

    Partitions are not compared if the partitioning of one of the type's groups is unknown.
    """
    entries = [each for settings in all_settings for each in _guaranteed(settings) if each["instance_type"] == stock.type]
    used = [unit for unit in (ACCELERATORS, *OTHERS) if unit in stock.each and any(_is_in(unit, each) for each in entries)]
    parts = [] if UNKNOWN in stock.cut else sorted(stock.each.keys() & {_profile(each) for each in entries})
    whole = [WHOLE] if ACCELERATORS in used and stock.profiles else []
    uncut = ACCELERATORS if ACCELERATORS in used else INSTANCES
    leading = WHOLE_AND_CUT if stock.profiles.intersection(parts) else uncut
    return [*parts, *whole, leading, *(unit for unit in used if unit != ACCELERATORS)]


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
    """The number of accelerators that an entry's partitions use."""
    profile = _profile(resource)
    if INSTANCES in resource or profile not in stock.profiles or not stock.each.get(profile):
        return 0
    return resource[PARTITION]["count"] * stock.each[ACCELERATORS] / stock.each[profile]


def _part(unit: str, resource: Values, stock: _Stock) -> float:
    """The amount of a unit in an entry. AWS adds missing amounts in proportion. Source: ComputeQuotaResourceConfig in the API."""
    has = stock.has
    if INSTANCES in resource:
        return resource[INSTANCES] * has[unit]
    if unit == ACCELERATORS:
        return resource[unit] if _is_in(unit, resource) else 0
    if unit in resource:
        return resource[unit]
    leading = next((each for each in (ACCELERATORS, *OTHERS) if _is_in(each, resource) and resource[each] and has.get(each)), None)
    if leading is None:
        return 0
    whole = stock.each[VCPU] if leading == VCPU else has[leading]
    return resource[leading] * has[unit] / whole


def _is_measured(resource: Values) -> bool:
    return PARTITION in resource or any(_is_in(unit, resource) for unit in (ACCELERATORS, *OTHERS))


def _is_in(unit: str, resource: Values) -> bool:
    """Whether the entry sets the unit. AWS may also return accelerators for whole instances or partitions of GPUs."""
    return unit in resource and INSTANCES not in resource and not (unit == ACCELERATORS and PARTITION in resource)


def _profile(resource: Values) -> str:
    """The profile of an entry's partitions; empty without partitions."""
    return str((resource.get(PARTITION) or {}).get("type", ""))


def _shown(amount: float) -> str:
    return f"{round(amount, 3):.15g}"


def _guaranteed(settings: Values) -> t.Sequence[Values]:
    return () if settings.get("activation_state") == DISABLED else _resources(settings)


def _resources(settings: Values) -> t.Sequence[Values]:
    return settings.get(OPTION) or ()
