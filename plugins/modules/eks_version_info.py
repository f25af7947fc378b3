#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: eks_version_info
version_added: 0.1.0
short_description: Get the Kubernetes versions of EKS and their support
description:
  - Returns the versions of Kubernetes that EKS lists, with the ends of their support. A version in extended support costs more for
    each hour.
  - Neither C(amazon.aws) nor C(community.aws) has a module that reads them.
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(eks:DescribeClusterVersions)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.eks_cluster
  - name: DescribeClusterVersions
    description: The API reference of EKS.
    link: https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeClusterVersions.html
"""

EXAMPLES = r"""
- name: Get the versions of EKS
  mlfleet.hyperpod.eks_version_info:
    region: us-west-2
  register: eks

- name: Print the versions in standard support
  ansible.builtin.debug:
    msg: "{{ eks.eks_versions | selectattr('status', '==', 'standard') | map(attribute='version') }}"
"""

RETURN = r"""
eks_versions:
  description: The versions, oldest first.
  returned: success
  type: list
  elements: dict
  contains:
    version:
      description: Version of Kubernetes.
      type: str
      sample: "1.35"
    default:
      description: Whether EKS creates clusters with this version if the caller names none.
      type: bool
      sample: true
    status:
      description: V(standard), V(extended), V(unsupported), or V(unknown) for a status that is not known here.
      type: str
      sample: standard
    end_of_standard_support:
      description: Time at which the standard support ends, in UTC. Null if EKS returns none.
      type: str
      sample: '2027-03-27T00:00:00.000Z'
    end_of_extended_support:
      description: Time at which the extended support ends, in UTC. Null if EKS returns none.
      type: str
      sample: '2028-03-27T00:00:00.000Z'
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.observe import versions
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.versions import numbers


def eks_versions(module: t.Any) -> dict[str, t.Any]:
    found = sorted(versions(connect(module, "eks")), key=lambda each: numbers(each.name))
    return {"eks_versions": [{"version": each.name, "default": each.default, **each.to_result()} for each in found]}


def main() -> None:
    read_aws(aws_module(argument_spec={}), eks_versions)


if __name__ == "__main__":
    main()
