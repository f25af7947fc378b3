#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: namespace_pod_security
version_added: 0.1.0
short_description: Manage the level of Pod Security that namespaces enforce
description:
  - Sets the label C(pod-security.kubernetes.io/enforce) of namespaces, and changes nothing else. Kubernetes then refuses new Pods
    that violate the level. Existing Pods are not ended.
  - The module first sends each change as a dry run. The warnings of the API server name the Pods that violate the new level.
    RV(namespaces[].warnings) returns these warnings, also in check mode.
  - A namespace with a stricter level keeps its level. A warning and RV(namespaces[].stricter) report this. A namespace is refused
    if the value of its label is not one of the levels of O(level).
options:
  namespaces:
    description:
      - Names of the namespaces. Other namespaces are not changed.
    type: list
    elements: str
    required: true
  level:
    description:
      - Lowest level that the namespaces enforce, one of Kubernetes' Pod Security Standards. To lower a level, change the label
        with C(kubectl).
    type: str
    required: true
    choices:
      privileged: Pods have no restrictions, and full access to their node.
      baseline: Pods can't use privileges, host namespaces, hostPath volumes or host ports, and only a short list of capabilities.
      restricted: Like V(baseline). In addition, Pods run without root and without capabilities.
attributes:
  check_mode:
    support: full
    details:
      - In check mode, a namespace that does not exist is not refused, because a run may create it first. RV(namespaces[].exists)
        is then false.
  diff_mode:
    support: full
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.lock
  - mlfleet.hyperpod.kubernetes
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - mlfleet.hyperpod.lock_option
  - mlfleet.hyperpod.lock_option.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster)."
  - "Kubernetes permissions of the caller: get and patch the namespaces."
  - Kubernetes enforces the label since version 1.25, unless Pod Security admission is disabled. Older API servers only store the
    label.
  - This module has not yet run against live AWS, nor with an API server that enforces the label.
seealso:
  - name: Pod Security Standards
    description: Describes what each level forbids.
    link: https://kubernetes.io/docs/concepts/security/pod-security-standards/
"""

EXAMPLES = r"""
- name: List Pods that would violate the level
  mlfleet.hyperpod.namespace_pod_security:
    eks_cluster: training
    region: us-west-2
    namespaces: [hyperpod-ns-research]
    level: baseline
  check_mode: true
  register: predicted

- name: Prevent Pods of a team from accessing their nodes
  mlfleet.hyperpod.namespace_pod_security:
    eks_cluster: training
    region: us-west-2
    namespaces: [hyperpod-ns-research]
    level: baseline
"""

RETURN = r"""
namespaces:
  description: The namespaces, in the order of O(namespaces). In check mode, the predicted namespaces.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the namespace.
      type: str
      sample: hyperpod-ns-research
    exists:
      description: Whether the namespace exists.
      type: bool
      sample: true
    level:
      description: Level in the label of the namespace. Null if the namespace has no such label.
      type: str
      sample: baseline
    stricter:
      description: Whether the level of the namespace is stricter than O(level), so that it was not changed.
      type: bool
      sample: false
    warnings:
      description: Warnings of the API server in the dry run of the change, at most 50 texts. Empty if nothing changes.
      type: list
      elements: str
      sample: ["train-0: privileged, hostPath volumes"]
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: Namespace hyperpod-ns-research
      field: metadata.labels.pod-security.kubernetes.io/enforce
      before:
      after: baseline
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import pod_security
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import CONNECTION, connect_kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {"cluster_arn": {"type": "str"}, **pod_security.SPEC, **CONNECTION, **LOCK_OPTION}


def resource(module: t.Any) -> Resource:
    wanted = pod_security.desired(module.params)
    kubernetes = connect_kubernetes(module)
    return Resource(
        observe=pod_security.Observer(kubernetes, wanted, check_mode=module.check_mode),
        plan=lambda state: pod_security.plan(wanted, state),
        apply=pod_security.Applier(kubernetes),
        result=pod_security.result,
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
