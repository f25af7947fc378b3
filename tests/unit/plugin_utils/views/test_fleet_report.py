# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clusters of the inventory."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.fleet_report import inventory


def variables(**more: t.Any) -> dict[str, t.Any]:
    clusters = {
        key: {
            **{f"hyperpod_{name}": f"{key}-{name}" for name in ("cluster_arn", "account_id", "region", "orchestrator")},
            "hyperpod_cluster_group": f"cluster_{key}",
        }
        for key in ("ml", "other")
    }
    nodes = {f"ml-i-{number}": {"hyperpod_status": status} for number, status in enumerate(("Running", "Running", ""))}
    groups = {"hyperpod_clusters": ["ml", "other"], "cluster_ml": ["ml", *nodes], "cluster_other": ["other"]}
    options = {"fleet_report_json": "a.json", "fleet_report_html": "", "hyperpod_state_dir": "/state"}
    return {"hostvars": {**clusters, **nodes}, "groups": groups, "ansible_play_hosts_all": ["ml"], **options, **more}


def test_the_inventory_is_the_reading_of_aws() -> None:
    found = inventory(variables(hyperpod_inventory_failures=["x"]))
    nodes = {"Running": 2, "unknown": 1}
    about = {"arn": "ml-cluster_arn", "account": "ml-account_id", "region": "ml-region", "orchestrator": "ml-orchestrator"}
    assert found.clusters == [{"key": "ml", **about, "nodes": nodes}]
    assert (found.known, found.not_read, found.files) == (["ml", "other"], ["x"], {"json": "/state/a.json"})
