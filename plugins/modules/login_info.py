#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists the accounts of a node with their keys and last logins."""

from __future__ import annotations

DOCUMENTATION = r"""
module: login_info
short_description: List accounts that can log in to a node, with their last logins
version_added: 0.1.0
author:
  - mlfleet (@mlfleet)
description:
  - Returns the accounts that can log in over SSH, with all their authorized keys and their last login.
  - The module reads all key files of C(sshd), both the managed files and those in home directories. It reads a file in a home
    directory as the owner of that directory.
  - The result contains an account if it has a login shell and meets one more condition. Its UID must be that of a user (1000 or
    above), or the account must have a key or a password.
  - The result contains a user of a directory service only if the user has a managed key or has logged in.
  - RV(login_info.unread) lists everything that could not be read. This includes key files that are symbolic links, that are
    longer than 1 MiB, or that contain lines without a key.
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
options:
  shared_home_roots:
    description:
      - Folders on storage that the nodes share. A home directory below one of them counts as shared. A home directory on a
        network file system always counts as shared.
    type: list
    elements: path
    default: [/fsx]
  shared_homes:
    description:
      - Whether this node reads the keys in home directories on shared storage. These keys are the same on every node.
    type: bool
    default: true
  days:
    description:
      - Number of days of the journal to read, V(1) to V(3650).
    type: int
    default: 365
notes:
  - The module reads logins from messages of C(sshd) in the journal. For an account without such messages, it reads
    C(/var/log/lastlog) on x86_64 nodes that still have this file. The history of a replaced node begins with its replacement.
  - The module does not evaluate C(Match) blocks of C(sshd) that set other key files for some users.
seealso:
  - module: mlfleet.hyperpod.accounts
"""

EXAMPLES = r"""
- name: List the accounts of a login node
  mlfleet.hyperpod.login_info:
  become: true
  register: logins

- name: List the accounts of a compute node, without reading shared home directories again
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
      description: The accounts, sorted by name.
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
          description: Whether the account has expired, so that it accepts no key.
          type: bool
        password_login:
          description: Whether the account has a password and C(sshd) accepts passwords.
          type: bool
        authorized_keys:
          description: >-
            Authorized keys, each with C(type), C(fingerprint), C(comment), C(options), C(expires) and C(place). C(expires) is
            null if the key does not expire. C(place) is C(managed) or C(home).
          type: list
          elements: dict
        last_login:
          description: >-
            Last login, with C(time), C(method), C(fingerprint) of the key, and C(source), which is C(journal) or C(lastlog). Null
            if unknown.
          type: dict
    history_since:
      description: Start of the login history. Null if the node has no journal.
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
