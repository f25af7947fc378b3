# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""How the GPUs of instance groups are partitioned (NVIDIA MIG). No I/O."""

from __future__ import annotations

import typing as t

from .fields import MIG

WHOLE, UNKNOWN = "", "unknown"
PROFILES = {"": WHOLE, "all-disabled": WHOLE, **{f"all-{name.removeprefix('mig-')}": name for name in MIG}}
"""The profile, keyed by value of a group's label. The value names a setting of NVIDIA's GPU Operator. In HyperPod's Helm chart, the
setting ``all-PROFILE`` partitions all GPUs of a node in the same way. The effect of other settings, such as ``all-balanced``, is
unknown."""
MOST = {"1g": 7, "2g": 3, "3g": 2, "4g": 1, "7g": 1}
"""The maximum number of partitions per GPU, keyed by the compute slices of a profile."""
DOUBLE = 4
"""The maximum number of partitions per GPU of a profile 1g with double memory."""


def cut_of(groups: t.Iterable[tuple[t.Iterable[str], int, str]]) -> dict[str, dict[str, int]]:
    """Numbers of instances with partitioned GPUs, keyed by type, then by profile or ``UNKNOWN``. A flexible group counts for each
    of its types.

    :param groups: Types, size, and label value of each group.
    """
    found: dict[str, dict[str, int]] = {}
    for types, target, config in groups:
        profile = PROFILES.get(config, UNKNOWN)
        for name in types if target and profile != WHOLE else ():
            of_type = found.setdefault(name, {})
            of_type[profile] = of_type.get(profile, 0) + target
    return found


def parts_of(profile: str, memory_mib: int | None) -> int | None:
    """The maximum number of partitions of a profile on one GPU; None if it depends on the GPU's memory and this is unknown.

    Source: NVIDIA's Multi-Instance GPU User Guide, "Supported MIG Profiles", for A100 and newer: a profile 1g has an eighth or a
    quarter of the memory. So a GPU with 80 GB can have 7 partitions 1g.10gb, and a GPU with 40 GB can have 4.
    """
    size, memory = profile.removeprefix("mig-").split(".")
    if size != "1g":
        return MOST[size]
    if memory_mib is None:
        return None
    halfway = memory_mib * 3 / 16
    return MOST[size] if int(memory.removesuffix("gb")) * 1024 < halfway else DOUBLE


def parts_of_instance(gpus: int | None, memory_mib: int | None) -> dict[str, int]:
    """The maximum number of partitions on an instance, keyed by profile. Profiles with an unknown number are left out.

    :param memory_mib: The memory of one GPU.
    """
    if gpus is None:
        return {}
    known = {profile: parts_of(profile, memory_mib) for profile in MIG}
    return {profile: gpus * parts for profile, parts in known.items() if parts is not None}
