# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the report says of a cluster that the run was not about."""

from __future__ import annotations

from pathlib import Path

from simulated.limits import cluster, inventory, playbook


def test_a_cluster_without_the_nodes_to_drain_is_not_unchanged(tmp_path: Path) -> None:
    both = inventory({**cluster("ml"), **cluster("other")})
    done = playbook(tmp_path, "drain", "-e", "drain_nodes=i-ml1", source=both)
    assert done.clusters is not None, done.output
    assert {key: each["status"] for key, each in done.clusters.items()} == {"ml": "failed", "other": "skipped"}
    assert done.clusters["other"]["notes"] == ["nothing was looked at"]
