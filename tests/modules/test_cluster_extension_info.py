# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_extension_info against the simulated API."""

from __future__ import annotations

from modules.fixtures.small_cluster import QUICK
from simulated.shape import reads

NAME = "sagemaker-observability"


def test_extensions_are_read_with_their_health(small_cluster):
    made = small_cluster.run("cluster_extension", cluster_arn=small_cluster.arn, name=NAME, version="1.0.0", **QUICK)
    assert made["changed"], made
    (found,) = reads(small_cluster, "cluster_extension_info", cluster_arn=small_cluster.arn, details=True)["extensions"]
    assert (found["extension_name"], found["extension_version"], found["status"]) == (NAME, "1.0.0", "Active")
    assert found["extension"]["node_summary"] == {"total_count": 2, "active_count": 2}
    after = {"creation_time_after": "2030-01-01T00:00:00Z"}
    assert reads(small_cluster, "cluster_extension_info", cluster_arn=small_cluster.arn, **after)["extensions"] == []
