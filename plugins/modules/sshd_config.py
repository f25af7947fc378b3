#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manages the sshd drop-in of a node, with automatic rollback."""

from __future__ import annotations

DOCUMENTATION = r"""
module: sshd_config
short_description: Manage the sshd drop-in of a HyperPod node, with automatic rollback
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Writes C(/etc/ssh/sshd_config.d/10-mlfleet-hyperpod.conf) and reloads sshd. The module changes no other file of sshd, and open
    sessions continue.
  - Before anything changes, the module reads the effective configuration from sshd. It refuses a setting that an earlier file
    overrides, and names that file. It also refuses a change after which the operations account or the connecting user could no
    longer log in with a key.
  - The change is kept only if a new login over SSH confirms it within O(confirm_timeout). Otherwise the node itself restores the
    previous file, and the task fails with the reason. The node restores the file even after a reboot, or if the control node was
    killed.
  - If an earlier run left an unconfirmed change, the module rolls it back first.
options:
  state:
    description: Whether the drop-in exists.
    type: str
    choices: [present, absent]
    default: present
  client_alive_interval:
    description:
      - Seconds without data from the client after which sshd sends a keepalive message.
      - By default, a Network Load Balancer drops a connection after 350 idle seconds, so choose a smaller value.
    type: int
    default: 60
  client_alive_count_max:
    description: Number of unanswered keepalive messages after which sshd ends the session.
    type: int
    default: 3
  max_startups:
    description: Limit of unauthenticated connections, as C(start:rate:full). Health checks and probes count towards this limit.
    type: str
    default: '100:30:300'
  authorized_keys_dir:
    description: Local folder of the managed keys, with one file for each user.
    type: str
    default: /etc/ssh/authorized_keys.d
  user_keys:
    description:
      - V(allow) keeps the other key files of the node, such as C(.ssh/authorized_keys), and adds them after
        O(authorized_keys_dir). HyperPod stores the keys for logins between nodes in such a file.
      - With V(deny), sshd reads only managed keys.
    type: str
    choices: [allow, deny]
    default: allow
  operations_user:
    description:
      - Operations account. For this account, sshd reads only the key file in O(authorized_keys_dir), so that the account can log
        in when the shared file system hangs.
      - An empty string removes the block for this account from the drop-in.
    type: str
    default: hyperpod-ops
  operations_key:
    description:
      - Public key of O(operations_user) on one line. M(mlfleet.hyperpod.accounts) installs the key before this module runs. In
        check mode, the key counts as installed.
    type: str
  people_port:
    description:
      - Port for logins of users that M(mlfleet.hyperpod.readiness_gate) opens, in addition to the port of Ansible's connection.
      - A change is refused if a Match block for this port overrides settings of the drop-in. The new login tests only the port of
        Ansible's connection.
    type: int
  host_key_types:
    description:
      - Types of the host keys that sshd offers. sshd offers no other host keys. Each key must exist in C(/etc/ssh), except in
        check mode.
      - If omitted, the configuration of the node applies.
    type: list
    elements: str
    choices: [ed25519, ecdsa, rsa]
  next_host_key_types:
    description:
      - Types of host keys that sshd announces in addition to those of O(host_key_types). The keys are in the files of
        O(mlfleet.hyperpod.ssh_host_keys#module:next_keys). sshd still presents the current keys. Clients with C(UpdateHostKeys)
        learn the announced keys.
      - Each type must be part of O(host_key_types), and its file must exist, except in check mode.
    type: list
    elements: str
    choices: [ed25519, ecdsa, rsa]
    default: []
  host_certificates:
    description:
      - Host certificates by type, one on each line, for example from M(mlfleet.hyperpod.host_certificate). The module writes them
        to C(/etc/ssh/ssh_host_<type>_key-cert.pub) together with the drop-in, and sshd presents them in addition to the keys.
      - Each type must be part of O(host_key_types). sshd ignores a certificate that does not match its key, which
        M(mlfleet.hyperpod.readiness_gate) reports.
      - If a certificate of the previous drop-in is no longer given, its file is removed.
    type: dict
    default: {}
    suboptions:
      ed25519:
        description: Certificate of the Ed25519 host key.
        type: str
      ecdsa:
        description: Certificate of the ECDSA host key.
        type: str
      rsa:
        description: Certificate of the RSA host key.
        type: str
  password_authentication:
    description: Whether passwords are accepted, also through PAM. If omitted, the configuration of the node applies.
    type: bool
  source_penalties:
    description:
      - Whether OpenSSH 9.8 and newer may refuse addresses after failed logins. Older versions never refuse addresses for this
        reason.
      - Behind a load balancer that does not preserve client addresses, all users have the addresses of the load balancer. Failed
        logins of one user would then block all users.
      - If omitted, the configuration of the node applies.
    type: bool
  refuse_logins:
    description:
      - If set, sshd refuses new logins of all users except C(root) and O(operations_user) (C(DenyUsers)), and shows this message
        as a banner before authentication. Refused users can run nothing on the node. Open sessions continue.
      - At most 2,000 printable characters, which can have several lines. With an empty string, logins are accepted.
    type: str
    default: ''
extends_documentation_fragment:
  - mlfleet.hyperpod.commit_confirm
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
notes:
  - C(/etc/ssh/sshd_config) must include C(/etc/ssh/sshd_config.d/*.conf).
  - The module requires root and systemd on the node. The node requires Python 3.9 or newer and no other library.
seealso:
  - module: mlfleet.hyperpod.ssh_host_keys
  - module: mlfleet.hyperpod.host_certificate
"""

EXAMPLES = r"""
- name: Keep long sessions open, and read managed keys first
  mlfleet.hyperpod.sshd_config:
    host_key_types: [ed25519, ecdsa, rsa]
    source_penalties: false
  become: true

- name: Accept only managed keys
  mlfleet.hyperpod.sshd_config:
    user_keys: deny
    password_authentication: false
  become: true

- name: Refuse new logins
  mlfleet.hyperpod.sshd_config:
    refuse_logins: |-
      This login node takes no new logins: memory errors, ticket 4711.
      Log in as usual, through login.example.com.
  become: true

- name: Remove the drop-in
  mlfleet.hyperpod.sshd_config:
    state: absent
  become: true
"""

RETURN = r"""
sshd_config:
  description: The drop-in. In check mode, the predicted drop-in.
  returned: success
  type: dict
  contains:
    path:
      description: Path of the drop-in.
      type: str
    state:
      description: V(present) or V(absent).
      type: str
    content:
      description: Content of the drop-in. Null if the drop-in does not exist.
      type: str
    refusal:
      description: Message that refused users see. Null if logins are accepted.
      type: str
  sample:
    path: /etc/ssh/sshd_config.d/10-mlfleet-hyperpod.conf
    state: absent
    content: null
    refusal: null
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
    subject: sshd drop-in
    files: [/etc/ssh/sshd_config.d/10-mlfleet-hyperpod.conf]
    note: ""
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import phases
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.preflight import check_on_node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES

KEY_TYPES: dict[str, t.Any] = {"type": "list", "elements": "str", "choices": list(HOST_KEY_TYPES), "no_log": False}
SPEC: dict[str, dict[str, t.Any]] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "client_alive_interval": {"type": "int", "default": 60},
    "client_alive_count_max": {"type": "int", "default": 3},
    "max_startups": {"type": "str", "default": "100:30:300"},
    "authorized_keys_dir": {"type": "str", "default": "/etc/ssh/authorized_keys.d", "no_log": False},
    "user_keys": {"type": "str", "choices": ["allow", "deny"], "default": "allow", "no_log": False},
    "operations_user": {"type": "str", "default": "hyperpod-ops"},
    "operations_key": {"type": "str", "no_log": False},
    "people_port": {"type": "int"},
    "host_key_types": KEY_TYPES,
    "next_host_key_types": {**KEY_TYPES, "default": []},
    "host_certificates": {
        "type": "dict",
        "default": {},
        "options": {key_type: {"type": "str"} for key_type in HOST_KEY_TYPES},
    },
    "password_authentication": {"type": "bool", "no_log": False},
    "source_penalties": {"type": "bool"},
    "refuse_logins": {"type": "str", "default": ""},
    **phases.SPEC,
}


def resource(module: t.Any) -> Resource:
    applier = phases.Applier(module.params, subject="sshd drop-in")
    desired = options.desired(module.params)

    def planned(state: State) -> Plan:
        check_on_node(desired, state, planning=module.check_mode)
        return plan(desired, state)

    return Resource(
        observe=observe,
        plan=planned,
        apply=applier,
        result=lambda state: {**result(state), **applier.result()},
    )


def main() -> None:
    phases.run(AnsibleModule(argument_spec=SPEC, supports_check_mode=True), resource)


if __name__ == "__main__":
    main()
