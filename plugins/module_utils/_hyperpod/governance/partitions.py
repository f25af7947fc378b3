# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Into which parts the GPUs of instance groups are cut, which NVIDIA calls MIG: pure, no I/O."""

from __future__ import annotations

import typing as t

from .fields import MIG

WHOLE, UNKNOWN = "", "unknown"
PROFILES = {"": WHOLE, "all-disabled": WHOLE, **{f"all-{name.removeprefix('mig-')}": name for name in MIG}}
"""By the value of a group's label, which is a name in the settings of NVIDIA's GPU Operator. In those of HyperPod's Helm chart
``all-`` and a profile cut each GPU of a node alike; what others do, such as ``all-balanced``, is not known."""
MOST = {"1g": 7, "2g": 3, "3g": 2, "4g": 1, "7g": 1}
"""Parts of one GPU by the compute slices of a profile."""
DOUBLE = 4
"""Of a profile 1g that has the memory of two."""


def cut_of(groups: t.Iterable[tuple[t.Iterable[str], int, str]]) -> dict[str, dict[str, int]]:
    """How many instances of each type have their GPUs cut, by the profile, or ``UNKNOWN``; a flexible group may be all of one type.

    :param groups: The types of each, its size, and the value of its label.
    """
    found: dict[str, dict[str, int]] = {}
    for types, target, config in groups:
        profile = PROFILES.get(config, UNKNOWN)
        for name in types if target and profile != WHOLE else ():
            of_type = found.setdefault(name, {})
            of_type[profile] = of_type.get(profile, 0) + target
    return found


def parts_of(profile: str, memory_mib: int | None) -> int | None:
    """The most parts of a profile that one GPU has; None where that depends on its memory, and nobody tells it.

    NVIDIA's Multi-Instance GPU User Guide, "Supported MIG Profiles", of A100 and what came after it: a profile 1g has an eighth of
    the memory, or a quarter of it. So there are 7 of 1g.10gb where the GPU has 80 GB, and 4 where it has 40 GB.
    """
    size, memory = profile.removeprefix("mig-").split(".")
    if size != "1g":
        return MOST[size]
    if memory_mib is None:
        return None
    halfway = memory_mib * 3 / 16
    return MOST[size] if int(memory.removesuffix("gb")) * 1024 < halfway else DOUBLE


def parts_of_instance(gpus: int | None, memory_mib: int | None) -> dict[str, int]:
    """By profile, without those of which it is not known.

    :param memory_mib: Of one GPU.
    """
    if gpus is None:
        return {}
    known = {profile: parts_of(profile, memory_mib) for profile in MIG}
    return {profile: gpus * parts for profile, parts in known.items() if parts is not None}
