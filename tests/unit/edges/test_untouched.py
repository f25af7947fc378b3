# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on clusters that a run does not concern."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulated.limits import cluster, inventory, playbook


def test_a_cluster_without_the_nodes_to_drain_is_skipped(tmp_path: Path) -> None:
    both = inventory({**cluster("ml"), **cluster("other")})
    done = playbook(tmp_path, "drain", "-e", "drain_nodes=i-ml1", source=both)
    assert done.clusters is not None, done.output
    assert {key: each["status"] for key, each in done.clusters.items()} == {"ml": "failed", "other": "skipped"}
    assert done.clusters["other"]["notes"] == ["drain_nodes selects nothing in this cluster, so the cluster was skipped."]


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("offboard", ("--tags", "people", "-e", "offboard_name=mallory"), "--tags people selects no task of this playbook, so nothing"),
        ("login_access", ("--skip-tags", "people"), "--tags all --skip-tags people selects no task of this playbook, so nothing"),
        (
            "undrain",
            ("--tags", "people", "-e", "undrain_nodes=i-ml1"),
            "--tags: people is not allowed: this playbook works on a cluster as a whole. Allowed: no tags.",
        ),
    ],
)
def test_tags_that_skip_the_requested_task_fail(tmp_path: Path, name: str, arguments: tuple[str, ...], sentence: str) -> None:
    done = playbook(tmp_path, name, *arguments, source=inventory(cluster("ml")))
    assert done.rc == 2 and not done.called_aws and done.clusters is not None, done.output
    assert done.clusters["ml"]["status"] == "failed" and sentence in str(done.clusters["ml"]["failures"]), done.clusters
