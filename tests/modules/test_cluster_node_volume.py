# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_node_volume against the simulated API."""

from __future__ import annotations

import pytest
from lab.aws import permissions
from modules.fixtures.small_cluster import QUICK
from simulated.shape import one_shape, reads

CALLER = "arn:aws:sts::111111111111:assumed-role/lab/lab"


@pytest.fixture
def wanted(small_cluster):
    ec2, sagemaker = small_cluster.client("ec2"), small_cluster.client("sagemaker")
    tags = [{"ResourceType": "volume", "Tags": [{"Key": "mlfleet.hyperpod/cluster", "Value": small_cluster.arn}]}]
    volume = ec2.create_volume(AvailabilityZone="us-west-2a", Size=1, TagSpecifications=tags)["VolumeId"]
    listed = sagemaker.list_cluster_nodes(ClusterName="small")["ClusterNodeSummaries"]
    nodes = sorted(each["InstanceId"] for each in listed)
    return {"cluster_arn": small_cluster.arn, "node_id": nodes[0], "volume_id": volume, **QUICK}, nodes[1]


eks = pytest.mark.parametrize("small_cluster", ["Eks"], indirect=True)


@eks
def test_attached_and_detached(small_cluster, wanted):
    options, _other = wanted
    made, removed = one_shape(
        small_cluster, "cluster_node_volume", present=options, absent={**options, "state": "absent"}, unforeseen=["volume.device"]
    )
    assert made["volume"] == {"volume_id": options["volume_id"], "status": "in-use", "attached": True, "device": "/dev/sdf"}
    assert removed["volume"]["status"] == "available"


@eks
def test_a_volume_of_another_node_is_not_detached(small_cluster, wanted):
    options, other = wanted
    assert small_cluster.run("cluster_node_volume", **options)["changed"]
    refused = small_cluster.run("cluster_node_volume", **{**options, "node_id": other})
    assert f"it is attached to {options['node_id']}" in refused["msg"] and not refused["mutating"]
    reads(small_cluster, "cluster_node_volume", **{**options, "node_id": other, "state": "absent"})


@eks
@pytest.mark.parametrize("action", ["ec2:AttachVolume", "eks:DescribeCluster"])
def test_a_missing_dependent_permission_is_named(small_cluster, wanted, policies, action):
    options, _other = wanted
    policies(permissions.without("clusters", action))
    refused = small_cluster.run("cluster_node_volume", **options)
    assert refused["failed"] and f"AttachClusterNodeVolume operation: User: {CALLER} is not authorized to perform: {action} on" in refused["msg"]


@eks
def test_a_volume_without_our_tag_is_denied(small_cluster, wanted):
    options, _other = wanted
    foreign = small_cluster.client("ec2").create_volume(AvailabilityZone="us-west-2a", Size=1)["VolumeId"]
    refused = small_cluster.run("cluster_node_volume", **{**options, "volume_id": foreign})
    assert f"is not authorized to perform: ec2:AttachVolume on resource: arn:aws:ec2:us-west-2:111111111111:volume/{foreign}" in refused["msg"]


@eks
def test_lost_replies_are_no_failure(small_cluster, wanted, faults):
    options, _other = wanted
    for operation in ("AttachClusterNodeVolume", "DetachClusterNodeVolume"):
        faults(kind="cut_after", operation=operation, times=1)
    for state in ("present", "absent"):
        done = small_cluster.run("cluster_node_volume", **options, state=state)
        assert not done.get("failed") and done["changed"], done
    assert [rule["fired"] for rule in small_cluster.control("faults")] == [1, 1]


@eks
def test_bad_input_is_refused_before_any_call(small_cluster, wanted):
    given, _other = wanted
    for wrong, named in (
        ({"node_id": "i-0123456789abcdef0"}, "node_id: 'i-0123456789abcdef0' is not allowed: the cluster has no such node"),
        ({"node_id": "a-1"}, "node_id: 'a-1'"),
        ({"volume_id": "data"}, "volume_id: 'data'"),
        ({"volume_id": "vol-0123456789abcdef0"}, "DescribeVolumes for volume vol-0123456789abcdef0 failed"),
    ):
        refused = small_cluster.run("cluster_node_volume", **{**given, **wrong})
        assert refused["failed"] and named in refused["msg"] and not refused["mutating"], refused


def test_nodes_with_slurm_are_refused(small_cluster, wanted):
    options, _other = wanted
    refused = small_cluster.run("cluster_node_volume", **options)
    assert "Allowed: a cluster with EKS" in refused["msg"] and not refused["mutating"]
