#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: service_quota
version_added: 0.1.0
short_description: Ask AWS for a higher quota
description:
  - Asks for a quota of the account to be at least a certain value, unless it is, or that was asked for already.
  - AWS decides in minutes or in days; the module does not wait for that. M(mlfleet.hyperpod.service_quota_info) tells.
  - Other collections find a quota by its code, which is not the same everywhere.
options:
  service_code:
    description:
      - Code of the service.
    type: str
    default: sagemaker
  name:
    description:
      - Name of the quota, as AWS writes it, such as V(ml.p5.48xlarge for cluster usage).
    type: str
    required: true
  value:
    description:
      - What it shall be at least.
    type: float
    required: true
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
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(servicequotas:ListServiceQuotas), C(servicequotas:ListAWSDefaultServiceQuotas),
    C(servicequotas:ListRequestedServiceQuotaChangeHistoryByQuota), and to change something
    C(servicequotas:RequestServiceQuotaIncrease)."
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.service_quota_info
"""

EXAMPLES = r"""
- name: Room for sixteen nodes
  mlfleet.hyperpod.service_quota:
    region: us-west-2
    name: ml.p5.48xlarge for cluster usage
    value: 16
"""

RETURN = r"""
quota:
  description: The quota; in check mode as it would be.
  returned: success
  type: dict
  contains:
    service_code:
      description: Code of the service.
      type: str
      sample: sagemaker
    quota_code:
      description: Code of the quota.
      type: str
      sample: L-8762A75F
    name:
      description: Its name.
      type: str
      sample: ml.p5.48xlarge for cluster usage
    value:
      description: What AWS grants.
      type: float
      sample: 8.0
    adjustable:
      description: Whether AWS changes it.
      type: bool
      sample: true
    pending:
      description: The highest value that was asked for and is not decided, or null.
      type: float
      sample: 16.0
changes:
  description: Every change that was made, or in check mode would be made.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: quota ml.p5.48xlarge for cluster usage
      field: asked for
      before: 8.0
      after: 16.0
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.api import ServiceQuotas
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import run_aws

SPEC = {
    "service_code": {"type": "str", "default": "sagemaker"},
    "name": {"type": "str", "required": True},
    "value": {"type": "float", "required": True},
}


def resource(module: t.Any) -> Resource:
    wanted = desired(module.params)
    api = ServiceQuotas(connect(module, "service-quotas").client)
    return Resource(
        observe=Observer(api, wanted),
        plan=lambda state: plan(wanted, state),
        apply=Applier(api, wanted),
        result=result,
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
