#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_info
version_added: 0.1.0
short_description: List SageMaker HyperPod clusters
description:
  - Returns one cluster or all clusters of a Region, with their instance groups, network and tags.
  - If O(cluster_arn) or O(expected_account) is set, the module compares the caller's account with this account before any other
    call. Use this module first in a play to avoid changes in the wrong account.
  - M(mlfleet.hyperpod.cluster_node_info) returns the nodes.
options:
  cluster_name:
    description:
      - Name of the cluster. Use this option to find the ARN of the cluster, which all other modules require.
      - If neither O(cluster_name) nor O(cluster_arn) is set, all clusters of the Region are returned.
    type: str
  cluster_arn:
    description:
      - ARN of the cluster. The caller's account and Region must match the ARN.
      - Mutually exclusive with O(cluster_name).
    type: str
  expected_account:
    description:
      - ID of the account to which the credentials must belong.
      - If O(cluster_arn) is also set, the account in the ARN must be the same account.
    type: str
  node_types:
    description:
      - Node types of instance groups, by the name of the group. Use this option for clusters for which the API does not return
        node types.
      - The values are V(controller), V(login) and V(compute). A type that the API returns takes precedence.
    type: dict
    default: {}
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListTags), C(sagemaker:ListClusters) without O(cluster_name) and
    O(cluster_arn), and C(sts:GetCallerIdentity), which needs no permission.'
seealso:
  - module: mlfleet.hyperpod.cluster_node_info
  - name: DescribeCluster
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeCluster.html
"""

EXAMPLES = r"""
- name: Read a cluster, and fail if the credentials belong to a different account
  mlfleet.hyperpod.cluster_info:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2

- name: Read all clusters of a Region
  mlfleet.hyperpod.cluster_info:
    region: us-west-2
    expected_account: "111111111111"

- name: Read a cluster that was created before the API returned node types
  mlfleet.hyperpod.cluster_info:
    cluster_name: ml
    region: us-west-2
    node_types:
      controller-machine: controller
      login-nodes: login
"""

RETURN = r"""
account:
  description: Account of the caller.
  returned: if O(cluster_arn) or O(expected_account) is set
  type: str
  sample: "111111111111"
cluster:
  description: The requested cluster, in the format of RV(clusters). Null if it does not exist.
  returned: if O(cluster_name) or O(cluster_arn) is set
  type: dict
  sample:
    name: ml
    arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    id: abc123def456
    status: InService
clusters:
  description: The clusters.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the cluster.
      type: str
      sample: ml
    arn:
      description: ARN of the cluster.
      type: str
      sample: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    id:
      description: Last part of the ARN. SSM targets and the parameters of this collection contain it.
      type: str
      sample: abc123def456
    account:
      description: Account of the cluster.
      type: str
      sample: "111111111111"
    region:
      description: Region of the cluster.
      type: str
      sample: us-west-2
    partition:
      description: AWS partition of the cluster.
      type: str
      sample: aws
    status:
      description: Status of the cluster, as AWS returns it.
      type: str
      sample: InService
    in_service:
      description: Whether the status is C(InService). Nodes can be missing even if this is true.
      type: bool
      sample: true
    at_target_size:
      description: Whether the cluster is in service and no group is growing, shrinking or otherwise busy.
      type: bool
      sample: true
    failure_message:
      description: Why the cluster failed. Empty if it did not fail.
      type: str
      sample: ""
    node_provisioning_mode:
      description: V(Continuous), or an empty string.
      type: str
      sample: Continuous
    node_recovery:
      description: V(Automatic), or V(None) if HyperPod does not repair nodes automatically. Empty if the API does not return it.
      type: str
      sample: Automatic
    orchestrator:
      description: V(slurm) or V(eks).
      type: str
      sample: slurm
    eks_cluster_arn:
      description: ARN of the EKS cluster, or an empty string.
      type: str
      sample: ""
    subnets:
      description: Subnets of the cluster. Empty if the cluster is not in a VPC of the customer.
      type: list
      elements: str
      sample: [subnet-0123456789abcdef0]
    security_groups:
      description: Security groups of the cluster.
      type: list
      elements: str
      sample: [sg-0123456789abcdef0]
    tags:
      description: Tags of the cluster.
      type: dict
      sample: {team: research}
    groups:
      description: Instance groups.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the group.
          type: str
          sample: login-group
        node_type:
          description: V(controller), V(login), V(compute), or null if neither the API nor O(node_types) gives the type.
          type: str
          sample: login
        current:
          description: Current number of nodes.
          type: int
          sample: 3
        target:
          description: Requested number of nodes.
          type: int
          sample: 3
        active_operations:
          description: Number of operations in progress on the group.
          type: int
          sample: 0
        at_target_size:
          description: Whether the group has its requested number of nodes and no operation is in progress.
          type: bool
          sample: true
        training_plan_arn:
          description: ARN of the training plan that provides the group's instances, or an empty string.
          type: str
          sample: ""
        instance_type:
          description: Instance type. Empty for a group with several instance types.
          type: str
          sample: ml.m5.xlarge
        instance_types:
          description: All instance types that nodes of the group may have.
          type: list
          elements: str
          sample: [ml.m5.xlarge]
        mig_config:
          description:
            - Value of the label C(nvidia.com/mig.config) of the nodes, which selects how MIG partitions their GPUs.
            - Empty if the group does not have this label.
          type: str
          sample: all-1g.10gb
        threads_per_core:
          description: Threads for each core of the nodes. Null if AWS does not return the number.
          type: int
          sample: 1
        image_id:
          description: ID of the image of the instances. Empty if AWS does not return the ID.
          type: str
          sample: ami-0123456789abcdef0
        image_release_version:
          description: Release of the HyperPod image of the instances. Empty if AWS does not return the release.
          type: str
          sample: 1.0.1
        execution_role:
          description: ARN of the IAM role of the instances.
          type: str
          sample: arn:aws:iam::111111111111:role/hyperpod-nodes
        status:
          description: Status of the group, as AWS returns it. Empty if AWS returns no status.
          type: str
          sample: InService
        subnets:
          description: Subnets of the group. Null if the group uses the subnets of the cluster.
          type: list
          elements: str
          sample: null
        security_groups:
          description: Security groups of the group. Null if the group uses the security groups of the cluster.
          type: list
          elements: str
          sample: null
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_account, check_region
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod, connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, check_node_types

SPEC = {
    "cluster_name": {"type": "str"},
    "cluster_arn": {"type": "str"},
    "expected_account": {"type": "str"},
    "node_types": {"type": "dict", "default": {}},
}
SETTINGS = {"argument_spec": SPEC, "mutually_exclusive": [("cluster_name", "cluster_arn")]}


def read(module: t.Any) -> dict[str, t.Any]:
    params = module.params
    node_types = check_node_types(params["node_types"])
    result: dict[str, t.Any] = {}
    if params["cluster_arn"]:
        check_region(ClusterArn.parse(params["cluster_arn"]), module.region)
    for expected in filter(None, (params["cluster_arn"], params["expected_account"])):
        result["account"] = check_account(connect(module, "sts"), expected, profile=params["profile"])
    api = connect_hyperpod(module)
    wanted = params["cluster_arn"] or params["cluster_name"]
    found = [api.describe(name, node_types=node_types) for name in ([wanted] if wanted else api.cluster_arns())]
    result["clusters"] = [to_result(api, cluster) for cluster in found if cluster is not None]
    if wanted:
        result["cluster"] = next(iter(result["clusters"]), None)
    for sentence in api.unknown_fields():
        module.warn(sentence)
    return result


def to_result(api: HyperPod, cluster: Cluster) -> dict[str, t.Any]:
    result = cluster.to_result()
    result["tags"] = api.tags(cluster.arn)
    return result


def run(module: t.Any) -> t.NoReturn:
    read_aws(module, read)


def main() -> None:
    run(aws_module(**SETTINGS))


if __name__ == "__main__":
    main()
