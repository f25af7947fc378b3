#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_lifecycle_scripts_info
version_added: 0.1.0
short_description: Compare the lifecycle scripts of a SageMaker HyperPod cluster in S3 with the uploaded scripts
description:
  - Compares the scripts in S3 with the digests that M(mlfleet.hyperpod.cluster_lifecycle_scripts) recorded at their upload.
  - If no digests are recorded, the module does not read S3.
options:
  cluster_arn:
    description:
      - ARN of the cluster. The Region must match the ARN, and the bucket must belong to its account.
    type: str
    required: true
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions: C(ssm:GetParametersByPath) on C(parameter/mlfleet/hyperpod/*), C(s3:ListBucket) and C(s3:GetObject) on the
    bucket.'
  - If your own KMS key encrypts the bucket, the caller also needs the KMS action Decrypt on that key.
seealso:
  - module: mlfleet.hyperpod.cluster_lifecycle_scripts
"""

EXAMPLES = r"""
- name: Compare the scripts of a cluster with the uploaded scripts
  mlfleet.hyperpod.cluster_lifecycle_scripts_info:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
  register: found

- name: Fail if a script was changed
  ansible.builtin.assert:
    that: found.lifecycle_scripts is none or found.lifecycle_scripts.changed == []
"""

RETURN = r"""
lifecycle_scripts:
  description: The scripts in S3. Null if no digests are recorded, or if the recorded digests can't be read.
  returned: success
  type: dict
  contains:
    bucket:
      description: Name of the bucket.
      type: str
      sample: sagemaker-example
    prefix:
      description: Key prefix of all scripts, with a slash at the end.
      type: str
      sample: ml/src/
    recorded:
      description: Whether digests of scripts in this bucket and prefix are recorded.
      type: bool
      sample: true
    digests:
      description: SHA-256 of each script in base64. Empty for an object for which S3 has no SHA-256.
      type: dict
      sample: {on_create.sh: n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=}
    changed:
      description: Names of scripts that differ from the recorded digests.
      type: list
      elements: str
      sample: []
    others:
      description: Names of objects below the prefix without a recorded digest. The list can be incomplete.
      type: list
      elements: str
      sample: []
hyperpod_findings:
  description:
    - Scripts that were changed in the bucket, objects without a recorded digest, and recorded digests that can't be read, with the
      codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_region
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.model import Desired, path_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.result import Report

SPEC = {"cluster_arn": {"type": "str", "required": True}}


def compare(module: t.Any) -> dict[str, t.Any]:
    arn = ClusterArn.parse(module.params["cluster_arn"])
    check_region(arn, module.region)
    recorded = Desired(path=path_of(arn))
    report = Report(recorded, uploads=False)
    observe = Observer(connect(module, "s3"), Parameters(connect(module, "ssm")), recorded, owner=arn.account)
    return report.result(report.noted(observe()))


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), compare)


if __name__ == "__main__":
    main()
