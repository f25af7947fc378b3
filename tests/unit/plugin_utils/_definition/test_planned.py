# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that a plan adds."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.planned import Nodes, Planned, planned

DEFINITION: dict[str, t.Any] = {
    "instance_groups": [
        {"name": "head", "instance_type": "ml.m5.large", "instance_count": 1},
        {
            "name": "spot",
            "instance_requirements": {"instance_types": ["ml.p5.48xlarge", "ml.p4d.24xlarge"]},
            "instance_count": 4,
            "capacity_requirements": {"spot": {}},
            "instance_storage_configs": [{"fsx_lustre_config": {}}, {"ebs_volume_config": {"volume_size_in_gb": 500}}],
        },
    ],
    "restricted_instance_groups": [{"name": "nova", "instance_type": "ml.p5.48xlarge", "instance_count": 2}],
}


def change(action: str, resource: str, **more: t.Any) -> dict[str, t.Any]:
    return {"action": action, "resource": resource, "field": None, "before": None, "after": None, **more}


def test_a_new_cluster_adds_all_its_nodes() -> None:
    found = planned([change("create", "cluster ml")], DEFINITION)
    assert found == Planned(
        (Nodes("ml.m5.large", 1), Nodes("ml.p5.48xlarge", 4, spot=True), Nodes("ml.p5.48xlarge", 2)), 7, 500
    )
    assert found.by_type() == {"ml.m5.large": 1, "ml.p5.48xlarge": 6}


def test_a_new_group_adds_its_nodes() -> None:
    assert planned([change("create", "cluster ml group spot")], DEFINITION).nodes == (Nodes("ml.p5.48xlarge", 4, spot=True),)


def test_a_group_that_grows_adds_the_difference() -> None:
    grows = change("update", "cluster ml group nova", field="instance_count", before=1, after=2)
    assert planned([grows], DEFINITION).nodes == (Nodes("ml.p5.48xlarge", 1),)


def test_other_changes_add_no_nodes() -> None:
    changes = [
        change("update", "cluster ml group nova", field="instance_count", before=3, after=2),
        change("delete", "cluster ml group old"),
        change("update", "cluster ml", field="node_recovery", before="None", after="Automatic"),
        change("update", "cluster ml group head", field="instance_type", before="ml.m5.large", after="ml.m5.xlarge"),
    ]
    assert planned(changes, DEFINITION) == Planned()
