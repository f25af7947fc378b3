#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our drop-in for sshd on a node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: sshd_config
short_description: Manage the sshd drop-in of a HyperPod node, with automatic rollback
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Writes C(/etc/ssh/sshd_config.d/10-mlfleet-hyperpod.conf) and lets sshd reload. No other file of sshd is touched and
    running sessions go on.
  - Before anything changes, sshd itself says what would be effective. The module refuses when an earlier file wins over
    a setting, naming that file, and when the operations account or the connecting user could not log in with a key
    any more.
  - The change stays only if a new login over SSH confirms it within O(confirm_timeout). Otherwise the node puts the old
    file back by itself, also after a reboot or when the controller was killed, and the task fails with the reason.
  - A run that finds an unconfirmed change of an earlier run rolls it back first.
options:
  state:
    description: Whether the drop-in exists.
    type: str
    choices: [present, absent]
    default: present
  client_alive_interval:
    description:
      - Seconds after which sshd asks a silent client whether it is still there.
      - A Network Load Balancer forgets a connection after 350 idle seconds by default.
    type: int
    default: 60
  client_alive_count_max:
    description: Unanswered questions after which sshd ends the session.
    type: int
    default: 3
  max_startups:
    description: Limit of logins in progress, as C(start:rate:full). Health checks and probes count.
    type: str
    default: '100:30:300'
  authorized_keys_dir:
    description: Local folder with one file of managed keys for each user.
    type: str
    default: /etc/ssh/authorized_keys.d
  user_keys:
    description:
      - V(allow) keeps the files that the node reads anyway, such as C(.ssh/authorized_keys), behind
        O(authorized_keys_dir). HyperPod keeps the keys for logins between nodes there.
      - V(deny) makes sshd read managed keys only.
    type: str
    choices: [allow, deny]
    default: allow
  operations_user:
    description:
      - The account that manages the node. It is let in by its file in O(authorized_keys_dir) only, so that it works
        when the shared file system hangs.
      - An empty string leaves the block for this account out.
    type: str
    default: hyperpod-ops
  operations_key:
    description:
      - The public key of O(operations_user) on one line, where M(mlfleet.hyperpod.accounts) installs it before this module runs.
        In check mode it counts as installed.
    type: str
  people_port:
    description:
      - A port beside that of Ansible's connection where people come in, as M(mlfleet.hyperpod.readiness_gate) opens it.
      - A change is refused if sshd would treat people there otherwise than O(state=present) says, because of a Match block that
        names the port. Only the port of Ansible's connection is proven by a login.
    type: int
  host_key_types:
    description:
      - The host keys that sshd offers, exactly these. Each must exist under C(/etc/ssh), except in check mode.
      - Omit it to leave the choice to the node's configuration.
    type: list
    elements: str
    choices: [ed25519, ecdsa, rsa]
  next_host_key_types:
    description:
      - Types of host keys that sshd announces beside those of O(host_key_types), from the files that
        O(mlfleet.hyperpod.ssh_host_keys#module:next_keys) installs. Clients still meet the others, and those with
        C(UpdateHostKeys) learn these.
      - Each must be part of O(host_key_types), and its file must exist, except in check mode.
    type: list
    elements: str
    choices: [ed25519, ecdsa, rsa]
    default: []
  host_certificates:
    description:
      - Certificates of host keys by type, one line each, for example from M(mlfleet.hyperpod.host_certificate). They go to
        C(/etc/ssh/ssh_host_<type>_key-cert.pub), in the same step as the drop-in, and sshd presents them beside the keys.
      - Each type must be part of O(host_key_types). sshd leaves out a certificate that is not about its key, and
        M(mlfleet.hyperpod.readiness_gate) tells.
      - Certificate files that the drop-in named before and that are not given any more are removed.
    type: dict
    default: {}
    suboptions:
      ed25519:
        description: The certificate of the Ed25519 host key.
        type: str
      ecdsa:
        description: The certificate of the ECDSA host key.
        type: str
      rsa:
        description: The certificate of the RSA host key.
        type: str
  password_authentication:
    description: Whether passwords are accepted, also through PAM. Omit it to leave that to the node's configuration.
    type: bool
  source_penalties:
    description:
      - Whether OpenSSH 9.8 and newer may refuse addresses that failed before. Older versions know no such penalties.
      - Behind a load balancer that does not preserve client addresses all people come from the balancer's addresses, so
        that one person's failures would keep everybody out.
      - Omit it to leave that to the node's configuration.
    type: bool
  refuse_logins:
    description:
      - A message. With it, everybody but C(root) and O(operations_user) is refused (C(DenyUsers)), and reads the message
        as banner before authentication; nothing of theirs runs on the node. Sessions that are open go on.
      - At most 2,000 printable characters, in lines. An empty string lets people in.
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
  - Needs root on the node and systemd. The node needs Python 3.9 or newer and no further library.
seealso:
  - module: mlfleet.hyperpod.ssh_host_keys
  - module: mlfleet.hyperpod.host_certificate
"""

EXAMPLES = r"""
- name: Keep long sessions alive and read managed keys first
  mlfleet.hyperpod.sshd_config:
    host_key_types: [ed25519, ecdsa, rsa]
    source_penalties: false
  become: true

- name: Accept managed keys only
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
  description: The drop-in; in check mode as it would be.
  returned: success
  type: dict
  contains:
    path:
      description: Where it stands.
      type: str
    state:
      description: V(present) or V(absent).
      type: str
    content:
      description: Its text, or null.
      type: str
    refusal:
      description: The message for people whose login is refused, or null.
      type: str
  sample:
    path: /etc/ssh/sshd_config.d/10-mlfleet-hyperpod.conf
    state: absent
    content: null
    refusal: null
changes:
  description: What was changed, or would be in check mode.
  returned: always
  type: list
  elements: dict
sshd_change:
  description: What became of the change.
  returned: always
  type: dict
  contains:
    status:
      description: V(unchanged), V(confirmed), or V(rolled_back) in a failed task.
      type: str
    subject:
      description: What was changed, in a word or two; empty if nothing was.
      type: str
    files:
      description: The files that were replaced.
      type: list
      elements: str
    note:
      description: Why a new login did not confirm the change yet; empty otherwise.
      type: str
  sample:
    status: confirmed
    files: [/etc/ssh/ssh_host_ed25519_key]
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
