# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The announcement of a removal."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.hyperpod_cluster import removal

from .conftest import VARIABLES, texts

HOSTVARS = {
    "ml": {"hyperpod_cluster_arn": "arn:ml", "hyperpod_cluster_group": "cluster_ml"},
    "other": {"hyperpod_cluster_arn": "arn:other", "hyperpod_cluster_group": "cluster_other"},
    "ml-i-1": {"ansible_python_interpreter": "/usr/bin/python3"},
    "other-i-1": {},
}
GROUP_NAMES = {
    "hyperpod_clusters": ["other", "ml"],
    "node_type_controller": ["other-i-1", "ml-i-1"],
    "cluster_ml": ["ml", "ml-i-1"],
    "cluster_other": ["other", "other-i-1"],
}
GROUPS = {
    "head": {"nodes": 1, "node_ids": ["i-1"], "volumes": []},
    "work": {"nodes": 2, "node_ids": [], "volumes": [{"volume_size_in_gb": 500}, {"volume_kms_key_id": "key"}]},
}
GONE = {"action": "delete", "resource": "cluster ml", "field": None, "before": {"groups": GROUPS}, "after": None}


def removed(*changes: dict[str, t.Any], arn: str = "arn:ml", jobs: t.Any = None) -> dict[str, t.Any]:
    removal = {"changes": list(changes)}
    more = {"hostvars": HOSTVARS, "groups": GROUP_NAMES, "__hyperpod_cluster_removal": removal, "__hyperpod_cluster_jobs": jobs}
    return {**VARIABLES, "hyperpod_cluster_remove": arn, **more}


def test_only_a_controller_of_the_cluster_is_queried_for_jobs() -> None:
    found = removal.removal(removed(GONE))
    assert (found.controller, found.python) == ("ml-i-1", "/usr/bin/python3")
    assert removal.removal(removed(GONE, arn="arn:other")).controller == "other-i-1"
    for none in (removed(GONE, arn="arn:third"), removed()):
        assert removal.removal(none).controller == ""


@pytest.mark.parametrize(
    ("jobs", "words"),
    [
        (None, "Running jobs: unknown, because no controller node in the inventory listed them."),
        ({"unreachable": True}, "Running jobs: unknown, because no controller node in the inventory listed them."),
        ({"slurm_nodes": {"jobs": []}}, "Running jobs: none."),
        (
            {"slurm_nodes": {"jobs": [{"id": "7", "user": "alice"}, {"id": "9", "user": "bob"}]}},
            "Running jobs: 7 of alice, 9 of bob.",
        ),
    ],
)
def test_everything_removed_with_a_cluster_is_reported(jobs: t.Any, words: str) -> None:
    (text,) = texts(removal.lost(removed(GONE, jobs=jobs)))
    assert text == (
        "Deleting cluster ml deletes its nodes and the data on their disks: head 1 (i-1), work 2. "
        f"Volumes: 500 GB on each node of work. {words}"
    )
    assert removal.lost(removed()) == []
