#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_extension
version_added: 0.1.0
short_description: Manage extensions of a SageMaker HyperPod cluster
description:
  - Installs, changes and removes an extension of a cluster that has Slurm and continuous provisioning. The module waits until the
    extension works on every node.
  - An extension that has failed is installed again. AWS requires this after the cause of the failure has been fixed.
  - No other collection has such a module.
options:
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  name:
    description:
      - Name of the extension, such as V(sagemaker-observability).
    type: str
    required: true
  state:
    description:
      - Whether the extension is installed.
    type: str
    choices: [present, absent]
    default: present
  version:
    description:
      - Version of the extension. The default is the installed version, or the newest version if the extension is not installed.
        AWS refuses downgrades.
    type: str
  configuration:
    description:
      - Settings to ensure. Other settings are not changed. A null value resets a setting to its default.
    type: dict
  wait_timeout:
    description:
      - Seconds to wait, V(1) to V(86400).
    type: int
    default: 1800
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
  - mlfleet.hyperpod.lock_option
  - mlfleet.hyperpod.waits
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sagemaker:ListClusterExtensions), C(sagemaker:DescribeClusterExtension), and to change something
    C(sagemaker:CreateClusterExtension), C(sagemaker:UpdateClusterExtension) and C(sagemaker:DeleteClusterExtension)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_extension_info
  - name: CreateClusterExtension
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateClusterExtension.html
"""

EXAMPLES = r"""
- name: Enable metrics of nodes
  mlfleet.hyperpod.cluster_extension:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    name: sagemaker-observability
    configuration:
      metricsProvider: {nodeMetrics: {level: ADVANCED}}
"""

RETURN = r"""
extension:
  description: The extension. In check mode, the predicted extension.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the extension is installed. If not, only C(exists) and C(name) are returned.
      type: bool
      sample: true
    name:
      description: Name of the extension.
      type: str
      sample: sagemaker-observability
    extension_arn:
      description: ARN of the extension.
      type: str
      sample: arn:aws:sagemaker:us-west-2:111111111111:extension/sagemaker-observability/ml/0a1b2c
    version:
      description: Version of the extension.
      type: str
      sample: 1.0.0
    status:
      description: Status of the extension, as AWS returns it.
      type: str
      sample: Active
    configuration:
      description: Settings of the extension.
      type: dict
      sample: {"metricsProvider": {"nodeMetrics": {"level": "ADVANCED"}}}
    issues:
      description: Problems that AWS reports, with the number of affected nodes.
      type: list
      elements: str
      sample: []
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: extension sagemaker-observability
      field: version
      before: 1.0.0
      after: 1.1.0
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "version": {"type": "str"},
    "configuration": {"type": "dict"},
    **wait_options(timeout=1800),
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    wanted = desired(module.params)
    api = connect_hyperpod(module)
    api.require("CreateClusterExtension")
    observer = Observer(api, wanted, waits=waits_of(module))
    return Resource(
        observe=observer,
        plan=lambda state: plan(wanted, state),
        apply=Applier(api, wanted, observer),
        result=lambda state: result(wanted, state),
        lost_race=f"The {wanted.resource} of cluster {wanted.cluster_arn} keeps changing concurrently. Run again later.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
