# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What HyperPod needs of an EKS cluster, by what EKS returns."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.model import (
    Chart,
    Eks,
    EksRequirement,
    State,
)


def of_version(version: str, *types: str) -> dict[str, EksRequirement]:
    eks = Eks("ml", "ACTIVE", version, "API", "vpc-1", "v1.21.2-eksbuild.1")
    return {each.name: each for each in judge(State(eks, Chart(True, "1.0")), [], dict.fromkeys(types, 1))}


@pytest.mark.parametrize(("version", "met"), [("1.29", False), ("1.30", True), ("1.35", True), ("1.36", None), ("1.37", None), ("", None)])
def test_a_version_that_no_list_names_is_unknown(version: str, met: bool | None) -> None:
    assert of_version(version)["version"].met is met


@pytest.mark.parametrize(("status", "met"), [("ACTIVE", True), ("UPDATING", False), ("FAILED", False), ("SPLENDID", None)])
def test_a_status_that_no_table_names_is_unknown(status: str, met: bool | None) -> None:
    eks = Eks("ml", status, "1.34", "API", "vpc-1", None)
    (found,) = [each for each in judge(State(eks, Chart(True, "1.0")), [], {}) if each.name == "status"]
    assert found.met is met


@pytest.mark.parametrize(("version", "date"), [("1.30", "2026-07-23"), ("1.31", "2026-11-26"), ("1.32", "")])
def test_the_end_of_support_by_eks_is_named_beside_the_version(version: str, date: str) -> None:
    note = of_version(version)["version"].note
    assert bool(note) == bool(date) and date in note


@pytest.mark.parametrize(("instance_type", "noted"), [("ml.g7.2xlarge", True), ("ml.g7e.2xlarge", False), ("ml.p5.48xlarge", False)])
def test_types_without_hyperpods_agent_are_named_beside_the_chart(instance_type: str, noted: bool) -> None:
    assert (instance_type in of_version("1.34", instance_type)["HyperPod's Helm chart"].note) == noted
