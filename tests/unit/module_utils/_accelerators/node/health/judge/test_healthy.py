# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Healthy nodes of all types, with all layouts of driver output."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.accelerators.story import healthy
from lab.accelerators.types import TYPES

from .nodes import Node, verdicts


@pytest.mark.parametrize("instance_type", TYPES)
def test_a_healthy_node_is_fit(instance_type: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), healthy(instance_type)
    for _turn in range(2):
        health = node.judge(story, seconds=20)
        assert (health.verdict, verdicts(health)) == (("unknown" if instance_type == "ml.m5.xlarge" else "fit"), []), health
        story.uptime += 3600
