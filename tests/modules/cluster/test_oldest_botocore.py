# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules with the oldest botocore of requirements.txt: they work, or name the missing API members before any change."""

from __future__ import annotations

import re
import sys
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import COMPLETE
from simulated import Simulated

ROOT = Path(__file__).resolve().parents[3]
DECLARED = Path(sys.prefix, "declared")
OLDEST = re.search(r"^botocore>=(\S+)", (ROOT / "requirements.txt").read_text(), re.M)[1]
NODE = "i-0123456789abcdef0"
ROLE = "arn:aws:iam::111111111111:role/hyperpod-nodes"
GROUP = {"name": "b", "instance_type": "ml.m5.large", "instance_count": 1, "execution_role": ROLE}


@pytest.fixture
def old(small_cluster) -> Simulated:
    found = Simulated(small_cluster.url, libraries=DECLARED)
    found.arn = small_cluster.arn
    return found


def test_supported_calls_work(old):
    read = old.run("cluster_node_info", cluster_arn=old.arn, addresses="none")
    assert len(read["nodes"]) == 2 and "botocore is too old to return DescribeCluster.InstanceGroups.SlurmConfig" in str(read["warnings"])
    for wanted in ("None", "Automatic"):
        done = old.run("cluster", name="small", node_recovery=wanted, wait_timeout=60, poll_interval=1)
        assert done["changed"] and old.changes() == ["UpdateCluster"], done
    assert old.run("cluster_lock", cluster_arn=old.arn, state="query")["holder"] is None


@pytest.mark.parametrize(
    ("module", "options", "lacking"),
    [
        ("cluster_nodes", {"state": "replaced", "node_ids": [NODE]}, "BatchReplaceClusterNodes"),
        ("cluster_nodes", {"state": "added", "instance_groups": [{"name": "a", "count": 1}]}, "BatchAddClusterNodes"),
        ("cluster_software", {"instance_groups": [{"name": "a"}]}, "DescribeCluster.InstanceGroups.SoftwareUpdateStatus"),
        ("cluster_event_info", {}, "ListClusterEvents"),
        ("cluster_operation_info", {}, "ListClusterOperations"),
        ("cluster_extension_info", {}, "ListClusterExtensions"),
        ("cluster_node_volume", {"node_id": NODE, "volume_id": "vol-0123456789abcdef0"}, "AttachClusterNodeVolume"),
    ],
)
def test_missing_api_members_are_named(old, module, options, lacking):
    assert_refused(old, old.run(module, cluster_arn=old.arn, **options), lacking)


def test_no_setting_of_a_cluster_is_dropped(old):
    new = {"vpc_config": {"subnets": ["subnet-1"], "security_group_ids": ["sg-1"]}, "instance_groups": [GROUP]}
    assert_refused(old, old.run("cluster", name="new", orchestrator={"slurm": {}}, **new), "CreateCluster.Orchestrator.Slurm")


def test_no_group_loses_unknown_settings(old):
    """An update sends the whole described group, and botocore drops unknown members from descriptions."""
    refused = old.run("cluster", name="small", instance_groups=[{"name": "a", "instance_count": 3}])
    assert_refused(old, refused, r"UpdateCluster.InstanceGroups[.\w]+, so a change of group a would remove this setting")


def assert_refused(old: Simulated, done: dict[str, t.Any], lacking: str) -> None:
    assert done.get("failed") and old.changes() == [], done
    assert re.fullmatch(rf"botocore {OLDEST} does not support {lacking}\. Install botocore {COMPLETE} or newer\.", done["msg"]), done["msg"]
