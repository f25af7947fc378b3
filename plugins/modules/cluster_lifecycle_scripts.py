#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_lifecycle_scripts
version_added: 0.1.0
short_description: Manage the lifecycle scripts of a SageMaker HyperPod cluster in S3
description:
  - Uploads the lifecycle scripts of a cluster to a folder in S3. HyperPod copies all objects of the folder to each new node and
    runs the scripts as root.
  - The bucket must belong to the account of the cluster, or to the account of the caller if O(cluster_arn) is omitted. Every
    request to S3 contains this account as the expected owner. A script is uploaded if its SHA-256 differs from that of the object
    in the bucket.
  - The module records the SHA-256 of each script in Systems Manager Parameter Store, below
    C(/mlfleet/hyperpod/ID/lifecycle-scripts). Write access to the bucket is not enough to change this record.
    RV(hyperpod_findings) reports scripts that were changed in the bucket after their upload.
  - Other objects below O(prefix) are reported and not removed. Among them are scripts that an earlier run uploaded and that are no
    longer in O(scripts).
options:
  cluster_arn:
    description:
      - ARN of the cluster. The Region must match the ARN. If omitted, no digests are recorded.
      - Required with O(state=absent).
    type: str
  state:
    description:
      - Desired state of the scripts and of their recorded digests.
    type: str
    choices:
      present: The scripts are in the bucket, and their digests are recorded.
      absent: No digests are recorded. The scripts are not removed from the bucket.
    default: present
  bucket:
    description:
      - Name of the bucket. Required with O(state=present).
    type: str
  prefix:
    description:
      - Key prefix of all scripts, such as V(ml/src).
    type: str
    default: ""
  scripts:
    description:
      - The scripts. Required with O(state=present).
    type: list
    elements: dict
    suboptions:
      name:
        description: Path below the prefix, such as V(utils/users.py).
        type: str
        required: true
      src:
        description: Path of the script on the control node.
        type: path
      content:
        description: Text of the script. Use this option instead of O(scripts[].src) for a script that is not in a file.
        type: str
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
  - mlfleet.hyperpod.attributes.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions: C(s3:ListBucket), C(s3:GetObject) and C(s3:PutObject) on the bucket, C(ssm:GetParametersByPath),
    C(ssm:PutParameter), C(ssm:AddTagsToResource) and C(ssm:DeleteParameter) on
    C(parameter/mlfleet/hyperpod/*/lifecycle-scripts*), and C(sts:GetCallerIdentity), which needs no permission.'
  - If your own KMS key encrypts the bucket, the caller also needs the KMS actions Decrypt and GenerateDataKey on that key.
  - The module acquires no lock.
seealso:
  - module: mlfleet.hyperpod.cluster_lifecycle_scripts_info
  - module: mlfleet.hyperpod.cluster
"""

EXAMPLES = r"""
- name: Upload the scripts of a cluster
  mlfleet.hyperpod.cluster_lifecycle_scripts:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    bucket: sagemaker-example
    prefix: ml/src
    scripts:
      - name: on_create.sh
        src: src/on_create.sh
      - name: provisioning_parameters.json
        content: "{{ parameters | to_nice_json }}"

- name: Remove the recorded digests of a deleted cluster
  mlfleet.hyperpod.cluster_lifecycle_scripts:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    state: absent
"""

RETURN = r"""
lifecycle_scripts:
  description: The scripts in S3. In check mode, the predicted scripts. Null with O(state=absent).
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
      description: Names of other objects below the prefix. The list can be incomplete.
      type: list
      elements: str
      sample: []
hyperpod_findings:
  description:
    - Scripts that were changed in the bucket, and other objects below the prefix, with the codes of
      C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
  sample:
    - action: create
      resource: object s3://sagemaker-example/ml/src/on_create.sh
      field: sha256
      before: null
      after: n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_region
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.result import Report
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import run_aws

SPEC = {
    "cluster_arn": {"type": "str"},
    "state": {"type": "str", "default": "present", "choices": ["present", "absent"]},
    "bucket": {"type": "str"},
    "prefix": {"type": "str", "default": ""},
    "scripts": {
        "type": "list",
        "elements": "dict",
        "options": {"name": {"type": "str", "required": True}, "src": {"type": "path"}, "content": {"type": "str"}},
        "mutually_exclusive": [("src", "content")],
        "required_one_of": [("src", "content")],
    },
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    arn = ClusterArn.parse(module.params["cluster_arn"]) if desired.path else None
    if arn is not None:
        check_region(arn, module.region)
    owner = arn.account if arn else connect(module, "sts").call("GetCallerIdentity", about="the caller")["Account"]
    s3, parameters = connect(module, "s3"), Parameters(connect(module, "ssm"))
    report = Report(desired, uploads=not module.check_mode)
    return Resource(
        observe=Observer(s3, parameters, desired, owner=owner),
        plan=lambda state: plan(desired, report.noted(state)),
        apply=Applier(s3, parameters, arn, owner=owner),
        result=report.result,
    )


def main() -> None:
    needed = [("state", "present", ("bucket", "scripts")), ("state", "absent", ("cluster_arn",))]
    run_aws(aws_module(argument_spec=SPEC, required_if=needed), resource)


if __name__ == "__main__":
    main()
