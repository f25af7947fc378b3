#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_key_secret
version_added: 0.1.0
short_description: Keep the SSH host keys that the login nodes of a cluster share
description:
  - Makes sure that the host keys of a cluster exist in Secrets Manager, and that their public half stands in a
    parameter of Systems Manager, where it can be read without access to the secret.
  - Keys are generated only if the secret truly does not exist. A secret that can't be read, is scheduled for deletion
    or holds something else is an error, since new keys would make every client warn.
  - Private keys are never part of the result, the diff or a log. Install them with
    M(mlfleet.hyperpod.ssh_host_keys) and the lookup P(amazon.aws.secretsmanager_secret#lookup).
options:
  cluster_arn:
    description:
      - ARN of the cluster. The region must be that of the ARN.
    type: str
    required: true
  state:
    description:
      - What is wanted.
    type: str
    choices:
      present: Secret and parameter exist, and the parameter says what the secret holds.
      absent: >-
        Neither exists. The secret is removed only if it carries the tag of this collection and cluster, and can be
        restored for some days.
      query: Nothing is changed; the public keys are read from the parameter, and the secret is not touched.
    default: present
  purpose:
    description:
      - What the keys are for.
      - V(host_keys) are those that all login nodes share, in parameter C(/mlfleet/hyperpod/<cluster id>/host-keys).
      - V(host_ca) is one Ed25519 key that signs the keys which login nodes have of their own, see
        M(mlfleet.hyperpod.host_certificate). Its public half stands in C(/mlfleet/hyperpod/<cluster id>/host-ca).
        O(key_types) is not used then, and O(rotation) not allowed.
    type: str
    choices: [host_keys, host_ca]
    default: host_keys
  secret_name:
    description:
      - Name of the secret. C(mlfleet/hyperpod/<cluster id>/ssh-host-keys) by default, and C(.../ssh-host-ca) with
        O(purpose=host_ca).
    type: str
  kms_key_id:
    description:
      - Key that encrypts the secret, by id, ARN or alias. The account's C(aws/secretsmanager) by default.
      - Used when the secret is created. The key of an existing secret stays as it is.
    type: str
  key_types:
    description:
      - Types of the keys that are generated when the secret is created. C(ecdsa) means nistp256, C(rsa) 3072 bits.
      - A type that an existing secret lacks is reported, not added.
    type: list
    elements: str
    choices: [ed25519, ecdsa, rsa]
    default: [ed25519, ecdsa, rsa]
  public_keys:
    description:
      - Public halves of host keys that live elsewhere, for example in a vault; one line for each key, at most one key
        of each type. C(ecdsa) means nistp256.
      - If given, no secret is made, read or removed. Only the parameter is kept, with these keys.
      - Mutually exclusive with O(secret_name) and O(kms_key_id).
    type: list
    elements: str
  rotation:
    description:
      - One step of a rotation of the keys. A step that was done already changes nothing, except V(emergency).
      - V(start) makes a second set, C(next), which login nodes announce beside the first one so that clients learn it.
      - V(finish) makes C(next) the keys that login nodes present. The old ones are kept as C(previous). It is refused
        within O(minimum_days) of the start, unless O(force=true).
      - V(rollback) takes C(next) away; after V(finish) it makes C(previous) the keys again. The keys that it takes away
        are not kept.
      - V(emergency) makes new keys and forgets the private halves of all others. Every client that knows the old keys
        refuses to connect.
      - V(settle) notes that all login nodes were seen with the keys that they are to present, so that C(previous) is
        published no longer.
      - Not allowed with O(public_keys).
    type: str
    choices: [start, finish, rollback, emergency, settle]
  minimum_days:
    description:
      - Days between V(start) and V(finish) of O(rotation), from V(0) to V(3650).
    type: int
    default: 30
  recovery_window:
    description:
      - Days for which a removed secret can be restored, from V(7) to V(30).
    type: int
    default: 30
  force:
    description:
      - With O(state=absent), remove the secret at once and for good.
      - With O(rotation=finish), do not wait for O(minimum_days).
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
  - cryptography (it comes with paramiko)
notes:
  - 'IAM actions on the secret: C(secretsmanager:DescribeSecret), C(secretsmanager:GetSecretValue),
    C(secretsmanager:CreateSecret), C(secretsmanager:TagResource), C(secretsmanager:PutSecretValue) to rotate the keys,
    and C(secretsmanager:DeleteSecret) to remove it.'
  - 'IAM actions on the parameter: C(ssm:GetParameter), C(ssm:PutParameter), C(ssm:AddTagsToResource), and
    C(ssm:DeleteParameter) to remove it. O(state=query) needs only C(ssm:GetParameter). With O(public_keys) no action
    on the secret is needed.'
seealso:
  - module: mlfleet.hyperpod.ssh_host_keys
  - plugin: amazon.aws.secretsmanager_secret
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Make the host keys of a cluster, once
  mlfleet.hyperpod.host_key_secret:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
  register: host_keys

- name: Write what users need to know
  ansible.builtin.copy:
    dest: known_hosts
    content: |
      {% for key in host_keys.host_keys %}
      login.example.com {{ key.public_key }}
      {% endfor %}
    mode: "0644"

- name: Publish the public halves of keys from a vault, without a secret
  mlfleet.hyperpod.host_key_secret:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    public_keys: "{{ vaulted_host_keys.values() | map(attribute='public') }}"

- name: Let login nodes announce a second set of keys
  mlfleet.hyperpod.host_key_secret:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    rotation: start

- name: Make the key that signs the login nodes' own host keys, once
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
  description: The public keys; empty if there are none.
  returned: success
  type: list
  elements: dict
  contains:
    type:
      description: As C(ssh-keygen -t) has it, such as V(ed25519).
      type: str
      sample: ed25519
    public_key:
      description: Algorithm and key, as in known_hosts after the name.
      type: str
      sample: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB4Zf3jy5rC1xdKLqTdVYoJ1Y7rCkT2mSWy0S5Zs2v1R
    fingerprint:
      description: Fingerprint, as C(ssh-keygen -l) prints it.
      type: str
      sample: SHA256:0GvPcA2Zl7p1dnhVI3wnFQBX9wA2uO5MMcWVfDFWj9g
next_host_keys:
  description: The public keys that are announced beside the others while a rotation goes on, as RV(host_keys).
  returned: success
  type: list
  elements: dict
  sample: []
previous_host_keys:
  description: The public keys that nodes which the end of a rotation has not reached yet may still present.
  returned: success
  type: list
  elements: dict
  sample: []
rotation:
  description:
    - The sets in the secret, or null where it was not read. Each has C(generation), C(created), C(fingerprints), and
      C(restorable), which says whether its private keys are there; a previous one C(retired) and C(settled), too.
  returned: success
  type: dict
  contains:
    phase:
      description: V(announced) between V(start) and V(finish) or V(rollback), else V(none).
      type: str
    settled:
      description: Whether the keys before the last change are published no longer.
      type: bool
    current:
      description: The set that login nodes present.
      type: dict
    next:
      description: The set that they announce beside it, or null.
      type: dict
    previous:
      description: The set before the last change, or null.
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
  description: Where the private keys live.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the secret, or null with O(public_keys).
      type: str
      sample: mlfleet/hyperpod/abc123def456/ssh-host-keys
    arn:
      description: ARN of the secret, or null if there is none or it was not looked at.
      type: str
      sample: arn:aws:secretsmanager:us-west-2:111111111111:secret:mlfleet/hyperpod/abc123def456/ssh-host-keys-AbCdEf
parameter:
  description: Name of the parameter that holds the public half.
  returned: success
  type: str
  sample: /mlfleet/hyperpod/abc123def456/host-keys
locked_by:
  description: Who holds the lock, as RV(mlfleet.hyperpod.cluster_lock#module:holder).
  returned: failure, when somebody else holds O(lock)
  type: dict
  sample:
    owner: ops@bastion
    expires: "2026-11-21T02:02:03Z"
changes:
  description: What was changed, or would be in check mode.
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
EXCLUSIVE = [("public_keys", "secret_name"), ("public_keys", "kms_key_id"), ("public_keys", "rotation")]


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


def main() -> None:
    module = aws_module(argument_spec=SPEC, mutually_exclusive=EXCLUSIVE)
    makes_keys = module.params["state"] == PRESENT and module.params["public_keys"] is None
    if makes_keys and not HAS_CRYPTOGRAPHY:
        module.fail_json(msg=missing_required_lib("cryptography"))
    run_aws(module, resource)


if __name__ == "__main__":
    main()
