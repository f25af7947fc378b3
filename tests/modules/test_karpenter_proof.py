# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""karpenter_proof without an API server: bad input, and checks that need only AWS."""

from __future__ import annotations

import pytest

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
GIVEN = {"cluster_arn": ARN, "node_pool": "gpus"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml' is not allowed."),
        ({"node_pool": "GPUs"}, "node_pool: 'GPUs' is not allowed. Allowed: the name of a NodePool"),
        ({"instance_type": "g5.8xlarge"}, "instance_type: 'g5.8xlarge' is not allowed. Allowed: an instance type"),
        ({"namespace": "a/b"}, "namespace: 'a/b' is not allowed."),
        ({"namespace": "hyperpod-ns-a"}, "namespace: 'hyperpod-ns-a' is not allowed: task governance manages the namespace"),
        ({"image": "pause 3"}, "image: 'pause 3' is not allowed."),
        ({"up_timeout": 0}, "up_timeout: 0 is not allowed. Allowed: 1 to 86400."),
        ({"down_timeout": 100000}, "down_timeout: 100000 is not allowed."),
        ({"poll_interval": 0}, "poll_interval: 0 is not allowed. Allowed: 1 to 300."),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, wrong, message):
    refused = simulator.run("karpenter_proof", **{**GIVEN, **wrong})
    assert refused["failed"] and message in refused["msg"] and not simulator.calls(), refused


def test_a_cluster_with_slurm(small_cluster):
    refused = small_cluster.run("karpenter_proof", **{**GIVEN, "cluster_arn": small_cluster.arn})
    assert refused["failed"] and "Cluster small uses Slurm" in refused["msg"] and refused["timeline"] == [], refused


@pytest.mark.parametrize("small_cluster", ["Eks"], indirect=True)
def test_without_the_autoscaler_kubernetes_is_not_called(small_cluster):
    refused = small_cluster.run("karpenter_proof", **{**GIVEN, "cluster_arn": small_cluster.arn})
    assert refused["failed"] and "The autoscaler of cluster small is not enabled, so no node would be added." in refused["msg"], refused
    assert small_cluster.changes() == []


def test_an_unknown_cluster(simulator):
    failed = simulator.run("karpenter_proof", **GIVEN)
    assert failed["failed"] and f"DescribeCluster for cluster {ARN} failed" in failed["msg"], failed
