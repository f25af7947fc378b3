#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_cluster
version_added: 0.1.0
short_description: Manage EKS clusters
description:
  - Creates, changes, upgrades and deletes the control plane of an Amazon EKS cluster.
  - C(community.aws.eks_cluster) sets only the version, the role, the subnets, the security groups and the tags of a new cluster,
    and fails if an existing cluster differs. This module also sets the authentication mode, logs, encryption, the access to the
    API server, extended support and deletion protection, and it changes and upgrades existing clusters.
  - EKS runs one update at a time and accepts one kind of change in each call. The module makes the calls one after another, and
    waits for the end of each update. If EKS is running an update of another caller, the module waits for its end and plans again.
  - The module refuses changes that EKS cannot make before it changes anything.
  - Clusters with EKS Auto Mode, hybrid nodes or EKS Connector, and clusters on an Outpost, are read but not changed or deleted.
options:
  eks_cluster:
    description:
      - Name of the EKS cluster. For an existing cluster, also its ARN, in the Region of O(region).
    type: str
    required: true
  state:
    description:
      - Whether the cluster exists. A cluster with node groups or Fargate profiles is not deleted.
    type: str
    choices: [present, absent]
    default: present
  version:
    description:
      - Kubernetes version, such as V("1.35"), in quotes. The default for a new cluster is the default version of EKS.
      - A run upgrades an existing cluster by one minor version at most. The module does not downgrade.
      - Before an upgrade, the module reads the upgrade insights of EKS. If one of them is an error, the module does not upgrade,
        see O(accept_insights).
    type: str
  accept_insights:
    description:
      - Names of upgrade insights whose errors do not stop an upgrade. EKS updates an insight only once a day, and an insight about
        a deprecated API remains for 30 days after the last use of the API.
    type: list
    elements: str
    default: []
  role_arn:
    description:
      - IAM role of the cluster. Required for a new cluster. It can't be changed later.
    type: str
  subnet_ids:
    description:
      - All subnets of the control plane, two or more, in different Availability Zones of one VPC. Required for a new cluster.
    type: list
    elements: str
  security_group_ids:
    description:
      - All additional security groups of the control plane, at most five. EKS always adds a group of its own.
    type: list
    elements: str
  endpoint_public_access:
    description:
      - Whether the API server can be reached from outside the VPC. EKS's default for a new cluster is V(true), which requires
        O(public_access_cidrs).
    type: bool
  endpoint_private_access:
    description:
      - Whether the API server can be reached inside the VPC by traffic that stays in the VPC. EKS's default for a new cluster is
        V(false).
    type: bool
  public_access_cidrs:
    description:
      - All address ranges that can reach the API server from outside the VPC. V(0.0.0.0/0) and V(::/0) are not allowed.
      - If the option is omitted, an existing cluster keeps its ranges. If these contain the whole internet, the result and a
        warning report it.
    type: list
    elements: str
  authentication_mode:
    description:
      - How callers get access to Kubernetes. V(API) uses access entries, V(CONFIG_MAP) the ConfigMap C(aws-auth). The default for a
        new cluster is V(API).
      - EKS changes the mode only from V(CONFIG_MAP) to V(API_AND_CONFIG_MAP), and from there to V(API), and never back. With
        V(API), callers that only C(aws-auth) allows lose their access.
    type: str
    choices: [API, API_AND_CONFIG_MAP, CONFIG_MAP]
  bootstrap_creator_admin:
    description:
      - Whether EKS creates an access entry that makes the caller an administrator of the new cluster. The default is V(false). To
        give administrators access, use M(mlfleet.hyperpod.eks_access_entry). It can't be changed later.
    type: bool
  bootstrap_self_managed_addons:
    description:
      - Whether EKS installs the VPC CNI, CoreDNS and kube-proxy in the new cluster without managing them. The default is V(false).
        To install them as add-ons, use M(mlfleet.hyperpod.eks_addon).
      - The option has no effect on an existing cluster, because EKS does not return it.
    type: bool
  service_ipv4_cidr:
    description:
      - Network of the Services in the new cluster, in C(10.0.0.0/8), C(172.16.0.0/12) or C(192.168.0.0/16), with a prefix of 12 to
        24 bits. By default, EKS chooses a network. It can't be changed later.
    type: str
  logging:
    description:
      - All log types that EKS exports to CloudWatch Logs. V([]) exports none.
    type: list
    elements: str
    choices: [api, audit, authenticator, controllerManager, scheduler]
  encryption_key_arn:
    description:
      - KMS key that encrypts the Secrets of the cluster in addition to the encryption of EKS. It can be set on an existing cluster
        without a key, and can't be changed or removed later.
    type: str
  support_type:
    description:
      - What EKS does at the end of the standard support of the cluster's version. V(STANDARD) upgrades the cluster. V(EXTENDED)
        keeps the version for up to one more year at a higher price per hour.
      - The default for a new cluster is V(STANDARD), and not V(EXTENDED) as in the API. EKS cannot turn extended support off after
        it has begun.
    type: str
    choices: [STANDARD, EXTENDED]
  deletion_protection:
    description:
      - Whether EKS refuses to delete the cluster. EKS's default for a new cluster is V(false).
      - With O(state=absent), a protected cluster is deleted only with V(false). The module then turns the protection off first.
    type: bool
  tags:
    description:
      - Tags to set. If omitted, tags are not changed.
    type: dict
    aliases: [resource_tags]
  purge_tags:
    description:
      - Whether to remove tags that are not in O(tags), except those of AWS. If O(tags) is omitted, no tag is removed.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait for each operation of EKS, V(1) to V(86400).
    type: int
    default: 1800
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.lock
  - mlfleet.hyperpod.lock_option
  - mlfleet.hyperpod.lock_option.cluster
  - mlfleet.hyperpod.waits
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - With O(wait=false), a run starts at most one update of an existing cluster. A warning lists the changes that are left for later
    runs.
  - "IAM actions: C(eks:DescribeCluster), C(eks:DescribeClusterVersions) and C(eks:ListInsights), and to change something
    C(eks:CreateCluster), C(eks:UpdateClusterConfig), C(eks:UpdateClusterVersion), C(eks:AssociateEncryptionConfig),
    C(eks:DescribeUpdate), C(eks:ListUpdates), C(eks:TagResource), C(eks:UntagResource), C(eks:ListNodegroups),
    C(eks:ListFargateProfiles) and C(eks:DeleteCluster), C(iam:PassRole) for the role of a new cluster, and
    C(iam:CreateServiceLinkedRole) for the first EKS cluster of the account."
  - The option O(encryption_key_arn) also requires the rights to describe the KMS key and to create grants on it.
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_cluster_info
  - module: mlfleet.hyperpod.eks_access_entry
  - module: mlfleet.hyperpod.eks_addon
  - name: Amazon EKS clusters
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/eks/latest/userguide/clusters.html
"""

EXAMPLES = r"""
- name: Create a cluster whose API server can be reached only from its VPC
  mlfleet.hyperpod.eks_cluster:
    eks_cluster: ml
    region: us-west-2
    version: "1.35"
    role_arn: arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-cluster
    subnet_ids: [subnet-0123456789abcdef0, subnet-0fedcba9876543210]
    endpoint_public_access: false
    endpoint_private_access: true
    logging: [audit, authenticator]
    deletion_protection: true
    tags:
      team: research

- name: Upgrade the cluster by one minor version, although an API that was deprecated is still listed
  mlfleet.hyperpod.eks_cluster:
    eks_cluster: ml
    region: us-west-2
    version: "1.36"
    accept_insights:
      - Deprecated APIs removed in Kubernetes v1.36

- name: Open the API server to the office network
  mlfleet.hyperpod.eks_cluster:
    eks_cluster: ml
    region: us-west-2
    endpoint_public_access: true
    public_access_cidrs: [203.0.113.0/24]

- name: Delete a protected cluster
  mlfleet.hyperpod.eks_cluster:
    eks_cluster: ml
    region: us-west-2
    state: absent
    deletion_protection: false
"""

RETURN = r"""
eks_cluster:
  description: The cluster. In check mode, the predicted cluster. Fields that are not set, or not yet set, are null.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the cluster exists. If not, only C(exists) and C(name) are returned.
      type: bool
      sample: true
    name:
      description: Name of the EKS cluster.
      type: str
      sample: ml
    arn:
      description: ARN of the EKS cluster.
      type: str
      sample: arn:aws:eks:us-west-2:111111111111:cluster/ml
    status:
      description: Status of the cluster in EKS, such as V(ACTIVE).
      type: str
      sample: ACTIVE
    issues:
      description: Problems that EKS reports.
      type: list
      elements: str
      sample: []
    version:
      description: Kubernetes version.
      type: str
      sample: "1.35"
    support:
      description: How long EKS supports the version, from DescribeClusterVersions.
      type: dict
      contains:
        status:
          description: V(standard), V(extended), V(unsupported), or V(unknown) if EKS does not list the version.
          type: str
          sample: standard
        end_of_standard_support:
          description: Time at which the standard support ends, in UTC.
          type: str
          sample: '2027-03-27T00:00:00.000Z'
        end_of_extended_support:
          description: Time at which the extended support ends, in UTC.
          type: str
          sample: '2028-03-27T00:00:00.000Z'
    support_type:
      description: V(STANDARD) or V(EXTENDED). This is a policy, and not the current support of the version.
      type: str
      sample: STANDARD
    endpoint:
      description: URL of the API server.
      type: str
      sample: https://0123456789ABCDEF0123456789ABCDEF.gr7.us-west-2.eks.amazonaws.com
    certificate_authority:
      description: Certificate authority of the API server, in Base64 as in a kubeconfig.
      type: str
      sample: LS0tLS1CRUdJTi...
    authentication_mode:
      description: V(API), V(API_AND_CONFIG_MAP) or V(CONFIG_MAP).
      type: str
      sample: API
    vpc:
      description: Network of the EKS cluster.
      type: dict
      contains:
        vpc_id:
          description: ID of the VPC.
          type: str
          sample: vpc-0123456789abcdef0
        subnets:
          description: IDs of the subnets.
          type: list
          elements: str
          sample: [subnet-0123456789abcdef0, subnet-0fedcba9876543210]
        security_groups:
          description: IDs of the additional security groups.
          type: list
          elements: str
          sample: [sg-0123456789abcdef0]
        cluster_security_group:
          description: ID of the security group that EKS created.
          type: str
          sample: sg-0fedcba9876543210
        endpoint_public_access:
          description: Whether the API server can be reached from outside the VPC.
          type: bool
          sample: false
        endpoint_private_access:
          description: Whether the API server can be reached from inside the VPC without traffic that leaves the VPC.
          type: bool
          sample: true
        public_access_cidrs:
          description: Address ranges that can reach the API server from outside the VPC. Empty without public access.
          type: list
          elements: str
          sample: []
        open_to_internet:
          description: Whether every address of the internet can reach the API server.
          type: bool
          sample: false
    role_arn:
      description: IAM role of the cluster.
      type: str
      sample: arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-cluster
    service_ipv4_cidr:
      description: Network of the Services in the cluster.
      type: str
      sample: 172.20.0.0/16
    logging:
      description: Log types that are exported to CloudWatch Logs.
      type: list
      elements: str
      sample: [audit, authenticator]
    encryption_key_arn:
      description: KMS key that encrypts the Secrets of the cluster, or null for a key of AWS.
      type: str
      sample: null
    deletion_protection:
      description: Whether the cluster is protected against deletion.
      type: bool
      sample: true
    tags:
      description: Tags of the cluster.
      type: dict
      sample: {"team": "research"}
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: EKS cluster ml
      field: version
      before: "1.35"
      after: "1.36"
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.common import TAG_OPTIONS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "eks_cluster": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "version": {"type": "str"},
    "accept_insights": {"type": "list", "elements": "str", "default": []},
    "role_arn": {"type": "str"},
    "subnet_ids": {"type": "list", "elements": "str"},
    "security_group_ids": {"type": "list", "elements": "str"},
    "endpoint_public_access": {"type": "bool"},
    "endpoint_private_access": {"type": "bool"},
    "public_access_cidrs": {"type": "list", "elements": "str"},
    "authentication_mode": {"type": "str", "choices": ["API", "API_AND_CONFIG_MAP", "CONFIG_MAP"]},
    "bootstrap_creator_admin": {"type": "bool"},
    "bootstrap_self_managed_addons": {"type": "bool"},
    "service_ipv4_cidr": {"type": "str"},
    "logging": {"type": "list", "elements": "str", "choices": ["api", "audit", "authenticator", "controllerManager", "scheduler"]},
    "encryption_key_arn": {"type": "str", "no_log": False},
    "support_type": {"type": "str", "choices": ["STANDARD", "EXTENDED"]},
    "deletion_protection": {"type": "bool"},
    "cluster_arn": {"type": "str"},
    **TAG_OPTIONS,
    **wait_options(timeout=1800),
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params, module.region)
    eks = connect(module, "eks")
    for operation, parameters in desired.newer_parameters.items():
        eks.require(operation, *parameters)
    observer = Observer(eks, desired, waits=waits_of(module))
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state),
        apply=Applier(eks, desired, observer),
        result=lambda state: result(desired, state),
        lost_race=f"{desired.resource} keeps changing concurrently. Run again later.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
