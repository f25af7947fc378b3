#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_addon
version_added: 0.1.0
short_description: Manage add-ons of an EKS cluster
description:
  - Installs an Amazon EKS add-on, such as those of SageMaker HyperPod, changes its version and settings, or removes it. The
    module waits until the add-on works.
  - No maintained collection has such a module. C(community.aws) supports only clusters, node groups and Fargate profiles of EKS.
  - The module validates settings with the schema of the add-on's version before it calls EKS. It does not evaluate C(not), C(if),
    C(dependencies) and C(format) of a schema, but EKS does.
  - The module first waits for updates of other runs. It retries a failed installation or update.
  - An update contains all settings and the role, even if they have not changed, because EKS may reset omitted settings to their
    defaults.
options:
  eks_cluster:
    description:
      - Name or ARN of the EKS cluster, in the Region of O(region).
    type: str
    required: true
  name:
    description:
      - Name of the add-on, such as V(amazon-sagemaker-hyperpod-taskgovernance).
    type: str
    required: true
  state:
    description:
      - Whether the add-on is installed.
    type: str
    choices: [present, absent]
    default: present
  version:
    description:
      - V(default) is EKS's default version for the Kubernetes version of the cluster. V(latest) is the newest version. Both values
        apply to a new add-on. An existing add-on keeps its version unless O(upgrade=true).
      - An exact version, such as V(v1.6.1-eksbuild.1), is always ensured, even if it is older than the installed version.
    type: str
    default: default
  upgrade:
    description:
      - Whether O(version=default) and O(version=latest) upgrade an existing add-on. They never downgrade an add-on.
    type: bool
    default: false
  configuration:
    description:
      - All settings of the add-on, as a dictionary or as JSON or YAML text. The module compares values, not text.
      - Settings that this option does not contain are reset to their defaults, so V({}) resets all settings. If this option is
        omitted, the settings are not changed.
      - YAML text requires the Python library PyYAML.
    type: raw
  service_account_role_arn:
    description:
      - IAM role of the add-on's service account, which uses the OpenID Connect provider of the cluster. An empty text removes the
        role, and the add-on then uses the role of the nodes.
    type: str
  pod_identity_associations:
    description:
      - All IAM roles of the add-on's service accounts that use EKS Pod Identity. V([]) removes all associations of the add-on.
      - A version of an add-on that needs no IAM permissions does not accept this option. To create associations outside of the
        add-on, use M(mlfleet.hyperpod.eks_pod_identity_association).
    type: list
    elements: dict
    suboptions:
      service_account:
        description:
          - Name of the service account.
        type: str
        required: true
      role_arn:
        description:
          - ARN of the IAM role. Its trust policy must allow C(pods.eks.amazonaws.com).
        type: str
        required: true
  namespace:
    description:
      - Namespace of the installation, which can't be changed later. The default is the add-on's own default namespace.
    type: str
  resolve_conflicts:
    description:
      - What to do with fields of the add-on's Kubernetes objects that others have changed. V(NONE) keeps the changes and may
        fail. V(OVERWRITE) resets the fields. V(PRESERVE) keeps the changes in an update, and is the same as V(NONE) for an
        installation.
    type: str
    choices: [NONE, OVERWRITE, PRESERVE]
    default: NONE
  preserve:
    description:
      - With O(state=absent), whether the software of the add-on stays in the cluster. EKS then no longer manages it.
    type: bool
    default: false
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
  wait_for:
    description:
      - State for which the module waits. V(active) is a working add-on. V(installed) also accepts an add-on that is C(DEGRADED)
        only because there are no nodes for its Pods.
      - If the add-on stays C(DEGRADED) with the same issues for 10 minutes, the wait ends with these issues. For a short time after
        nodes have joined the cluster, this status is normal.
    type: str
    choices: [active, installed]
    default: active
  wait_timeout:
    description:
      - Seconds to wait, V(1) to V(86400).
    type: int
    default: 1200
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
  - "IAM actions: C(eks:DescribeCluster), C(eks:DescribeAddon), C(eks:DescribeAddonVersions), C(eks:DescribeAddonConfiguration),
    C(eks:DescribePodIdentityAssociation), and to change something C(eks:CreateAddon), C(eks:UpdateAddon), C(eks:DescribeUpdate),
    C(eks:DeleteAddon), C(eks:TagResource) and C(eks:UntagResource), and C(iam:PassRole) for the roles of the add-on."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_addon_info
  - module: mlfleet.hyperpod.eks_pod_identity_association
  - name: Amazon EKS add-ons
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/eks/latest/userguide/eks-add-ons.html
"""

EXAMPLES = r"""
- name: Install task governance in a cluster that may have no nodes
  mlfleet.hyperpod.eks_addon:
    eks_cluster: ml
    region: us-west-2
    name: amazon-sagemaker-hyperpod-taskgovernance
    version: v1.6.1-eksbuild.1
    configuration:
      replicas: 2
    wait_for: installed

- name: Upgrade the network add-on to the newest version, with its own role
  mlfleet.hyperpod.eks_addon:
    eks_cluster: ml
    region: us-west-2
    name: vpc-cni
    version: latest
    upgrade: true
    resolve_conflicts: PRESERVE
    pod_identity_associations:
      - service_account: aws-node
        role_arn: arn:aws:iam::111111111111:role/hyperpod-pods-cni

- name: Remove an add-on from EKS, but keep its software in the cluster
  mlfleet.hyperpod.eks_addon:
    eks_cluster: ml
    region: us-west-2
    name: amazon-sagemaker-hyperpod-taskgovernance
    state: absent
    preserve: true
"""

RETURN = r"""
eks_addon:
  description: The add-on. In check mode, the predicted add-on.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the add-on is installed. If not, only C(exists), C(name) and C(eks_cluster) are returned.
      type: bool
      sample: true
    name:
      description: Name of the add-on.
      type: str
      sample: amazon-sagemaker-hyperpod-taskgovernance
    eks_cluster:
      description: Name of the EKS cluster.
      type: str
      sample: ml
    addon_arn:
      description: ARN of the add-on.
      type: str
      sample: arn:aws:eks:us-west-2:111111111111:addon/ml/amazon-sagemaker-hyperpod-taskgovernance/0a1b2c3d
    version:
      description: Version of the add-on.
      type: str
      sample: v1.6.1-eksbuild.1
    status:
      description: Status of the add-on, as AWS returns it.
      type: str
      sample: ACTIVE
    issues:
      description: Problems that EKS reports, with the IDs of their resources.
      type: list
      elements: str
      sample: []
    configuration:
      description: Settings of the add-on. If they are neither JSON nor YAML, they are returned as a text.
      type: raw
      sample: {"replicas": 2}
    service_account_role_arn:
      description: IAM role of the add-on's service account, for OpenID Connect, or an empty string.
      type: str
      sample: ''
    pod_identity_associations:
      description: Pod identity associations of the add-on.
      type: list
      elements: dict
      sample: [{"service_account": "aws-node", "role_arn": "arn:aws:iam::111111111111:role/hyperpod-pods-cni"}]
    namespace:
      description: Namespace of the add-on.
      type: str
      sample: kueue-system
    tags:
      description: Tags of the add-on.
      type: dict
      sample: {"team": "research"}
    default_version:
      description: EKS's default version for the Kubernetes version of the cluster.
      type: str
      sample: v1.6.0-eksbuild.1
    latest_version:
      description: Newest version that EKS offers for the Kubernetes version of the cluster.
      type: str
      sample: v1.6.1-eksbuild.1
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: add-on amazon-sagemaker-hyperpod-taskgovernance
      field: version
      before: v1.6.0-eksbuild.1
      after: v1.6.1-eksbuild.1
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.common import TAG_OPTIONS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "eks_cluster": {"type": "str", "required": True},
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "version": {"type": "str", "default": "default"},
    "upgrade": {"type": "bool", "default": False},
    "configuration": {"type": "raw"},
    "service_account_role_arn": {"type": "str"},
    "pod_identity_associations": {
        "type": "list",
        "elements": "dict",
        "options": {"service_account": {"type": "str", "required": True}, "role_arn": {"type": "str", "required": True}},
    },
    "namespace": {"type": "str"},
    "resolve_conflicts": {"type": "str", "choices": ["NONE", "OVERWRITE", "PRESERVE"], "default": "NONE"},
    "preserve": {"type": "bool", "default": False},
    "wait_for": {"type": "str", "choices": ["active", "installed"], "default": "active"},
    "cluster_arn": {"type": "str"},
    **TAG_OPTIONS,
    **wait_options(timeout=1200),
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params, module.region)
    eks = connect(module, "eks")
    eks.require("CreateAddon", *desired.newer_parameters)
    observer = Observer(eks, desired, waits=waits_of(module))
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state),
        apply=Applier(eks, desired, observer),
        result=lambda state: result(desired, state),
        lost_race=f"The {desired.about} keeps changing concurrently. Run again later.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
