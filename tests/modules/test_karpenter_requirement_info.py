# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""karpenter_requirement_info without an API server: bad input and error messages."""

from __future__ import annotations

import pytest
from simulated.shape import reads

GIVEN = {"node_class": "gpus", "instance_groups": ["a"]}
ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml' is not allowed."),
        ({"node_class": "GPUs"}, "node_class: 'GPUs' is not allowed. Allowed: a Kubernetes name"),
        ({"node_class": ""}, "node_class: '' is not allowed."),
        ({"instance_groups": []}, "instance_groups: missing; list at least one group."),
        ({"instance_groups": ["a_b"]}, "instance_groups: 'a_b' is not allowed. Allowed: the name of an instance group: "),
        ({"instance_groups": ["a", "b", "a"]}, "instance_groups: 'a'"),
        ({"keda_triggers": [{"authenticated": True}]}, "missing required arguments: type found in keda_triggers"),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, wrong, message):
    refused = simulator.run("karpenter_requirement_info", **{"cluster_arn": ARN, **GIVEN, **wrong})
    assert refused["failed"] and message in refused["msg"] and not simulator.calls(), refused


def test_a_cluster_with_slurm(small_cluster):
    found = reads(small_cluster, "karpenter_requirement_info", cluster_arn=small_cluster.arn, **GIVEN)
    assert not found["met"] and [each["name"] for each in found["requirements"] if each["met"] is False] == ["orchestrator"]


@pytest.mark.parametrize("small_cluster", ["Eks"], indirect=True)
def test_without_a_reply_of_the_api_server_no_requirement_is_judged(small_cluster):
    failed = small_cluster.run("karpenter_requirement_info", cluster_arn=small_cluster.arn, **GIVEN)
    assert failed["failed"] and "DescribeCluster for EKS cluster one failed" in failed["msg"], failed


def test_an_unknown_cluster(simulator):
    failed = simulator.run("karpenter_requirement_info", cluster_arn=ARN, **GIVEN)
    assert failed["failed"] and f"DescribeCluster for cluster {ARN} failed" in failed["msg"], failed
