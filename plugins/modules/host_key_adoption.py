#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_key_adoption
version_added: 0.1.0
short_description: Adopt the SSH host keys that login nodes already share
description:
  - Stores the host keys of one login node in the secret of the cluster, and publishes their public keys.
    M(mlfleet.hyperpod.host_key_secret) does the same with generated keys. With adopted keys, clients continue to accept the login
    nodes without a warning.
  - The action plugin reads the private keys from the node on which the task runs, and passes them to the module on the control
    node. It reads them only if the secret does not exist. The private keys are never part of a result, variable, log or file.
  - A secret that contains different keys is never changed.
options:
  cluster_arn:
    description:
      - ARN of the cluster. The Region must match the ARN.
    type: str
    required: true
  public_keys:
    description:
      - Public keys that the node presents, one on each line, at most one key of each type. The module adopts exactly these keys.
        It refuses a node that has different keys in C(/etc/ssh).
    type: list
    elements: str
    required: true
  secret_name:
    description:
      - Name of the secret. The default is C(mlfleet/hyperpod/<cluster id>/ssh-host-keys).
    type: str
  kms_key_id:
    description:
      - KMS key that encrypts the secret, as ID, ARN or alias. The default is the account's C(aws/secretsmanager) key.
    type: str
  keys:
    description:
      - Private keys. The action plugin sets this option.
    type: dict
attributes:
  check_mode:
    support: full
    details:
      - In check mode, no private key is read.
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
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
requirements:
  - cryptography (installed with paramiko)
notes:
  - 'IAM actions on the secret: C(secretsmanager:DescribeSecret), C(secretsmanager:GetSecretValue),
    C(secretsmanager:CreateSecret), C(secretsmanager:TagResource).'
  - 'IAM actions on the parameter: C(ssm:GetParameter), C(ssm:PutParameter), C(ssm:AddTagsToResource).'
seealso:
  - module: mlfleet.hyperpod.host_key_secret
  - module: mlfleet.hyperpod.ssh_endpoint_info
"""

EXAMPLES = r"""
- name: Adopt the host keys that clients already know
  mlfleet.hyperpod.host_key_adoption:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    public_keys:
      - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm
  delegate_to: ml-i-0123456789abcdef0
  become: true
"""

RETURN = r"""
host_keys:
  description: The public keys of the secret. In check mode, the predicted public keys.
  returned: success
  type: list
  elements: dict
  contains:
    type:
      description: Type of the key, as in C(ssh-keygen -t), such as V(ed25519).
      type: str
      sample: ed25519
    public_key:
      description: Algorithm and key.
      type: str
      sample: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm
    fingerprint:
      description: Fingerprint, in the format of C(ssh-keygen -l).
      type: str
      sample: SHA256:8M1D0c6vLrkMzbkfxYCpJ2S5kFCcGMQp9VqXIqeLxzM
secret:
  description: Secret with the private keys.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the secret.
      type: str
      sample: mlfleet/hyperpod/abc123def456/ssh-host-keys
    arn:
      description: ARN of the secret.
      type: str
      sample: arn:aws:secretsmanager:us-west-2:111111111111:secret:mlfleet/hyperpod/abc123def456/ssh-host-keys-AbCdEf
parameter:
  description: Name of the parameter with the public keys.
  returned: success
  type: str
  sample: /mlfleet/hyperpod/abc123def456/host-keys
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
  sample:
    - action: create
      resource: secret mlfleet/hyperpod/abc123def456/ssh-host-keys
      field: keys
      before: null
      after: [ed25519, ecdsa, rsa]
"""

import datetime
import typing as t

from ansible.module_utils.basic import missing_required_lib
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_region
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.adoption import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.adoption.plan import needs_private_keys, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.adoption.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.keys import HAS_CRYPTOGRAPHY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.model import HostKeys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC: dict[str, dict[str, t.Any]] = {
    "cluster_arn": {"type": "str", "required": True},
    "public_keys": {"type": "list", "elements": "str", "required": True, "no_log": False},
    "secret_name": {"type": "str", "no_log": False},
    "kms_key_id": {"type": "str", "no_log": False},
    "keys": {"type": "dict", "no_log": True},
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params, now=datetime.datetime.now(datetime.timezone.utc))
    check_region(desired.secret.arn, module.region)
    observer = Observer(connect(module, "secretsmanager"), connect(module, "ssm"), desired.secret)

    def plan_or_request_keys(state: HostKeys) -> Plan:
        planned = plan(desired, state)
        if needs_private_keys(desired, planned) and not module.check_mode:
            module.exit_json(changed=False, keys_needed=True)
        return planned

    return Resource(
        observe=observer,
        plan=plan_or_request_keys,
        apply=Applier(desired.secret, observer, new_text=lambda: t.cast(str, desired.text)),
        result=lambda state: result(desired, state),
        lost_race=desired.secret.lost_race,
    )


def main() -> None:
    module = aws_module(argument_spec=SPEC)
    # Unmask public keys in the result. Only the private keys must be masked there.
    pairs = (module.params["keys"] or {}).values()
    module.no_log_values.difference_update({pair["public"] for pair in pairs})
    if not HAS_CRYPTOGRAPHY:
        module.fail_json(msg=missing_required_lib("cryptography"))
    run_aws(module, resource)


if __name__ == "__main__":
    main()
