# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_version_info against the simulated API."""

from __future__ import annotations

import typing as t

from simulated.shape import reads


def test_versions_are_sorted_and_have_their_support(simulator: t.Any) -> None:
    found = reads(simulator, "eks_version_info")["eks_versions"]
    listed = simulator.client("eks").describe_cluster_versions(includeAll=True)["clusterVersions"]
    assert sorted(each["version"] for each in found) == sorted(each["clusterVersion"] for each in listed)
    minors = [int(each["version"].partition(".")[2]) for each in found]
    assert minors == sorted(minors)
    assert [each["version"] for each in found if each["default"]] == [each["clusterVersion"] for each in listed if each["defaultVersion"]]
    by_status = {each["status"]: each for each in found}
    assert {"standard", "extended"} <= by_status.keys()
    assert by_status["extended"]["end_of_standard_support"] < by_status["standard"]["end_of_standard_support"]


def test_versions_are_read_from_all_pages(simulator: t.Any) -> None:
    everything = reads(simulator, "eks_version_info")
    before = simulator.control("settings")["page_size"]
    simulator.control("settings", {"page_size": 1})
    try:
        assert reads(simulator, "eks_version_info") == everything
    finally:
        simulator.control("settings", {"page_size": before})
