# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The feature gates of Kueue that depend on topology-aware scheduling, for each release. No I/O.

Kueue validates its gates when it starts. It exits if a gate is unknown, or is on while its parent is off.
"""

from __future__ import annotations

import re
import typing as t

Version = tuple[int, int, int]
PARENT = "TopologyAwareScheduling"
ON_FROM: Version = (0, 14, 0)
"""The first release in which topology-aware scheduling is on by default."""
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
"""Pairs of a release and the gates that are on by default from it on, and require their parent. ``children`` adds more gates."""
ADD_ON: dict[tuple[int, int], Version] = {(1, 3): (0, 12, 0), (1, 4): (0, 14, 0), (1, 5): (0, 18, 0), (1, 6): (0, 19, 2)}
"""Kueue's release, keyed by major and minor release of the add-on amazon-sagemaker-hyperpod-taskgovernance."""
ELASTIC = "ElasticJobsViaWorkloadSlicesWithTAS"
"""A gate that is off by default. Kueue's manager exits if this gate is on while topology-aware scheduling is off."""
_BUILD = "eksbuild"


def version_of(tag: str) -> Version | None:
    """Kueue's release, from the image tag of Kueue or of the add-on; None for other tags and unknown releases of the add-on."""
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
    """The gates that are switched off together with their parent."""
    profiles = ("TASProfileMixed",) if version >= (0, 15, 0) else ()
    replacement = _REPLACEMENT if version >= (0, 17, 0) else ()
    return (*profiles, *replacement, *next(names for begin, names in CHILDREN if version >= begin))


def wanted(on: bool, version: Version, gates: t.Mapping[str, bool]) -> dict[str, bool]:
    """All desired gates. Gates that are unrelated to topology stay.

    :param gates: the gates in the file of Kueue's manager.
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
