# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Which feature gates of Kueue go with its topology-aware scheduling, release by release. Pure.

Kueue validates its gates at its start, and exits if a gate is on while its parent is off, and for unknown gates.
"""

from __future__ import annotations

import re
import typing as t

Version = tuple[int, int, int]
PARENT = "TopologyAwareScheduling"
ON_FROM: Version = (0, 14, 0)
"""The release from which it is on unless it is switched off."""
_REPLACEMENT = (
    "TASFailedNodeReplacement",
    "TASFailedNodeReplacementFailFast",
    "TASReplaceNodeOnPodTermination",
    "TASReplaceNodeOnNodeTaints",
)
CHILDREN: tuple[tuple[Version, tuple[str, ...]], ...] = (
    ((0, 19, 0), ("TASHandleOverlappingFlavors", "TASMultiLayerTopology", "TASRecomputeAssignmentWithinSchedulingCycle")),
    (
        (0, 18, 6),
        (
            "TASHandleOverlappingFlavors",
            "TASReplaceNodeDueToNotReadyOverFixedTime",
            "TASRecomputeAssignmentWithinSchedulingCycle",
        ),
    ),
    ((0, 18, 0), ("TASHandleOverlappingFlavors",)),
    ((0, 0, 0), ()),
)
"""Releases since which gates are on by default and need their parent, in addition to those of profiles and of replacement."""
ADD_ON: dict[tuple[int, int], Version] = {(1, 3): (0, 12, 0), (1, 4): (0, 14, 0), (1, 5): (0, 18, 0), (1, 6): (0, 19, 2)}
"""Kueue's release in each release of the add-on amazon-sagemaker-hyperpod-taskgovernance, whatever its patch and build."""
ELASTIC = "ElasticJobsViaWorkloadSlicesWithTAS"
"""Off by default. Kueue's manager exits if it is on while topology-aware scheduling is off."""
_BUILD = "eksbuild"


def version_of(tag: str) -> Version | None:
    """Kueue's release by the tag of its image, of Kueue itself or of the add-on; None for other tags and add-on releases."""
    found = re.match(r"v?(\d+)\.(\d+)\.(\d+)", tag)
    if found is None:
        return None
    major, minor, patch = (int(each) for each in found.groups())
    if _BUILD not in tag or not major:
        return (major, minor, patch)
    return ADD_ON.get((major, minor))


def version_text(version: Version) -> str:
    return ".".join(map(str, version))


def children(version: Version) -> tuple[str, ...]:
    """Gates that are switched off together with their parent."""
    profiles = ("TASProfileMixed",) if version >= (0, 15, 0) else ()
    replacement = _REPLACEMENT if version >= (0, 17, 0) else ()
    return (*profiles, *replacement, *next(names for begin, names in CHILDREN if version >= begin))


def wanted(on: bool, version: Version, gates: t.Mapping[str, bool]) -> dict[str, bool]:
    """All desired gates: those unrelated to topology stay.

    :param gates: as the file of Kueue's manager has them.
    """
    others = {name: value for name, value in gates.items() if not _of_topology(name)}
    if on:
        stay = {name: True for name, value in gates.items() if _of_topology(name) and name != PARENT and value}
        return {**others, **stay, **({PARENT: True} if version < ON_FROM else {})}
    named = (name for name in gates if _of_topology(name))
    return {**others, **dict.fromkeys((PARENT, *children(version), *named), False)}


def is_on(version: Version, gates: t.Mapping[str, bool]) -> bool:
    return gates.get(PARENT, version >= ON_FROM)


def _of_topology(name: str) -> bool:
    return name in (PARENT, ELASTIC) or name.startswith("TAS")
