#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: service_quota
version_added: 0.1.0
short_description: Request a service quota increase
description:
  - Requests an increase of a quota of the account, unless the quota is sufficient or an increase to at least O(value) was already
    requested. While a request for a lower value is open, the module refuses a further request.
  - AWS decides within minutes or days. The module does not wait for the decision. M(mlfleet.hyperpod.service_quota_info) returns
    the result.
  - Modules of other collections find a quota by its code, which is not the same everywhere.
options:
  service_code:
    description:
      - Code of the service.
    type: str
    default: sagemaker
  name:
    description:
      - Name of the quota in AWS, such as V(ml.p5.48xlarge for cluster usage).
    type: str
    required: true
  value:
    description:
      - Required value of the quota. A quota that already has this value or a higher one is not changed.
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
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.service_quota_info
"""

EXAMPLES = r"""
- name: Request a quota for sixteen nodes
  mlfleet.hyperpod.service_quota:
    region: us-west-2
    name: ml.p5.48xlarge for cluster usage
    value: 16
"""

RETURN = r"""
quota:
  description: The quota. In check mode, the predicted quota.
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
      description: Name of the quota.
      type: str
      sample: ml.p5.48xlarge for cluster usage
    value:
      description: Current value of the quota.
      type: float
      sample: 8.0
    adjustable:
      description: Whether the quota can be increased.
      type: bool
      sample: true
    pending:
      description: Highest requested value on which AWS has not yet decided, or null.
      type: float
      sample: 16.0
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: quota ml.p5.48xlarge for cluster usage
      field: requested value
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
