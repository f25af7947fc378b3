# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_scheduler_config_info against the simulated API."""

from __future__ import annotations

import pytest
from modules.fixtures.small_cluster import QUICK
from simulated.shape import reads

pytestmark = pytest.mark.slow

CLASSES = [{"name": "training", "weight": 80}]


def test_configurations_and_deleted_ones_are_listed(governed):
    wanted = {"cluster_arn": governed.arn, "name": "fair", **QUICK}
    governed.run("cluster_scheduler_config", **wanted, priority_classes=CLASSES)
    options = {"cluster_arn": governed.arn, "status": "Created"}
    (found,) = reads(governed, "cluster_scheduler_config_info", **options)["cluster_scheduler_configs"]
    assert (found["name"], found["version"]) == ("fair", 1) and "priority_classes" not in found
    (found,) = reads(governed, "cluster_scheduler_config_info", **options, details=True)["cluster_scheduler_configs"]
    assert (found["priority_classes"], found["fair_share"]) == (CLASSES, "Enabled")
    governed.run("cluster_scheduler_config", **wanted, priority_classes=[])
    (found,) = reads(governed, "cluster_scheduler_config_info", cluster_arn=governed.arn, name="fair", version=1)["cluster_scheduler_configs"]
    assert (found["version"], found["priority_classes"]) == (1, CLASSES)
    options["status"] = "Updated"
    governed.run("cluster_scheduler_config", **wanted, state="absent")
    assert reads(governed, "cluster_scheduler_config_info", **options)["cluster_scheduler_configs"] == []
    listed = reads(governed, "cluster_scheduler_config_info", cluster_arn=governed.arn)["cluster_scheduler_configs"]
    assert {each["status"] for each in listed} == {"Deleted"}
