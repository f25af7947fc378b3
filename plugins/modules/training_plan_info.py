#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: training_plan_info
version_added: 0.1.0
short_description: Get the available instances of SageMaker training plans
description:
  - Returns the number of available instances of each training plan, and how many of them are spare. If the instance group of a
    HyperPod node uses a training plan, a replacement comes from these instances.
  - A plan that can't be read, for example because the caller lacks the permission, is not a failure. It is returned with the
    reason.
  - AWS has no operation that returns available on-demand capacity.
  - No other collection has this operation.
options:
  training_plans:
    description:
      - Names or ARNs of training plans.
    type: list
    elements: str
    required: true
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sagemaker:DescribeTrainingPlan)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_info
  - module: mlfleet.hyperpod.cluster_nodes
  - name: DescribeTrainingPlan
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeTrainingPlan.html
"""

EXAMPLES = r"""
- name: Check whether a node can be replaced now
  mlfleet.hyperpod.training_plan_info:
    region: us-west-2
    training_plans: [arn:aws:sagemaker:us-west-2:111111111111:training-plan/research]
"""

RETURN = r"""
training_plans:
  description: The training plans, in the order of O(training_plans), without duplicates.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name or ARN of the training plan, as in O(training_plans).
      type: str
      sample: arn:aws:sagemaker:us-west-2:111111111111:training-plan/research
    known:
      description: Whether AWS returned the plan.
      type: bool
      sample: true
    why:
      description: Why the plan could not be read. Empty if it was read.
      type: str
      sample: ""
    status:
      description: Status of the plan, as AWS returns it.
      type: str
      sample: Active
    total:
      description: Number of reserved instances. A number of the plan is null if AWS does not return it.
      type: int
      sample: 16
    available:
      description: Number of available instances.
      type: int
      sample: 0
    spare:
      description: Number of available spare instances.
      type: int
      sample: 1
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.training_plans import read, wanted

SPEC = {"training_plans": {"type": "list", "elements": "str", "required": True}}


def training_plans(module: t.Any) -> dict[str, t.Any]:
    names = wanted(module.params["training_plans"])
    return read(connect(module, "sagemaker"), names)


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), training_plans)


if __name__ == "__main__":
    main()
