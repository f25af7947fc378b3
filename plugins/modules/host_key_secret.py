#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_key_secret
version_added: 0.1.0
short_description: Manage the SSH host keys that the login nodes of a cluster share
description:
  - Ensures that the host keys of a cluster exist in Secrets Manager. Ensures that their public keys are in a parameter of Systems
    Manager, where they can be read without access to the secret.
  - The module generates keys only if the secret does not exist. If the secret can't be read, is scheduled for deletion or has
    unexpected content, the module fails, because new keys would cause a warning in every client.
  - Private keys are never part of the result, the diff or a log. Install them with M(mlfleet.hyperpod.ssh_host_keys) and the
    lookup P(amazon.aws.secretsmanager_secret#lookup).
options:
  cluster_arn:
    description:
      - ARN of the cluster. The Region must match the ARN.
    type: str
    required: true
  state:
    description:
      - State of the secret and the parameter.
    type: str
    choices:
      present: Secret and parameter exist, and the parameter matches the secret.
      absent: >-
        Neither the secret nor the parameter exists. If the secret does not have the tag of this cluster, the module fails and
        changes nothing. A removed secret can be restored for O(recovery_window) days, unless O(force=true).
      query: Nothing is changed. The public keys are read from the parameter, and the secret is not read.
    default: present
  purpose:
    description:
      - Purpose of the keys.
      - V(host_keys) are the keys that all login nodes share. Their public keys are in the parameter C(/mlfleet/hyperpod/<cluster
        id>/host-keys).
      - V(host_ca) is one Ed25519 key that signs separate host keys of login nodes, see M(mlfleet.hyperpod.host_certificate). Its
        public key is in the parameter C(/mlfleet/hyperpod/<cluster id>/host-ca). O(key_types) is then ignored, and O(rotation) is
        not allowed.
    type: str
    choices: [host_keys, host_ca]
    default: host_keys
  secret_name:
    description:
      - Name of the secret. The default is C(mlfleet/hyperpod/<cluster id>/ssh-host-keys), or C(.../ssh-host-ca) with
        O(purpose=host_ca).
    type: str
  kms_key_id:
    description:
      - KMS key that encrypts the secret, as ID, ARN or alias. The default is the account's C(aws/secretsmanager) key.
      - Used only to create the secret. The KMS key of an existing secret is not changed.
    type: str
  key_types:
    description:
      - Types of the keys to generate for a new secret. C(ecdsa) is nistp256, and C(rsa) has 3072 bits.
      - If an existing secret has no key of one of these types, the module warns and adds no key.
    type: list
    elements: str
    choices: [ed25519, ecdsa, rsa]
    default: [ed25519, ecdsa, rsa]
  public_keys:
    description:
      - Public keys of host keys that are stored elsewhere, for example in a vault. Give one key on each line, and at most one key
        of each type. C(ecdsa) is nistp256.
      - If this option is set, the module creates, reads and removes no secret. It only manages the parameter, with these keys.
      - Mutually exclusive with O(secret_name) and O(kms_key_id).
    type: list
    elements: str
  rotation:
    description:
      - One step of a host key rotation. A step that is already done changes nothing, except V(emergency).
      - V(start) generates a second set of keys, C(next). Login nodes announce this set together with the current one, so that
        clients learn the new keys.
      - V(finish) makes C(next) the keys that login nodes present. The replaced keys are kept as C(previous) until the next
        V(start) or V(emergency). This step is refused within O(minimum_days) after V(start), unless O(force=true).
      - V(rollback) removes C(next). If there is no C(next), as after V(finish), it makes C(previous) the current keys again. In
        both cases, it deletes the private keys of the set that is no longer used.
      - V(emergency) generates new keys and deletes all other private keys. Every client that knows the deleted keys then refuses
        to connect.
      - V(settle) records that all login nodes present the current keys, so that C(previous) is no longer published.
      - Not allowed with O(public_keys).
    type: str
    choices: [start, finish, rollback, emergency, settle]
  minimum_days:
    description:
      - Minimum number of days between V(start) and V(finish) of O(rotation), V(0) to V(3650).
    type: int
    default: 30
  recovery_window:
    description:
      - Number of days for which a removed secret can be restored, V(7) to V(30).
    type: int
    default: 30
  force:
    description:
      - With O(state=absent), whether to remove the secret immediately and permanently.
      - With O(rotation=finish), whether to ignore O(minimum_days).
    type: bool
    default: false
attributes:
  check_mode:
    support: full
    details:
      - Keys that would be generated are returned as V((known after apply\)).
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
    C(secretsmanager:CreateSecret), C(secretsmanager:TagResource), C(secretsmanager:PutSecretValue) to rotate the keys, and
    C(secretsmanager:DeleteSecret) to remove the secret.'
  - 'IAM actions on the parameter: C(ssm:GetParameter), C(ssm:PutParameter), C(ssm:AddTagsToResource), and C(ssm:DeleteParameter)
    to remove the parameter. O(state=query) requires only C(ssm:GetParameter). With O(public_keys), no action on the secret is
    required.'
seealso:
  - module: mlfleet.hyperpod.ssh_host_keys
  - plugin: amazon.aws.secretsmanager_secret
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Create the host keys of a cluster
  mlfleet.hyperpod.host_key_secret:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
  register: host_keys

- name: Write known_hosts for users
  ansible.builtin.copy:
    dest: known_hosts
    content: |
      {% for key in host_keys.host_keys %}
      login.example.com {{ key.public_key }}
      {% endfor %}
    mode: "0644"

- name: Publish the public keys of host keys in a vault, without a secret
  mlfleet.hyperpod.host_key_secret:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    public_keys: "{{ vaulted_host_keys.values() | map(attribute='public') }}"

- name: Let login nodes announce a second set of keys
  mlfleet.hyperpod.host_key_secret:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    rotation: start

- name: Create the key that signs separate host keys of login nodes
  mlfleet.hyperpod.host_key_secret:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    purpose: host_ca

- name: Read the public keys without access to the secret
  mlfleet.hyperpod.host_key_secret:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    state: query
"""

RETURN = r"""
host_keys:
  description: The public keys. Empty if there are no keys.
  returned: success
  type: list
  elements: dict
  contains:
    type:
      description: Type of the key, as in C(ssh-keygen -t), such as V(ed25519).
      type: str
      sample: ed25519
    public_key:
      description: Algorithm and key, as in a line of C(known_hosts) after the name.
      type: str
      sample: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB4Zf3jy5rC1xdKLqTdVYoJ1Y7rCkT2mSWy0S5Zs2v1R
    fingerprint:
      description: Fingerprint, in the format of C(ssh-keygen -l).
      type: str
      sample: SHA256:0GvPcA2Zl7p1dnhVI3wnFQBX9wA2uO5MMcWVfDFWj9g
next_host_keys:
  description: Public keys that login nodes announce during a rotation, in the format of RV(host_keys).
  returned: success
  type: list
  elements: dict
  sample: []
previous_host_keys:
  description: Public keys that a login node may still present if no run has reached it since the end of a rotation.
  returned: success
  type: list
  elements: dict
  sample: []
rotation:
  description:
    - The key sets in the secret. Null if the secret was not read. Each set has C(generation), C(created), C(fingerprints) and
      C(restorable). C(restorable) is whether the private keys of the set exist. A previous set also has C(retired) and
      C(settled).
  returned: success
  type: dict
  contains:
    phase:
      description: V(announced) after V(start), until V(finish) or V(rollback). Otherwise V(none).
      type: str
    settled:
      description: Whether the previous keys are no longer published.
      type: bool
    current:
      description: Key set that login nodes present.
      type: dict
    next:
      description: Key set that login nodes announce but do not present, or null.
      type: dict
    previous:
      description: Key set that was current before the last change, or null.
      type: dict
  sample:
    phase: none
    settled: true
    current:
      generation: 1
      created: "2026-11-21T01:02:03Z"
      restorable: true
      fingerprints: ["SHA256:0GvPcA2Zl7p1dnhVI3wnFQBX9wA2uO5MMcWVfDFWj9g"]
    next: null
    previous: null
secret:
  description: Secret with the private keys.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the secret. Null with O(public_keys).
      type: str
      sample: mlfleet/hyperpod/abc123def456/ssh-host-keys
    arn:
      description: ARN of the secret. Null if the secret does not exist or was not read.
      type: str
      sample: arn:aws:secretsmanager:us-west-2:111111111111:secret:mlfleet/hyperpod/abc123def456/ssh-host-keys-AbCdEf
parameter:
  description: Name of the parameter with the public keys.
  returned: success
  type: str
  sample: /mlfleet/hyperpod/abc123def456/host-keys
locked_by:
  description: Holder of the lock, in the format of RV(mlfleet.hyperpod.cluster_lock#module:holder).
  returned: failure, if another run holds the lock
  type: dict
  sample:
    owner: ops@bastion
    expires: "2026-11-21T02:02:03Z"
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

import typing as t

from ansible.module_utils.basic import missing_required_lib
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_region
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import rotation
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.keys import HAS_CRYPTOGRAPHY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.model import HOST_KEYS, PRESENT, PURPOSES, STATES
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES

SPEC: dict[str, dict[str, t.Any]] = {
    "cluster_arn": {"type": "str", "required": True},
    "state": {"type": "str", "default": PRESENT, "choices": list(STATES)},
    "purpose": {"type": "str", "default": HOST_KEYS, "choices": list(PURPOSES)},
    "secret_name": {"type": "str", "no_log": False},
    "kms_key_id": {"type": "str", "no_log": False},
    "key_types": {
        "type": "list",
        "elements": "str",
        "choices": list(HOST_KEY_TYPES),
        "default": list(HOST_KEY_TYPES),
        "no_log": False,
    },
    "public_keys": {"type": "list", "elements": "str", "no_log": False},
    "rotation": {"type": "str", "choices": list(rotation.ROTATIONS)},
    "minimum_days": {"type": "int", "default": rotation.MINIMUM_DAYS},
    "recovery_window": {"type": "int", "default": 30},
    "force": {"type": "bool", "default": False},
    **LOCK_OPTION,
}
SETTINGS = {
    "argument_spec": SPEC,
    "mutually_exclusive": [("public_keys", "secret_name"), ("public_keys", "kms_key_id"), ("public_keys", "rotation")],
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    check_region(desired.arn, module.region)
    observer = Observer(connect(module, "secretsmanager"), connect(module, "ssm"), desired)
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state),
        apply=Applier(desired, observer),
        result=lambda state: result(desired, state),
        lost_race=desired.lost_race,
    )


def run(module: t.Any) -> t.NoReturn:
    makes_keys = module.params["state"] == PRESENT and module.params["public_keys"] is None
    if makes_keys and not HAS_CRYPTOGRAPHY:
        module.fail_json(msg=missing_required_lib("cryptography"))
    run_aws(module, resource)


def main() -> None:
    run(aws_module(**SETTINGS))


if __name__ == "__main__":
    main()
