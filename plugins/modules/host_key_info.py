#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the public host keys and host certificates of one node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: host_key_info
short_description: Read the public SSH host keys of a node and their certificates
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Reads C(/etc/ssh/ssh_host_<type>_key.pub) and C(/etc/ssh/ssh_host_<type>_key-cert.pub). The module does not read private keys.
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
notes:
  - The module returns the keys on the disk. M(mlfleet.hyperpod.ssh_endpoint_info) returns the keys that sshd presents.
  - The node requires Python 3.9 or newer and no other library.
seealso:
  - module: mlfleet.hyperpod.host_certificate
"""

EXAMPLES = r"""
- name: Read host keys and certificates of the node
  mlfleet.hyperpod.host_key_info:
  become: true
  register: own
"""

RETURN = r"""
host_keys:
  description: The host keys of the node, one for each type.
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
    certificate:
      description: Text of the certificate file. Null if there is no such file.
      type: str
  sample:
    - type: ed25519
      public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm
      fingerprint: SHA256:8M1D0c6vLrkMzbkfxYCpJ2S5kFCcGMQp9VqXIqeLxzM
      certificate: null
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import read_node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import host_certificates
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys.observe import public_keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES


def read(_module: t.Any) -> dict[str, t.Any]:
    keys, certificates = public_keys(), host_certificates.observe()
    found = [
        {**keys[key_type].to_result(), "type": key_type, "certificate": certificates.get(key_type, "").strip() or None}
        for key_type in HOST_KEY_TYPES
        if key_type in keys
    ]
    return {"host_keys": found}


def main() -> None:
    read_node(AnsibleModule(argument_spec={}, supports_check_mode=True), read)


if __name__ == "__main__":
    main()
