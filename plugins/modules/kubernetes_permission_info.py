#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kubernetes_permission_info
version_added: 0.1.0
short_description: Ask a Kubernetes API server what somebody may do
description:
  - Asks by C(SubjectAccessReview), so that all that the server judges by counts, and not only roles of a certain name.
  - Nothing is kept on the server. C(kubernetes.core) has no module for it, since such a review can't be read back.
options:
  user:
    description:
      - Name of the user as Kubernetes sees it, such as V(system:serviceaccount:default:default).
    type: str
    required: true
  groups:
    description:
      - Groups of the user beside those that the server adds.
    type: list
    elements: str
    default: []
  permissions:
    description:
      - What is asked about.
    type: list
    elements: dict
    required: true
    suboptions:
      verb:
        description:
          - Such as V(list).
        type: str
        required: true
      resource:
        description:
          - In the plural, such as V(pods).
        type: str
        required: true
      api_group:
        description:
          - Of the resource, such as V(apps). The core group by default.
        type: str
      subresource:
        description:
          - Such as V(eviction).
        type: str
      namespace:
        description:
          - All namespaces by default.
        type: str
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.aws
  - mlfleet.hyperpod.kubernetes
  - mlfleet.hyperpod.kubernetes.kubeconfig
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster). In Kubernetes the caller must be allowed to create
    C(subjectaccessreviews.authorization.k8s.io), as EKS's policy C(AmazonEKSClusterAdminPolicy) does."
  - Not yet run against live AWS.
seealso:
  - name: Authorization
    description: What SubjectAccessReview is.
    link: https://kubernetes.io/docs/reference/access-authn-authz/authorization/
"""

EXAMPLES = r"""
- name: May HyperPod empty nodes before it updates their software?
  mlfleet.hyperpod.kubernetes_permission_info:
    eks_cluster: training
    region: us-west-2
    user: hyperpod-service-linked-role
    permissions:
      - {verb: list, resource: pods}
      - {verb: create, resource: pods, subresource: eviction}
"""

RETURN = r"""
allowed:
  description: Whether all of it is allowed.
  returned: success
  type: bool
  sample: true
permissions:
  description: What was asked about, in the same order.
  returned: success
  type: list
  elements: dict
  contains:
    verb:
      description: As it was asked.
      type: str
      sample: create
    resource:
      description: As it was asked.
      type: str
      sample: pods
    api_group:
      description: As it was asked, or an empty string.
      type: str
      sample: ""
    subresource:
      description: As it was asked, or an empty string.
      type: str
      sample: eviction
    namespace:
      description: As it was asked, or an empty string.
      type: str
      sample: ""
    allowed:
      description: Whether it is allowed.
      type: bool
      sample: true
    reason:
      description: Why, in the server's words, which may say nothing.
      type: str
      sample: ""
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import (
    CONNECTION,
    connect_kubernetes,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.permissions import ask, desired

PERMISSION = {
    "verb": {"type": "str", "required": True},
    "resource": {"type": "str", "required": True},
    "api_group": {"type": "str"},
    "subresource": {"type": "str"},
    "namespace": {"type": "str"},
}
SPEC = {
    "user": {"type": "str", "required": True},
    "groups": {"type": "list", "elements": "str", "default": []},
    "permissions": {"type": "list", "elements": "dict", "required": True, "options": PERMISSION},
    **CONNECTION,
}


def permissions(module: t.Any) -> dict[str, t.Any]:
    subject, asked = desired(module.params)
    kubernetes = connect_kubernetes(module)
    found = [ask(kubernetes, subject, each) for each in asked]
    return {"allowed": all(each["allowed"] for each in found), "permissions": found}


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), permissions)


if __name__ == "__main__":
    main()
