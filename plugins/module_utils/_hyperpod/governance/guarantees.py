# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether the quotas of a cluster guarantee more than it has: pure, no I/O.

Whole instances and accelerators can be compared, and where EC2 tells how many accelerators a type has, with each other. What
is allocated in vCPUs, memory or parts of GPUs is not.
"""

from __future__ import annotations

import typing as t

from ..._core.failure import refuse_option
from ..._core.settings import Answer, Values
from .fields import DISABLED
from .model import DELETING, NEVER_MADE, Capacity, Found

OPTION = "compute_quota_resources"
WAY = "with allow_oversubscription: true"


def instances_of(answer: Answer) -> dict[str, int]:
    """Of a description of a cluster: a flexible group may be all of one of its types."""
    found: dict[str, int] = {}
    for group in (*(answer.get("InstanceGroups") or ()), *(answer.get("RestrictedInstanceGroups") or ())):
        flexible = (group.get("InstanceRequirements") or {}).get("DesiredInstanceTypes") or ()
        for name in [group["InstanceType"]] if "InstanceType" in group else flexible:
            found[name] = found.get(name, 0) + group.get("TargetCount", group.get("CurrentCount", 0))
    return found


def types_to_look_up(settings: Values, others: t.Iterable[Found], capacity: Capacity) -> list[str]:
    """Those of which somebody has accelerators instead of whole instances."""
    ours = {each["instance_type"] for each in _resources(settings)} & capacity.instances.keys()
    entries = [*_resources(settings), *(each for other in others for each in _resources(other.settings))]
    return sorted({each["instance_type"] for each in entries if each["instance_type"] in ours and _is_in_accelerators(each)})


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
        unit, most = _unit(name, have, capacity, [after, *(other.settings for other in counted)])
        per = capacity.accelerators.get(name) if unit == "accelerators" else None
        ours, theirs = _amount(name, after, per), {other.team: _amount(name, other.settings, per) for other in counted}
        if ours > _amount(name, before, per) and ours + sum(theirs.values()) > most:
            told, allowed = _excess(unit, most, {team: amount for team, amount in theirs.items() if amount})
            refuse_option(option, f"{name}: {ours} {unit}", f"{allowed}, or more {way}", told)


def _excess(unit: str, most: int, theirs: t.Mapping[str, int]) -> tuple[str, str]:
    """What there is, and what is allowed."""
    held = ", ".join(f"{team} {amount}" for team, amount in sorted(theirs.items()))
    why = f"the cluster has {most}" + (f", and quotas of other teams guarantee {sum(theirs.values())} ({held})" if theirs else "")
    return why, f"at most {max(most - sum(theirs.values()), 0)} {unit}"


def _unit(name: str, have: int, capacity: Capacity, all_settings: t.Sequence[Values]) -> tuple[str, int]:
    """What is counted, and how many of it there are."""
    entries = [each for settings in all_settings for each in _guaranteed(settings) if each["instance_type"] == name]
    per = capacity.accelerators.get(name)
    if per is not None and any(_is_in_accelerators(each) for each in entries):
        return "accelerators", have * per
    return "instances", have


def _amount(name: str, settings: Values, per: int | None) -> int:
    """In accelerators where one instance has ``per`` of them, else in whole instances."""
    entries = [each for each in _guaranteed(settings) if each["instance_type"] == name]
    whole = sum(each.get("count", 0) for each in entries)
    return whole if per is None else whole * per + sum(each["accelerators"] for each in entries if _is_in_accelerators(each))


def _is_in_accelerators(resource: Values) -> bool:
    """AWS may tell of whole instances in accelerators, too, and of parts of GPUs."""
    return "accelerators" in resource and "count" not in resource and "accelerator_partition" not in resource


def _guaranteed(settings: Values) -> t.Sequence[Values]:
    return () if settings.get("activation_state") == DISABLED else _resources(settings)


def _resources(settings: Values) -> t.Sequence[Values]:
    return settings.get(OPTION) or ()
