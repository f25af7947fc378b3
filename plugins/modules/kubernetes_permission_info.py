#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kubernetes_permission_info
version_added: 0.1.0
short_description: Check the permissions of a user in a Kubernetes cluster
description:
  - Checks the permissions with C(SubjectAccessReview). The result therefore includes all authorizers of the API server, and not
    only roles of a certain name.
  - The module stores nothing on the server. C(kubernetes.core) has no module for such a review, because a review can't be read
    back.
options:
  user:
    description:
      - Name of the user in Kubernetes, such as V(system:serviceaccount:default:default).
    type: str
    required: true
  groups:
    description:
      - Groups of the user, in addition to the groups that the API server adds.
    type: list
    elements: str
    default: []
  permissions:
    description:
      - Permissions to check.
    type: list
    elements: dict
    required: true
    suboptions:
      verb:
        description:
          - Verb, such as V(list).
        type: str
        required: true
      resource:
        description:
          - Resource in the plural, such as V(pods).
        type: str
        required: true
      api_group:
        description:
          - API group of the resource, such as V(apps). The default is the core group.
        type: str
      subresource:
        description:
          - Subresource, such as V(eviction).
        type: str
      namespace:
        description:
          - Namespace in which to check the permission. The default is all namespaces.
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
  - "IAM actions: with O(eks_cluster) C(eks:DescribeCluster). Kubernetes permissions of the caller: create
    C(subjectaccessreviews.authorization.k8s.io). The EKS policy C(AmazonEKSClusterAdminPolicy) allows this."
  - This module has not yet run against live AWS.
seealso:
  - name: Authorization
    description: Explains SubjectAccessReview.
    link: https://kubernetes.io/docs/reference/access-authn-authz/authorization/
"""

EXAMPLES = r"""
- name: Check whether HyperPod can drain nodes before it updates their software
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
  description: Whether all permissions are allowed.
  returned: success
  type: bool
  sample: true
permissions:
  description: The permissions, in the order of O(permissions).
  returned: success
  type: list
  elements: dict
  contains:
    verb:
      description: Verb.
      type: str
      sample: create
    resource:
      description: Resource.
      type: str
      sample: pods
    api_group:
      description: API group. Empty for the core group.
      type: str
      sample: ""
    subresource:
      description: Subresource, or an empty string.
      type: str
      sample: eviction
    namespace:
      description: Namespace. Empty for all namespaces.
      type: str
      sample: ""
    allowed:
      description: Whether the permission is allowed.
      type: bool
      sample: true
    reason:
      description: Reason that the API server gave. It may be empty.
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
    subject, requested = desired(module.params)
    kubernetes = connect_kubernetes(module)
    found = [ask(kubernetes, subject, each) for each in requested]
    return {"allowed": all(each["allowed"] for each in found), "permissions": found}


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), permissions)


if __name__ == "__main__":
    main()
