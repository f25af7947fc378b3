#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kubernetes_objects
version_added: 0.1.0
short_description: Manage Kubernetes objects by server-side apply
description:
  - Applies objects of any kind by server-side apply, with the field manager V(mlfleet.hyperpod). The module does not change
    fields of other managers or fields that the API server added. It removes a field that is no longer declared.
  - Each object gets the label V(app.kubernetes.io/managed-by=mlfleet.hyperpod). If an object with a declared name exists without
    this label, the module refuses to change it.
  - With server-side apply, M(kubernetes.core.k8s) sends a request for each object in every run and shows no diff for a list of
    objects. It can't predict objects whose kind the API server does not have yet.
options:
  definitions:
    description:
      - The objects. A namespaced object without a namespace is in the namespace V(default).
    type: list
    elements: dict
    required: true
  state:
    description:
      - Whether the objects exist. V(present) waits for missing kinds. It also waits for objects that are being deleted, and then
        creates them again. V(absent) waits until the objects are removed.
    type: str
    choices: [present, absent]
    default: present
  adopt:
    description:
      - Whether to accept existing objects without the label of this collection. O(state=present) then adopts them, and
        O(state=absent) deletes them.
    type: bool
    default: false
  keep_foreign:
    description:
      - Whether to leave existing objects without the label of this collection unchanged, instead of failing. Mutually exclusive
        with O(adopt=true).
    type: bool
    default: false
  wait_timeout:
    description:
      - Seconds to wait, V(1) to V(86400).
    type: int
    default: 300
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
  - mlfleet.hyperpod.kubernetes
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - mlfleet.hyperpod.lock_option
  - mlfleet.hyperpod.lock_option.cluster
  - mlfleet.hyperpod.waits
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster). Kubernetes permissions of the caller: get, create, patch and delete
    the objects."
  - Check mode only reads existing objects. It does not detect objects that the API server would refuse.
  - This module has not yet run against live AWS.
seealso:
  - name: Server-Side Apply
    description: Explains the managers of fields.
    link: https://kubernetes.io/docs/reference/using-api/server-side-apply/
"""

EXAMPLES = r"""
- name: Create a NodeClass of managed Karpenter
  mlfleet.hyperpod.kubernetes_objects:
    eks_cluster: training
    region: us-west-2
    definitions:
      - apiVersion: karpenter.sagemaker.amazonaws.com/v1
        kind: HyperpodNodeClass
        metadata: {name: gpus}
        spec: {instanceGroups: [g5-a, g5-b]}
"""

RETURN = r"""
objects:
  description: The declared objects that exist. In check mode, the predicted objects.
  returned: success
  type: list
  elements: dict
  sample:
    - apiVersion: karpenter.sagemaker.amazonaws.com/v1
      kind: HyperpodNodeClass
      metadata: {name: gpus}
      spec: {instanceGroups: [g5-a, g5-b]}
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: HyperpodNodeClass gpus
      field: spec.instanceGroups
      before: [g5-a]
      after: [g5-a, g5-b]
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import (
    CONNECTION,
    connect_kubernetes,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "cluster_arn": {"type": "str"},
    "definitions": {"type": "list", "elements": "dict", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "adopt": {"type": "bool", "default": False},
    "keep_foreign": {"type": "bool", "default": False},
    **CONNECTION,
    **wait_options(timeout=300),
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired, waits = options.desired(module.params), waits_of(module)
    kubernetes = connect_kubernetes(module)
    observer = Observer(kubernetes, desired, waits=waits)
    return Resource(
        observe=observer, plan=lambda state: plan(desired, state), apply=Applier(kubernetes), result=result
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
