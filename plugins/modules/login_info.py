#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who can log in to a node, with which keys, and when they last did."""

from __future__ import annotations

DOCUMENTATION = r"""
module: login_info
short_description: Tell who can log in to a node and when they last did
version_added: 0.1.0
author:
  - mlfleet (@mlfleet)
description:
  - Returns the accounts that somebody can log in to over SSH, with all keys that open them and their last login.
  - All files that C(sshd) takes keys from are read, the managed ones and those in homes. A file in a home is read as
    its owner.
  - An account is listed if it has a login shell, and its UID is a person's (1000 and above), or it has a key, or it has a
    password. Names of a directory service are listed if they have a managed key or have logged in.
  - What could not be read is told in RV(login_info.unread), never passed over. That is also a file of keys that is a
    symbolic link, longer than 1 MiB, or has lines in which no key was found.
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
options:
  shared_home_roots:
    description:
      - Homes below one of these are on storage that the nodes share. A network file system counts without being listed.
    type: list
    elements: path
    default: [/fsx]
  shared_homes:
    description:
      - Whether this node reads the keys in homes on shared storage. They are the same on every node.
    type: bool
    default: true
  days:
    description:
      - How many days of the journal to look through for logins, from 1 to 3650.
    type: int
    default: 365
notes:
  - Logins are C(sshd)'s lines in the journal; for an account without one, the record in C(/var/log/lastlog) on x86_64
    nodes that still keep that file. A node that was replaced has forgotten its logins.
  - C(Match) blocks of C(sshd) that give certain users other key files are not followed.
seealso:
  - module: mlfleet.hyperpod.accounts
"""

EXAMPLES = r"""
- name: Ask a login node who can log in
  mlfleet.hyperpod.login_info:
  become: true
  register: logins

- name: Ask a compute node, without reading the homes again
  mlfleet.hyperpod.login_info:
    shared_homes: false
  become: true
"""

RETURN = r"""
login_info:
  description: What the node says.
  returned: success
  type: dict
  contains:
    accounts:
      description: The accounts, by name.
      type: list
      elements: dict
      contains:
        name:
          description: The account's name.
          type: str
        uid:
          description: Its UID.
          type: int
        home:
          description: Its home folder.
          type: str
        shell:
          description: Its login shell.
          type: str
        closed:
          description: Whether its expiry date is over, so that no key opens it.
          type: bool
        password_login:
          description: Whether it has a password and C(sshd) takes passwords.
          type: bool
        authorized_keys:
          description: >-
            The keys, each with C(type), C(fingerprint), C(comment), C(options), C(expires) (null if it does not) and
            C(place), which is C(managed) or C(home).
          type: list
          elements: dict
        last_login:
          description: >-
            C(time), C(method), the key's C(fingerprint), and whether the C(source) is C(journal) or C(lastlog); null if
            none is known.
          type: dict
    history_since:
      description: How far back logins are known; null without a journal.
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
