# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_node_network_interface against the simulated API."""

from __future__ import annotations

import pytest
from simulated.shape import changes_once


@pytest.fixture
def wanted(small_cluster, network):
    ec2, sagemaker = small_cluster.client("ec2"), small_cluster.client("sagemaker")
    tags = [{"ResourceType": "network-interface", "Tags": [{"Key": "mlfleet.hyperpod/cluster", "Value": small_cluster.arn}]}]
    interface = ec2.create_network_interface(SubnetId=network["subnets"][0], TagSpecifications=tags)["NetworkInterface"]
    made = interface["NetworkInterfaceId"]
    nodes = sorted(each["InstanceId"] for each in sagemaker.list_cluster_nodes(ClusterName="small")["ClusterNodeSummaries"])
    yield {"cluster_arn": small_cluster.arn, "node_id": nodes[0], "network_interface_id": made}, nodes[1]
    for each in ec2.describe_network_interfaces(NetworkInterfaceIds=[made])["NetworkInterfaces"]:
        if "Attachment" in each:
            ec2.detach_network_interface(AttachmentId=each["Attachment"]["AttachmentId"])
    ec2.delete_network_interface(NetworkInterfaceId=made)


def test_attached_once(small_cluster, wanted):
    options, other = wanted
    done = changes_once(small_cluster, "cluster_node_network_interface", **options)
    assert done["network_interface"]["node_id"] == options["node_id"]
    refused = small_cluster.run("cluster_node_network_interface", **{**options, "node_id": other})
    assert f"it is attached to {options['node_id']}" in refused["msg"] and not refused["mutating"]


def test_a_lost_reply_is_no_failure(small_cluster, wanted, faults):
    options, _other = wanted
    faults(kind="cut_after", operation="AttachClusterNodeNetworkInterface", times=1)
    done = small_cluster.run("cluster_node_network_interface", **options)
    assert not done.get("failed") and done["changed"], done
    assert [rule["fired"] for rule in small_cluster.control("faults")] == [1]


def test_bad_input_is_refused_before_any_call(small_cluster, wanted):
    given, _other = wanted
    for wrong, named in (
        ({"node_id": "i-0123456789abcdef0"}, "node_id: 'i-0123456789abcdef0' is not allowed: the cluster has no such node"),
        ({"node_id": "a-1"}, "node_id: 'a-1'"),
        ({"network_interface_id": "eth0"}, "network_interface_id: 'eth0'"),
        ({"network_interface_id": "eni-0123456789abcdef0"}, "DescribeNetworkInterfaces for network interface eni-0123456789abcdef0 failed"),
    ):
        refused = small_cluster.run("cluster_node_network_interface", **{**given, **wrong})
        assert refused["failed"] and named in refused["msg"] and not refused["mutating"], refused
