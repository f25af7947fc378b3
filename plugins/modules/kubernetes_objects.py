#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kubernetes_objects
version_added: 0.1.0
short_description: Keep objects in Kubernetes as declared
description:
  - Applies objects of any kind on the server's side, as the manager of fields V(mlfleet.hyperpod). What others declared of
    them, and what the API server added, stays. A field that was declared once and is not any more is removed.
  - Each of them gets the label V(app.kubernetes.io/managed-by=mlfleet.hyperpod). What has the name of a declared object
    without that label is refused.
  - M(kubernetes.core.k8s) sends a request for each object in every run when it applies on the server's side, shows no
    difference for a list of objects, and can't foresee objects of kinds that the API server does not have yet.
options:
  definitions:
    description:
      - The objects. Those without a namespace whose kind has one are in V(default).
    type: list
    elements: dict
    required: true
  state:
    description:
      - Whether they are to be there. V(present) waits for kinds that are not there yet, and for objects that are being deleted,
        which it makes again once they are gone. V(absent) waits until the objects are gone.
    type: str
    choices: [present, absent]
    default: present
  adopt:
    description:
      - Whether to take over, or delete, what somebody else made.
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
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster). In Kubernetes the caller must be allowed to get, create, patch and
    delete the objects."
  - Check mode asks for nothing but the objects that are there. What the API server would refuse is not foreseen.
  - Not yet run against live AWS.
seealso:
  - name: Server-Side Apply
    description: Who manages which field.
    link: https://kubernetes.io/docs/reference/using-api/server-side-apply/
"""

EXAMPLES = r"""
- name: A NodeClass of managed Karpenter
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
  description: Those of the declared objects that are there; in check mode as they would be.
  returned: success
  type: list
  elements: dict
  sample:
    - apiVersion: karpenter.sagemaker.amazonaws.com/v1
      kind: HyperpodNodeClass
      metadata: {name: gpus}
      spec: {instanceGroups: [g5-a, g5-b]}
changes:
  description: Every change that was made, or in check mode would be made.
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
