#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""List the accounts of a node with their keys and last logins."""

from __future__ import annotations

DOCUMENTATION = r"""
module: login_info
short_description: List accounts that can log in to a node, with their last logins
version_added: 0.1.0
author:
  - mlfleet (@mlfleet)
description:
  - Returns the accounts that can log in over SSH, with all their authorized keys and their last login.
  - Reads all key files of C(sshd), the managed ones and those in home directories. Files in a home directory are read as its
    owner.
  - An account is listed if it has a login shell, and if its UID is that of a user (1000 or above) or it has a key or a password.
    Names of a directory service are listed if they have a managed key or have logged in.
  - RV(login_info.unread) lists everything that could not be read. This includes key files that are symbolic links, that are
    longer than 1 MiB, or that contain lines without a key.
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
options:
  shared_home_roots:
    description:
      - Folders on storage that the nodes share. Home directories below them count as shared. A network file system always counts
        as shared.
    type: list
    elements: path
    default: [/fsx]
  shared_homes:
    description:
      - Whether this node reads the keys in home directories on shared storage. They are the same on every node.
    type: bool
    default: true
  days:
    description:
      - Number of days of the journal to read, V(1) to V(3650).
    type: int
    default: 365
notes:
  - Logins are read from messages of C(sshd) in the journal. For an account without any, C(/var/log/lastlog) is read on x86_64
    nodes that still have this file. A replaced node has no earlier logins.
  - C(Match) blocks of C(sshd) that set other key files for some users are not evaluated.
seealso:
  - module: mlfleet.hyperpod.accounts
"""

EXAMPLES = r"""
- name: List the accounts of a login node
  mlfleet.hyperpod.login_info:
  become: true
  register: logins

- name: List the accounts of a compute node without reading shared homes again
  mlfleet.hyperpod.login_info:
    shared_homes: false
  become: true
"""

RETURN = r"""
login_info:
  description: Accounts and logins of the node.
  returned: success
  type: dict
  contains:
    accounts:
      description: The accounts, by name.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the account.
          type: str
        uid:
          description: UID of the account.
          type: int
        home:
          description: Home directory.
          type: str
        shell:
          description: Login shell.
          type: str
        closed:
          description: Whether the account is expired, so that no key opens it.
          type: bool
        password_login:
          description: Whether it has a password and C(sshd) accepts passwords.
          type: bool
        authorized_keys:
          description: >-
            Authorized keys, each with C(type), C(fingerprint), C(comment), C(options), C(expires) (null if it does not expire)
            and C(place), which is C(managed) or C(home).
          type: list
          elements: dict
        last_login:
          description: >-
            Last login, with C(time), C(method), C(fingerprint) of the key, and C(source), which is C(journal) or C(lastlog). Null
            if unknown.
          type: dict
    history_since:
      description: Start of the login history. Null without a journal.
      type: str
    unread:
      description: What could not be read, as sentences.
      type: list
      elements: str
  sample:
    accounts:
      - name: alice
        uid: 20001
        home: /fsx/alice
        shell: /bin/bash
        closed: false
        password_login: false
        authorized_keys:
          - type: ssh-ed25519
            fingerprint: SHA256:Vfbhe5dVqsW9GvVxLzVuC4cHl1e1jmQHkqiSxFDrbB4
            comment: alice@laptop
            options: ''
            expires: '2027-12-31T00:00:00Z'
            place: managed
        last_login:
          time: '2026-11-20T08:12:44Z'
          method: publickey
          fingerprint: SHA256:Vfbhe5dVqsW9GvVxLzVuC4cHl1e1jmQHkqiSxFDrbB4
          source: journal
    history_since: '2026-09-01T00:00:12Z'
    unread: []
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import read_node

SPEC: dict[str, dict[str, t.Any]] = {
    "shared_home_roots": {"type": "list", "elements": "path", "default": ["/fsx"]},
    "shared_homes": {"type": "bool", "default": True},
    "days": {"type": "int", "default": 365},
}


def main() -> None:
    read_node(
        AnsibleModule(argument_spec=SPEC, supports_check_mode=True),
        lambda module: result(observe(options.desired(module.params))),
    )


if __name__ == "__main__":
    main()
