# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""karpenter_info without an API server: bad input and error messages."""

from __future__ import annotations

import pytest

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml' is not allowed."),
        ({"wait_for": "soon"}, "value of wait_for must be one of: none, ready, gone, got: soon"),
        ({"node_pools": ["GPUs"]}, "node_pools: 'GPUs' is not allowed. Allowed: a Kubernetes name: "),
        ({"node_pools": ["a", ""]}, "node_pools: '' is not allowed."),
        ({"node_pools": ["a", "b", "a"]}, "node_pools: 'a'"),
        ({"node_classes": ["-a"]}, "node_classes: '-a' is not allowed. Allowed: a Kubernetes name: "),
        ({"node_classes": ["a" * 254]}, "node_classes: 'aaa"),
        ({"wait_timeout": 0}, "wait_timeout: 0 is not allowed."),
        ({"poll_interval": 301}, "poll_interval: 301 is not allowed."),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, wrong, message):
    refused = simulator.run("karpenter_info", **{"cluster_arn": ARN, **wrong})
    assert refused["failed"] and message in refused["msg"] and not simulator.calls(), refused


def test_a_cluster_with_slurm(small_cluster):
    refused = small_cluster.run("karpenter_info", cluster_arn=small_cluster.arn)
    assert refused["failed"] and "this cluster uses Slurm. Allowed: a cluster with EKS." in refused["msg"], refused


@pytest.mark.parametrize("small_cluster", ["Eks"], indirect=True)
def test_without_an_api_server(small_cluster):
    failed = small_cluster.run("karpenter_info", cluster_arn=small_cluster.arn)
    assert failed["failed"] and "DescribeCluster for EKS cluster one failed" in failed["msg"], failed


def test_an_unknown_cluster(simulator):
    failed = simulator.run("karpenter_info", cluster_arn=ARN)
    assert failed["failed"] and f"DescribeCluster for cluster {ARN} failed" in failed["msg"], failed
