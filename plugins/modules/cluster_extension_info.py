#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_extension_info
version_added: 0.1.0
short_description: List the extensions of a SageMaker HyperPod cluster
description:
  - Returns the extensions of a cluster with Slurm, such as C(sagemaker-observability).
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  creation_time_after:
    description:
      - Return only extensions that were created after this time, such as V(2026-11-23T08:00:00Z).
    type: str
  creation_time_before:
    description:
      - Return only extensions that were created before this time.
    type: str
  details:
    description:
      - Whether to read the configuration and health of each extension. This requires one call for each extension.
    type: bool
    default: false
  limit:
    description:
      - Maximum number of extensions to return, V(1) to V(10000).
    type: int
    default: 100
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sagemaker:ListClusterExtensions), and for O(details) C(sagemaker:DescribeClusterExtension)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_info
  - name: ListClusterExtensions
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ListClusterExtensions.html
"""

EXAMPLES = r"""
- name: List the extensions with their health
  mlfleet.hyperpod.cluster_extension_info:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    details: true
"""

RETURN = r"""
extensions:
  description: The extensions.
  returned: success
  type: list
  elements: dict
  contains:
    extension_arn:
      description: ARN of the extension.
      type: str
      sample: arn:aws:sagemaker:us-west-2:111111111111:extension/sagemaker-observability/ml/0a1b2c
    extension_name:
      description: Name of the extension.
      type: str
      sample: sagemaker-observability
    extension_version:
      description: Version of the extension.
      type: str
      sample: 1.0.0
    status:
      description: Status of the extension, as AWS returns it.
      type: str
      sample: Active
    creation_time:
      description: Creation time.
      returned: if AWS returns it
      type: str
      sample: "2026-11-21T01:02:03.000Z"
    extension:
      description: Details from AWS, including the health, with AWS's names in snake case.
      returned: with O(details)
      type: dict
      sample: {"node_summary": {"total_count": 4, "active_count": 4}}
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.listing import EXTENSIONS


def read(module: t.Any) -> dict[str, t.Any]:
    return EXTENSIONS.read(connect_hyperpod(module), module.params)


def main() -> None:
    read_aws(aws_module(argument_spec=EXTENSIONS.argument_spec()), read)


if __name__ == "__main__":
    main()
