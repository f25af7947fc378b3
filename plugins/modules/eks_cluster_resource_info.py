#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_cluster_resource_info
version_added: 0.1.0
short_description: Get the resources that belong to an EKS cluster, and what blocks their removal
description:
  - Returns the EKS cluster with its node groups, add-ons, pod identity associations, access entries and Fargate profiles, the
    resources with the tag C(mlfleet.hyperpod/cluster) whose value is the ARN of the cluster, and the log groups, volumes and load
    balancers that remain after a removal of the cluster. The cluster does not need to exist.
  - The module searches for the tag on IAM roles with the path C(/hyperpod-eks/), launch templates, placement groups, file systems
    of FSx for Lustre, VPCs, subnets, security groups, internet gateways, NAT gateways, Elastic IP addresses, route tables and VPC
    endpoints.
  - Also returns what blocks a removal of these resources. Blockers are HyperPod clusters on the cluster, node groups and
    Fargate profiles of others in the cluster, resources of others in a VPC with the tag, and network interfaces of others in such a
    VPC or with a security group that has the tag. Resources that disappear with a resource of the cluster, such as the network
    interfaces of its nodes, are not returned as blockers. The module does not find virtual private gateways and carrier gateways.
  - Every reply of AWS is required. If one call fails, the module fails and names the operation, because a plan from a part of the
    resources would be wrong. A resource that another program removes during the calls is omitted.
  - No maintained collection has such a module. The tagging API of AWS finds resources by their tags only, without the
    values that a removal needs.
options:
  eks_cluster:
    description:
      - Name or ARN of the EKS cluster, in the Region of O(region) and in the account of the caller. The cluster does not need to
        exist.
    type: str
    required: true
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(eks:DescribeCluster), C(eks:ListNodegroups), C(eks:DescribeNodegroup), C(eks:ListAddons),
    C(eks:DescribeAddon), C(eks:ListPodIdentityAssociations), C(eks:DescribePodIdentityAssociation), C(eks:ListAccessEntries),
    C(eks:DescribeAccessEntry), C(eks:ListAssociatedAccessPolicies), C(eks:ListFargateProfiles),
    C(eks:DescribeFargateProfile), C(iam:ListRoles), C(iam:ListRoleTags),
    C(iam:ListAttachedRolePolicies), C(iam:ListRolePolicies), C(ec2:DescribeLaunchTemplates), C(ec2:DescribeLaunchTemplateVersions),
    C(ec2:DescribePlacementGroups), C(ec2:DescribeSecurityGroups), C(ec2:DescribeVpcs), C(ec2:DescribeSubnets),
    C(ec2:DescribeInternetGateways), C(ec2:DescribeNatGateways), C(ec2:DescribeAddresses), C(ec2:DescribeRouteTables),
    C(ec2:DescribeVpcEndpoints), C(ec2:DescribeVolumes), C(ec2:DescribeNetworkInterfaces), C(ec2:DescribeInstances),
    C(fsx:DescribeFileSystems), C(logs:DescribeLogGroups), C(logs:ListTagsForResource) and C(tag:GetResources). If the cluster
    has the tag, also C(sagemaker:ListClusters) and C(sagemaker:DescribeCluster)."
  - Volumes are found by the tag C(kubernetes.io/cluster/NAME) with the value V(owned), which the EBS CSI driver sets if it has
    the name of the cluster. Load balancers are found by this tag or by C(elbv2.k8s.aws/cluster). A volume or load balancer
    without these tags is not found.
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_cluster
  - module: mlfleet.hyperpod.eks_nodegroup_info
"""

EXAMPLES = r"""
- name: Get the resources of a cluster
  mlfleet.hyperpod.eks_cluster_resource_info:
    eks_cluster: training
    region: us-west-2
  register: found

- name: Report resources that cost money and remain after a removal
  ansible.builtin.debug:
    msg: "{{ found.resources | rejectattr('ours') | selectattr('kind', 'in', kinds) | list }}"
  vars:
    kinds: [ebs_volume, load_balancer, log_group]

- name: Require that nothing blocks the removal
  ansible.builtin.assert:
    that: found.blockers == []
    fail_msg: "{{ found.blockers | map(attribute='next_step') | join('; ') }}"
"""

RETURN = r"""
eks_cluster_arn:
  description: ARN of the EKS cluster. It is also returned if the cluster does not exist.
  returned: success
  type: str
  sample: arn:aws:eks:us-west-2:111111111111:cluster/training
account:
  description: ID of the caller's account.
  returned: success
  type: str
  sample: "111111111111"
caller_arn:
  description: ARN of the caller. For a session of an assumed role, it names the role and the session.
  returned: success
  type: str
  sample: arn:aws:sts::111111111111:assumed-role/platform/session
resources:
  description:
    - The resources, ordered by kind as listed in RV(resources[].details), then by ID. Resources that AWS is deleting, or returns
      for a while after their deletion, are included with their status.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: Kind of the resource.
      type: str
      sample: nat_gateway
    id:
      description:
        - The identifier that a removal needs. It is the ID of a resource that has one, the allocation ID of an Elastic IP
          address, the ARN of the principal of an access entry, the ARN of a load balancer, and the name of any other resource.
      type: str
      sample: nat-0123456789abcdef0
    ours:
      description:
        - Whether the tag C(mlfleet.hyperpod/cluster) of the resource has the ARN of the cluster as its value. Only such a
          resource may be removed. Parts of the cluster, log groups, volumes and load balancers are also returned without the tag.
      type: bool
      sample: true
    name:
      description:
        - Name of the resource. For VPCs, subnets, gateways, addresses, route tables, endpoints, volumes and file systems, it is
          the value of the tag C(Name). For pod identity associations, it is the namespace and the service account. For access
          entries, it is the last part of the principal's ARN.
      type: str
      sample: training-nat
    status:
      description:
        - Status of the resource, as AWS returns it. Empty for access entries, pod identity associations, roles, launch templates,
          security groups, Elastic IP addresses, route tables, log groups and load balancers.
      type: str
      sample: available
    component:
      description: Value of the tag C(mlfleet.hyperpod/component), or an empty string. Control characters are replaced.
      type: str
      sample: nat_gateway
    details:
      description:
        - Values that depend on the kind. All keys of a kind are always present. Texts and lists are empty, and numbers and
          booleans null, if AWS does not return the value.
        - C(eks_cluster) - C(version), C(role_arn), C(vpc_id), C(subnet_ids), C(security_group_id) (the group that EKS created),
          C(deletion_protection), C(endpoint_public_access), C(endpoint_private_access), C(auto_mode), C(logging) (the types of
          control plane logs that are turned on) and C(support_type).
        - C(eks_nodegroup) - C(version), C(instance_types) (empty if the launch template has the type), C(capacity_type),
          C(ami_type), C(min), C(max), C(desired), C(disk_size) in GiB (null with a launch template), C(launch_template) with
          C(id), C(name) and C(version) or null, C(subnet_ids) and C(node_role_arn).
        - C(eks_addon) - C(version), C(service_account_role_arn) and C(configuration) (its settings, or their text if they are
          neither JSON nor YAML).
        - C(eks_pod_identity_association) - C(namespace), C(service_account), C(role_arn) and C(owner_arn) (the add-on that
          manages it).
        - C(eks_access_entry) - C(type), C(username) and C(access_policies), in the form of the option of
          M(mlfleet.hyperpod.eks_access_entry) (without namespaces, a policy applies to the whole cluster).
        - C(fargate_profile) - C(pod_execution_role_arn) and C(subnet_ids).
        - C(iam_role) - C(arn), C(attached_policies) (ARNs of managed policies) and C(inline_policies) (names).
        - C(launch_template) - C(default_version), and C(instance_type) and C(volume_size) in GiB of this version.
        - C(placement_group) - C(strategy).
        - C(file_system) - C(storage_capacity) in GiB, C(storage_type), C(deployment_type), C(per_unit_throughput),
          C(metadata_iops) (V(AUTOMATIC) or a number as text), C(backup_retention_days), C(vpc_id), C(subnet_id),
          C(security_group_ids) (null if EC2 does not return the interfaces) and C(network_interface_ids).
        - C(security_group) - C(vpc_id).
        - C(vpc) - C(cidr_block).
        - C(subnet) - C(vpc_id), C(availability_zone) and C(cidr_block).
        - C(internet_gateway) - C(vpc_id) (empty if it is not attached).
        - C(nat_gateway) - C(vpc_id), C(subnet_id), C(allocation_id) (of its first Elastic IP address) and C(network_interface_ids).
        - C(elastic_ip) - C(public_ip), C(association_id) and C(network_interface_id).
        - C(route_table) - C(vpc_id), C(main) and C(association_ids) (without the main association).
        - C(vpc_endpoint) - C(vpc_id), C(type), C(service_name), C(subnet_ids) and C(network_interface_ids).
        - C(log_group) - C(stored_bytes) and C(retention_days) (null if events never expire).
        - C(ebs_volume) - C(size) in GiB, C(type), C(availability_zone), C(instance_id) and C(delete_on_termination).
        - C(load_balancer) - C(type), such as V(application), V(network), V(gateway) or V(classic).
      type: dict
      sample:
        vpc_id: vpc-0123456789abcdef0
        subnet_id: subnet-0123456789abcdef0
        allocation_id: eipalloc-0123456789abcdef0
        network_interface_ids: [eni-0123456789abcdef0]
blockers:
  description:
    - What prevents the removal of resources whose RV(resources[].ours) is true, sorted by kind and ID.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description:
        - Kind of the blocker, one of V(hyperpod_cluster), V(eks_nodegroup), V(fargate_profile), V(subnet), V(security_group),
          V(internet_gateway), V(nat_gateway), V(route_table), V(vpc_endpoint), V(file_system), V(load_balancer),
          V(efs_mount_target), V(lambda_function), V(instance) and V(network_interface).
      type: str
      sample: vpc_endpoint
    id:
      description:
        - ID or name of the blocker, or the ARN of a HyperPod cluster. For load balancers, it is the last part of the ARN, such as
          C(net/web/0123456789abcdef).
      type: str
      sample: vpce-0123456789abcdef0
    text:
      description: What blocks the removal, and where it is.
      type: str
      sample: VPC endpoint vpce-0123456789abcdef0 is in VPC vpc-0123456789abcdef0, but does not have the cluster's tag
    next_step:
      description: How to remove the blocker.
      type: str
      sample: "remove it from the VPC: aws ec2 delete-vpc-endpoints --vpc-endpoint-ids vpce-0123456789abcdef0"
"""

import functools
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.info import info

SPEC = {"eks_cluster": {"type": "str", "required": True}}


def read(module: t.Any) -> dict[str, t.Any]:
    return info(functools.partial(connect, module), module.params, module.region)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), read)


if __name__ == "__main__":
    main()
