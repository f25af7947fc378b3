# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that run their Pods have the accelerators of their instance type."""

from __future__ import annotations

import pytest
from lab.kubernetes.kubelets import Machine
from lab.pods.nodes import TYPE, UNPUBLISHED, story_of


@pytest.mark.parametrize(
    ("instance_type", "gpus", "efa", "all_reduce"),
    [("ml.g5.8xlarge", 1, 0, UNPUBLISHED), ("g5.4xlarge", 1, 0, UNPUBLISHED), ("p5.48xlarge", 8, 32, (475.0, 466.0))],
)
def test_healthy_accelerators_of_the_type(instance_type: str, gpus: int, efa: int, all_reduce: tuple[float, float]) -> None:
    story = story_of(Machine("a", {TYPE: instance_type}))
    assert story is not None and (len(story.gpus), len(story.efa), story.all_reduce) == (gpus, efa, all_reduce)


@pytest.mark.parametrize("labels", [{}, {TYPE: "ml.m5.xlarge"}, {TYPE: "ml.trn1.32xlarge"}, {TYPE: "g9.large"}])
def test_other_nodes_have_none(labels: dict[str, str]) -> None:
    assert story_of(Machine("a", labels)) is None
