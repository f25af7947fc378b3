#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_addon
version_added: 0.1.0
short_description: Install, change or remove an add-on of an EKS cluster
description:
  - Installs an add-on of Amazon EKS, such as those of SageMaker HyperPod, moves it to another version, changes its settings,
    and waits until it works.
  - No maintained collection has such a module. C(community.aws) knows clusters, node groups and Fargate profiles of EKS.
  - Settings are checked by the schema of the add-on's version before EKS is asked for anything. What a schema says by
    C(not), C(if), C(dependencies) or C(format) EKS alone judges.
  - An update that somebody else has begun is waited for first. A creation or update that failed is tried again.
  - An update names all settings and the role, changed or not, since EKS may set back to its default what is not named.
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
      - Whether the cluster has it.
    type: str
    choices: [present, absent]
    default: present
  version:
    description:
      - V(default) is the version that EKS calls the default for the cluster's version of Kubernetes, V(latest) the newest
        that it offers for that. They choose the version of an add-on that is installed; one that is there keeps its version
        unless O(upgrade=true).
      - An exact version, such as V(v1.6.1-eksbuild.1), is ensured in any case, also where it is an earlier one.
    type: str
    default: default
  upgrade:
    description:
      - Whether O(version=default) and O(version=latest) move an add-on that is there to a later version. They never move it
        to an earlier one.
    type: bool
    default: false
  configuration:
    description:
      - All settings of the add-on, as a mapping or as a text of JSON or YAML, compared by their values. Those that it does not
        name return to their defaults; V({}) removes all. Without the option they stay as they are.
      - A text of YAML needs the Python library PyYAML.
    type: raw
  service_account_role_arn:
    description:
      - IAM role of the add-on's service account, by the OpenID Connect provider of the cluster. An empty text removes it, so
        that the role of the nodes counts.
    type: str
  pod_identity_associations:
    description:
      - IAM roles of the add-on's service accounts, by EKS Pod Identity. They are ensured as a set; V([]) removes those
        that the add-on has.
      - A version that needs no permissions of IAM takes none; M(mlfleet.hyperpod.eks_pod_identity_association) makes them
        beside the add-on.
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
          - ARN of the IAM role. Its trust policy names C(pods.eks.amazonaws.com).
        type: str
        required: true
  namespace:
    description:
      - Namespace to install it in; the add-on's own by default. It can't be changed later.
    type: str
  resolve_conflicts:
    description:
      - What to do where somebody else has set fields of the add-on's objects in Kubernetes. V(NONE) leaves them and may fail,
        V(OVERWRITE) sets them back, V(PRESERVE) keeps them in an update and is as V(NONE) for an installation.
    type: str
    choices: [NONE, OVERWRITE, PRESERVE]
    default: NONE
  preserve:
    description:
      - With O(state=absent), whether its software stays in the cluster, without EKS to look after it.
    type: bool
    default: false
  tags:
    description:
      - Tags to ensure. Left alone if omitted.
    type: dict
    aliases: [resource_tags]
  purge_tags:
    description:
      - Whether tags that O(tags) does not name are removed, but for those of AWS. Without O(tags) none is.
    type: bool
    default: true
  wait_for:
    description:
      - What to wait for. V(active) is an add-on that works. V(installed) is also content with one that is C(DEGRADED) and only
        lacks nodes for its pods, as it is in a cluster that has none yet.
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
  - "IAM actions: C(eks:DescribeCluster), C(eks:DescribeAddon), C(eks:DescribeAddonVersions),
    C(eks:DescribeAddonConfiguration), C(eks:DescribePodIdentityAssociation), and to change something C(eks:CreateAddon),
    C(eks:UpdateAddon), C(eks:DescribeUpdate), C(eks:DeleteAddon), C(eks:TagResource) and C(eks:UntagResource), and
    C(iam:PassRole) for roles that it gets."
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_addon_info
  - module: mlfleet.hyperpod.eks_pod_identity_association
  - name: Amazon EKS add-ons
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/eks/latest/userguide/eks-add-ons.html
"""

EXAMPLES = r"""
- name: Task governance, in a cluster that may have no nodes yet
  mlfleet.hyperpod.eks_addon:
    eks_cluster: ml
    region: us-west-2
    name: amazon-sagemaker-hyperpod-taskgovernance
    version: v1.6.1-eksbuild.1
    configuration:
      replicas: 2
    wait_for: installed

- name: The newest version of the network add-on, with a role of its own
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

- name: No longer looked after by EKS
  mlfleet.hyperpod.eks_addon:
    eks_cluster: ml
    region: us-west-2
    name: amazon-sagemaker-hyperpod-taskgovernance
    state: absent
    preserve: true
"""

RETURN = r"""
eks_addon:
  description: The add-on; in check mode as it would be.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the cluster has it. If not, only the names of both are returned besides.
      type: bool
      sample: true
    name:
      description: Its name.
      type: str
      sample: amazon-sagemaker-hyperpod-taskgovernance
    eks_cluster:
      description: Name of the EKS cluster.
      type: str
      sample: ml
    addon_arn:
      description: Its ARN.
      type: str
      sample: arn:aws:eks:us-west-2:111111111111:addon/ml/amazon-sagemaker-hyperpod-taskgovernance/0a1b2c3d
    version:
      description: Its version.
      type: str
      sample: v1.6.1-eksbuild.1
    status:
      description: Its status, in AWS's words.
      type: str
      sample: ACTIVE
    issues:
      description: What EKS says is wrong.
      type: list
      elements: str
      sample: []
    configuration:
      description: Its settings; a text where they are neither JSON nor YAML.
      type: raw
      sample: {"replicas": 2}
    service_account_role_arn:
      description: IAM role of its service account, by OpenID Connect. Empty for none.
      type: str
      sample: ''
    pod_identity_associations:
      description: Associations that it has of its own.
      type: list
      elements: dict
      sample: [{"service_account": "aws-node", "role_arn": "arn:aws:iam::111111111111:role/hyperpod-pods-cni"}]
    namespace:
      description: Namespace in which it runs.
      type: str
      sample: kueue-system
    tags:
      description: Its tags.
      type: dict
      sample: {"team": "research"}
    default_version:
      description: What EKS calls the default for the cluster's version of Kubernetes.
      type: str
      sample: v1.6.0-eksbuild.1
    latest_version:
      description: The newest version that EKS offers for the cluster's version of Kubernetes.
      type: str
      sample: v1.6.1-eksbuild.1
changes:
  description: Every change that was made, or in check mode would be made.
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
        lost_race=f"{desired.about} is changed by somebody else again and again; run again.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
