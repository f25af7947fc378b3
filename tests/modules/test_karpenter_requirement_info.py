# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""karpenter_requirement_info where there is no API server: what it refuses, and what it says without one."""

from __future__ import annotations

import pytest
from simulated.shape import reads

GIVEN = {"node_class": "gpus", "instance_groups": ["a"]}
ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml' is not allowed."),
        ({"node_class": "GPUs"}, "node_class: 'GPUs' is not allowed. Allowed: a Kubernetes name"),
        ({"node_class": ""}, "node_class: '' is not allowed."),
        ({"instance_groups": []}, "instance_groups: missing; name at least one."),
        ({"instance_groups": ["a_b"]}, "instance_groups: 'a_b' is not allowed. Allowed: names of instance groups"),
        ({"instance_groups": ["a", "b", "a"]}, "instance_groups: 'a'"),
        ({"keda_triggers": [{"authenticated": True}]}, "missing required arguments: type found in keda_triggers"),
    ],
)
def test_refused_before_anybody_is_asked(simulator, wrong, said):
    refused = simulator.run("karpenter_requirement_info", **{"cluster_arn": ARN, **GIVEN, **wrong})
    assert refused["failed"] and said in refused["msg"] and not simulator.calls(), refused


def test_a_cluster_with_slurm(small_cluster):
    found = reads(small_cluster, "karpenter_requirement_info", cluster_arn=small_cluster.arn, **GIVEN)
    assert not found["met"] and [each["name"] for each in found["requirements"] if each["met"] is False] == ["orchestrator"]


@pytest.mark.parametrize("small_cluster", ["Eks"], indirect=True)
def test_without_an_answer_of_the_api_server_nothing_is_judged(small_cluster):
    failed = small_cluster.run("karpenter_requirement_info", cluster_arn=small_cluster.arn, **GIVEN)
    assert failed["failed"] and "DescribeCluster for EKS cluster one failed" in failed["msg"], failed


def test_a_cluster_that_is_not_there(simulator):
    failed = simulator.run("karpenter_requirement_info", cluster_arn=ARN, **GIVEN)
    assert failed["failed"] and f"DescribeCluster for cluster {ARN} failed" in failed["msg"], failed
