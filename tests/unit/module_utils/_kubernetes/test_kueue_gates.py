# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Feature gates of topology-aware scheduling, as each Kueue release validates them."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import kueue_gates as gates

KNOWN_FROM = {
    "TASProfileMixed": (0, 12, 0),
    "TASFailedNodeReplacement": (0, 14, 0),
    "TASFailedNodeReplacementFailFast": (0, 14, 0),
    "TASReplaceNodeOnPodTermination": (0, 14, 0),
    "TASReplaceNodeOnNodeTaints": (0, 17, 0),
    "TASHandleOverlappingFlavors": (0, 18, 0),
    "TASReplaceNodeDueToNotReadyOverFixedTime": (0, 18, 6),
    "TASRecomputeAssignmentWithinSchedulingCycle": (0, 18, 3),
    "TASMultiLayerTopology": (0, 18, 0),
}
"""The first release that knows a gate; a manager does not start with an unknown gate."""
DEPENDENT = {
    (0, 14, 0): set(),
    (0, 15, 0): {"TASProfileMixed"},
    (0, 17, 0): {"TASProfileMixed"},
    (0, 18, 0): {
        *("TASProfileMixed", "TASFailedNodeReplacement", "TASFailedNodeReplacementFailFast"),
        *("TASReplaceNodeOnPodTermination", "TASReplaceNodeOnNodeTaints", "TASHandleOverlappingFlavors"),
    },
    (0, 18, 6): {
        *("TASProfileMixed", "TASFailedNodeReplacement", "TASFailedNodeReplacementFailFast"),
        *("TASReplaceNodeOnPodTermination", "TASReplaceNodeOnNodeTaints", "TASHandleOverlappingFlavors"),
        *("TASReplaceNodeDueToNotReadyOverFixedTime", "TASRecomputeAssignmentWithinSchedulingCycle"),
    },
    (0, 19, 2): {
        *("TASProfileMixed", "TASFailedNodeReplacement", "TASFailedNodeReplacementFailFast"),
        *("TASReplaceNodeOnPodTermination", "TASReplaceNodeOnNodeTaints", "TASHandleOverlappingFlavors"),
        *("TASMultiLayerTopology", "TASRecomputeAssignmentWithinSchedulingCycle"),
    },
}
"""Gates that are on by default and end a manager if their parent gate is off."""


@pytest.mark.parametrize("version", [(0, 12, 0), (0, 13, 4), *DEPENDENT, (0, 16, 3), (0, 18, 4), (0, 20, 1)])
def test_the_gates_are_valid_for_the_release(version: gates.Version) -> None:
    made = gates.wanted(False, version, {})
    assert not any(made.values()) and "TopologyAwareScheduling" in made
    assert [name for name in made if KNOWN_FROM.get(name, (0, 0, 0)) > version] == []
    (newest,) = [known for known in DEPENDENT if known <= version][-1:] or [None]
    assert DEPENDENT.get(newest, set()) <= set(made)


def test_dependent_gates_are_switched_off_and_others_are_kept() -> None:
    found = {"TASBalancedPlacement": True, "PartialAdmission": True, "TopologyAwareScheduling": True}
    off = gates.wanted(False, (0, 14, 0), found)
    assert off == {"PartialAdmission": True, "TopologyAwareScheduling": False, "TASBalancedPlacement": False}
    assert gates.wanted(False, (0, 14, 0), off) == off
    assert gates.wanted(True, (0, 14, 0), off) == {"PartialAdmission": True}
    assert gates.wanted(True, (0, 14, 0), found) == {"PartialAdmission": True, "TASBalancedPlacement": True}
    assert gates.wanted(True, (0, 12, 3), {}) == {"TopologyAwareScheduling": True}


def test_elastic_jobs_with_topology_are_switched_off_too() -> None:
    """Kueue's manager ends if this gate is on and its parent is off, although its name does not start with TAS."""
    elastic = "ElasticJobsViaWorkloadSlicesWithTAS"
    found = {elastic: True, "ElasticJobsViaWorkloadSlices": True}
    off = gates.wanted(False, (0, 19, 2), found)
    assert off[elastic] is False and off["ElasticJobsViaWorkloadSlices"] is True
    assert gates.wanted(True, (0, 19, 2), found) == found
    assert elastic not in gates.wanted(False, (0, 14, 0), {}), "older releases end for an unknown gate"


@pytest.mark.parametrize(
    ("tag", "version"),
    [
        ("v0.18.6", (0, 18, 6)),
        ("0.19.2", (0, 19, 2)),
        ("v0.14.0-eksbuild.1", (0, 14, 0)),
        ("v1.3.0-eksbuild.1", (0, 12, 0)),
        ("v1.6.1-eksbuild.1", (0, 19, 2)),
        ("v1.6.1-eksbuild.2", (0, 19, 2)),
        ("v1.6.9-eksbuild.1", (0, 19, 2)),
        ("v1.7.0-eksbuild.1", None),
        ("v2.0.0-eksbuild.1", None),
        ("v1.1.3-eksbuild.1", None),
        ("main", None),
        ("", None),
    ],
)
def test_the_release_is_read_from_the_tag(tag: str, version: gates.Version | None) -> None:
    assert gates.version_of(tag) == version


MIXED = ("TASProfileMixed",)
REPLACEMENT = (
    "TASFailedNodeReplacement",
    "TASFailedNodeReplacementFailFast",
    "TASReplaceNodeOnPodTermination",
    "TASReplaceNodeOnNodeTaints",
)
OVERLAPPING, WITHIN = "TASHandleOverlappingFlavors", "TASRecomputeAssignmentWithinSchedulingCycle"
FIXED_TIME, LAYERS = "TASReplaceNodeDueToNotReadyOverFixedTime", "TASMultiLayerTopology"


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ((0, 14, 9), ()),
        ((0, 15, 0), MIXED),
        ((0, 16, 9), MIXED),
        ((0, 17, 0), (*MIXED, *REPLACEMENT)),
        ((0, 17, 9), (*MIXED, *REPLACEMENT)),
        ((0, 18, 0), (*MIXED, *REPLACEMENT, OVERLAPPING)),
        ((0, 18, 5), (*MIXED, *REPLACEMENT, OVERLAPPING)),
        ((0, 18, 6), (*MIXED, *REPLACEMENT, OVERLAPPING, FIXED_TIME, WITHIN)),
        ((0, 18, 99), (*MIXED, *REPLACEMENT, OVERLAPPING, FIXED_TIME, WITHIN)),
        ((0, 19, 0), (*MIXED, *REPLACEMENT, OVERLAPPING, LAYERS, WITHIN)),
        ((0, 19, 1), (*MIXED, *REPLACEMENT, OVERLAPPING, LAYERS, WITHIN)),
    ],
)
def test_gates_are_switched_off_with_their_parent(version: gates.Version, expected: tuple[str, ...]) -> None:
    assert gates.children(version) == expected


@pytest.mark.parametrize(
    ("version", "found", "on"),
    [
        ((0, 13, 9), {}, False),
        ((0, 14, 0), {}, True),
        ((0, 13, 9), {"TopologyAwareScheduling": True}, True),
        ((0, 19, 0), {"TopologyAwareScheduling": False}, False),
    ],
)
def test_the_default_of_the_gate_follows_from_the_release(version: gates.Version, found: dict[str, bool], on: bool) -> None:
    assert gates.is_on(version, found) is on
    assert ("TopologyAwareScheduling" in gates.wanted(True, version, {})) is (version < (0, 14, 0))
    assert gates.version_text(version) == ".".join(str(part) for part in version)
