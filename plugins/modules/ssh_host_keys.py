#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs SSH host keys on a node, with automatic rollback."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ssh_host_keys
short_description: Install a set of SSH host keys on a node, with automatic rollback
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Installs the given host keys in C(/etc/ssh) and reloads sshd. The keys are written atomically, with the owner and mode of the
    distribution. Open sessions continue.
  - Before anything changes, the module verifies that each private key belongs to its public key.
  - The change is kept only if a new login over SSH confirms it within O(confirm_timeout). Otherwise the node itself restores the
    previous keys, and the task fails with the reason. The node restores them even after a reboot, or if the control node was
    killed.
  - If an earlier run left an unconfirmed change, the module rolls it back first.
  - Host keys of types that are not in O(keys) are not removed from the disk. Use
    O(mlfleet.hyperpod.sshd_config#module:host_key_types) to make sshd offer only the managed types.
options:
  keys:
    description:
      - Host keys by type, for example C(keys) in the secret of M(mlfleet.hyperpod.host_key_secret).
      - Pass the keys as a lookup in the arguments of the task, because values from C(set_fact) are stored in fact caches.
      - Required with O(phase=apply).
    type: dict
    suboptions:
      ed25519:
        description: Ed25519 host key.
        type: dict
        suboptions: &pair
          private:
            description: Private key in OPENSSH format, without a passphrase.
            type: str
            required: true
          public:
            description: Public key on one line.
            type: str
            required: true
      ecdsa:
        description: ECDSA host key.
        type: dict
        suboptions: *pair
      rsa:
        description: RSA host key.
        type: dict
        suboptions: *pair
  next_keys:
    description:
      - A second set of host keys by type, installed as C(ssh_host_<type>_key_next). Add their types to
        O(mlfleet.hyperpod.sshd_config#module:next_host_key_types). sshd then announces these keys, and clients learn them before
        the current keys are replaced.
      - An empty set removes the second set. If omitted, the second set is not changed.
    type: dict
    suboptions:
      ed25519:
        description: Ed25519 host key.
        type: dict
        suboptions: *pair
      ecdsa:
        description: ECDSA host key.
        type: dict
        suboptions: *pair
      rsa:
        description: RSA host key.
        type: dict
        suboptions: *pair
extends_documentation_fragment:
  - mlfleet.hyperpod.commit_confirm
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - The diff shows fingerprints, never private keys.
  idempotent:
    support: full
notes:
  - The control node must trust the new keys before they are installed. Otherwise the new login fails, and the change is rolled
    back.
  - The action plugin enables pipelining for this task, so that no temporary file with the keys is created on the node.
  - The module requires root, C(ssh-keygen) and systemd on the node. The node requires Python 3.9 or newer and no other library.
seealso:
  - module: mlfleet.hyperpod.sshd_config
  - module: mlfleet.hyperpod.host_key_secret
"""

EXAMPLES = r"""
- name: Install the same host keys on all login nodes
  mlfleet.hyperpod.ssh_host_keys:
    keys: "{{ (lookup('amazon.aws.secretsmanager_secret', secret_name) | from_json)['keys'] }}"
  vars:
    secret_name: mlfleet/hyperpod/abc123def456/ssh-host-keys
  become: true

- name: Announce a second set of keys together with the current keys
  mlfleet.hyperpod.ssh_host_keys:
    keys: "{{ (lookup('amazon.aws.secretsmanager_secret', secret_name) | from_json)['keys'] }}"
    next_keys: "{{ (lookup('amazon.aws.secretsmanager_secret', secret_name) | from_json)['next']['keys'] }}"
  vars:
    secret_name: mlfleet/hyperpod/abc123def456/ssh-host-keys
  become: true

- name: Install a vaulted Ed25519 key and allow two minutes for the new login
  mlfleet.hyperpod.ssh_host_keys:
    keys:
      ed25519:
        private: "{{ vault_host_key }}"
        public: "{{ host_key_public }}"
    confirm_timeout: 120
  become: true
"""

RETURN = r"""
host_keys:
  description: Host keys of the node. In check mode, the predicted host keys.
  returned: success
  type: list
  elements: dict
  contains:
    type:
      description: Type of the key, as in C(ssh-keygen -t), such as V(ed25519).
      type: str
    public_key:
      description: The public key without its comment.
      type: str
    fingerprint:
      description: Fingerprint, in the format of C(ssh-keygen -l).
      type: str
    managed:
      description: Whether the key is part of O(keys) or O(next_keys).
      type: bool
    next:
      description: Whether sshd only announces the key, and presents a different key of the same type.
      type: bool
  sample:
    - type: ed25519
      public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm
      fingerprint: SHA256:8M1D0c6vLrkMzbkfxYCpJ2S5kFCcGMQp9VqXIqeLxzM
      managed: true
      next: false
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
sshd_change:
  description: State of the change.
  returned: always
  type: dict
  contains:
    status:
      description: V(unchanged), V(confirmed), or V(rolled_back) in a failed task.
      type: str
    subject:
      description: Part of the configuration that was changed. Empty if nothing was changed.
      type: str
    files:
      description: Files that were replaced.
      type: list
      elements: str
    note:
      description: Why no new login has confirmed the change yet. Otherwise empty.
      type: str
  sample:
    status: confirmed
    subject: host keys
    files: [/etc/ssh/ssh_host_ed25519_key]
    note: ""
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import phases
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES

PAIR: dict[str, dict[str, t.Any]] = {
    "private": {"type": "str", "required": True, "no_log": True},
    "public": {"type": "str", "required": True},
}
TYPES: dict[str, dict[str, t.Any]] = {key_type: {"type": "dict", "options": PAIR} for key_type in HOST_KEY_TYPES}
# no_log for the whole option as well. Otherwise the node's journal would contain the lines of a private key.
SPEC: dict[str, dict[str, t.Any]] = {
    "keys": {"type": "dict", "no_log": True, "options": TYPES},
    "next_keys": {"type": "dict", "no_log": True, "options": TYPES},
    **phases.SPEC,
}


def resource(module: t.Any) -> Resource:
    applier = phases.Applier(module.params, subject="host keys")
    desired = options.desired(module.params)
    exact = module.params["next_keys"] is not None
    return Resource(
        observe=observe,
        plan=lambda state: plan(desired, state, exact_next=exact),
        apply=applier,
        result=lambda state: {**result(desired, state), **applier.result()},
    )


def show_public_keys(module: t.Any) -> None:
    """Unmask public keys in the result. Only the private keys must be masked there."""
    given = [module.params["keys"] or {}, module.params["next_keys"] or {}]
    module.no_log_values.difference_update({pair["public"] for keys in given for pair in keys.values() if pair})


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, required_if=[("phase", "apply", ["keys"])], supports_check_mode=True)
    show_public_keys(module)
    phases.run(module, resource)


if __name__ == "__main__":
    main()
