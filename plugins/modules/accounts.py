#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configure groups, users, authorized keys, sudo rules and home directories of one node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: accounts
version_added: 0.1.0
short_description: Manage all users of a node in one call
author:
  - mlfleet (@mlfleet)
description:
  - Creates groups and users with fixed numbers, authorized keys, sudo rules and home directories, and removes users and groups
    that are declared absent.
  - Reads the node once, compares the whole declaration with it, and refuses all conflicts together before it changes anything. In
    check mode, it finds conflicts on many nodes.
  - M(ansible.builtin.user) and C(ansible.posix.authorized_key) take one user for each task, which costs 0.3 seconds for each item
    and host. They find a conflict only when some users are already changed.
  - Accounts that are not declared are never changed. Only O(users[].state=absent) removes an account.
  - The keys of a user are in a separate file in O(authorized_keys_dir), owned by root. Keys in C(~/.ssh) stay.
    C(AuthorizedKeysFile) of C(sshd) must contain O(authorized_keys_dir).
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - Keys are shown as fingerprints.
  idempotent:
    support: full
options:
  groups:
    description:
      - Groups with fixed GIDs.
      - Do not declare groups of the image; list them in O(users[].groups).
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description:
          - Name of the group, 1 to 32 characters of C(a-z), C(0-9), C(_) and C(-), starting with a letter or C(_).
        type: str
        required: true
      gid:
        description:
          - GID from 1000 to 4294967294, except 65534 and 65535. Required with O(groups[].state=present).
          - An existing group with another GID is refused.
        type: int
      state:
        description:
          - Whether the group exists. V(absent) is refused for the primary group of a user who stays.
        type: str
        choices: [present, absent]
        default: present
  users:
    description:
      - Users, each with the same UID on every node.
      - An omitted field is left unchanged, an empty value removes the current one.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description:
          - Name of the user, 1 to 32 characters of C(a-z), C(0-9), C(_) and C(-), starting with a letter or C(_).
          - V(root), O(operations_user), and names that SSSD or LDAP provides are refused.
        type: str
        required: true
      uid:
        description:
          - UID from 1000 to 4294967294, except 65534 and 65535. Required with O(users[].state=present).
          - The UID of another account is refused, and so is a change of the UID of an existing user. The module never changes the
            owner of files.
        type: int
      gid:
        description:
          - GID of the primary group, which is declared in O(groups) or exists. The primary group of an existing user is never
            changed.
          - Default is the UID; a group with the name of the user and this GID is then created.
        type: int
      groups:
        description:
          - All supplementary groups in C(/etc/group) of the node, by name. The user is removed from other groups.
          - If omitted, memberships are not changed.
        type: list
        elements: str
      comment:
        description:
          - The comment field of the account, usually the full name.
        type: str
      shell:
        description:
          - Login shell, an executable file on the node.
        type: path
        default: /bin/bash
      home:
        description:
          - Home directory. Default is V(/fsx/NAME). If it changes, the contents of the previous one are not moved.
          - A home directory inside another one, declared or of an account on the node, is refused, because the owner of the outer
            directory could replace the inner one.
        type: str
      source:
        description:
          - File and line of the entry if it comes from a users file. The role C(accounts) sets it.
          - Such an entry is refused if it would move the home directory of an existing account. It is also refused for an account
            that is in C(sudo), C(wheel) or C(admin) on the node and not in O(users[].groups).
        type: str
      authorized_keys:
        description:
          - All managed keys of the user. An empty list removes the user's file in O(authorized_keys_dir).
        type: list
        elements: dict
        suboptions:
          key:
            description:
              - Public key on one line, with or without a comment.
              - DSA keys, RSA keys shorter than 2048 bits, certificates and private keys are refused. The comment
                V(mlfleet-hyperpod-operations) is also refused, because it marks the key of the operations account.
            type: str
            required: true
          options:
            description:
              - Options of the key, as in an C(authorized_keys) file, for example V(from="10.0.0.0/8",no-agent-forwarding).
            type: str
          expires:
            description:
              - Date (its first moment) or ISO time at which the key expires, in UTC unless it has an offset. C(sshd) refuses the
                key from then on, and the next run removes the line.
            type: str
      sudo:
        description:
          - A sudo rule or a list of rules, without the user's name, for example V(ALL=(ALL\) NOPASSWD:ALL).
          - C(visudo) checks them before anything changes. An empty list removes the rules.
        type: raw
      former_uids:
        description:
          - With O(users[].state=absent), UIDs that the account had on this or other nodes. Processes with these UIDs are also
            ended, even after the account is removed, unless another account now has the UID.
        type: list
        elements: int
      state:
        description:
          - Whether the user exists. V(absent) is refused for the accounts V(ubuntu) and V(ec2-user) of the image.
          - V(absent) locks the account, removes keys and rules, ends sessions and processes (including those in containers of the
            user), removes crontab and C(at) jobs, and then removes the account, its own group and its subordinate IDs.
          - If a process can't be ended, the account stays locked, and a finding reports it.
        type: str
        choices: [present, absent]
        default: present
  authorized_keys_dir:
    description:
      - Folder of the managed keys, with one file for each user, readable by all and writable only by root.
      - If other accounts could write to the folder, its files are written again, and files of accounts without declared keys are
        set aside in it.
    type: path
    default: /etc/ssh/authorized_keys.d
  shared_home_roots:
    description:
      - Folders on storage that the nodes share. Home directories below them count as shared.
      - A home directory on a network file system always counts as shared.
    type: list
    elements: path
    default: [/fsx]
  create_homes:
    description:
      - Whether this node creates missing home directories on shared storage. Set it on one node of a cluster.
      - They are created as the user, because storage may squash root, with the files of C(/etc/skel), and only if the storage is
        mounted. A home directory that can't be created is a finding and does not stop the rest.
      - Missing local home directories are always created. An existing home directory is never changed.
    type: bool
    default: false
  home_mode:
    description:
      - Mode of created home directories.
    type: str
    choices: ['0700', '0710', '0711', '0750', '0751', '0755']
    default: '0750'
  operations_user:
    description:
      - Operations account that Ansible uses to connect. M(mlfleet.hyperpod.node_access) creates it; do not declare it here.
      - If O(connecting_user) is the same account, the keys and sudo rules that M(mlfleet.hyperpod.node_access) created for
        previous operations accounts are removed. The accounts stay.
    type: str
    default: hyperpod-ops
  operations_key:
    description:
      - Public key of O(operations_user) on one line. If set, the access of an existing account is restored as
        M(mlfleet.hyperpod.node_access) installed it, with the key in O(authorized_keys_dir) and in its home directory, the home
        directory, the sudo rule, a shell, and no expiry date. Other lines in the files stay, except in a file or folder that other
        accounts could write; the change lists those lines.
      - Files that other accounts left in its home directory or C(.ssh), while these were writable for them, are set aside.
      - An open connection works without them, so their loss is otherwise not noticed.
      - If omitted, they are not changed.
    type: str
    version_added: 0.1.0
  connecting_user:
    description:
      - Account that this run uses to connect. A declaration that would lock it out is refused.
    type: str
  remove_home:
    description:
      - Whether to remove the local home directory of a user with O(users[].state=absent). Home directories on shared storage
        always stay.
      - A home directory with a mount in it also stays, and a note reports it.
    type: bool
    default: false
  spare_jobs:
    description:
      - Whether to keep processes of Slurm jobs of a user with O(users[].state=absent).
      - While such processes run, the account stays locked and without keys; a later run removes it.
    type: bool
    default: false
notes:
  - Records are written to C(/etc/passwd) and related files in one step under the lock of C(lckpwdf), so 200 users cost as much as
    one. The previous files are kept with a C(-) at the end of their names.
  - Users get no password (C(*)). An existing password stays. If a removal was interrupted, its lock and expiry date are reverted
    when the user is declared present.
  - Subordinate UIDs (C(/etc/subuid)) are not assigned.
seealso:
  - module: mlfleet.hyperpod.node_access
  - module: mlfleet.hyperpod.sshd_config
"""

EXAMPLES = r"""
- name: Configure the users of the cluster
  mlfleet.hyperpod.accounts:
    groups:
      - name: research
        gid: 7000
    users:
      - name: alice
        uid: 5001
        comment: Alice Liddell
        groups: [research]
        authorized_keys:
          - key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG0cI9hSJ1nDQe5cYEtbPpbHiYCMbVBhI8nK8pCFLbbH alice@laptop
            options: from="10.0.0.0/8"
            expires: '2027-12-31'
        sudo: ALL=(root) NOPASSWD:/usr/bin/nvidia-smi
      - name: bob
        state: absent
    connecting_user: "{{ ansible_user }}"

- name: Create home directories on the shared file system from one node of the cluster
  mlfleet.hyperpod.accounts:
    users: "{{ hyperpod_users }}"
    groups: "{{ hyperpod_groups }}"
    create_homes: true
    home_mode: '0700'

- name: Find the conflicts of a declaration on all nodes, without changing anything
  mlfleet.hyperpod.accounts:
    users: "{{ hyperpod_users }}"
    groups: "{{ hyperpod_groups }}"
  check_mode: true
"""

RETURN = r"""
accounts:
  description: The declared users and groups. In check mode, as they would be.
  returned: success
  type: dict
  contains:
    users:
      description: The declared users. C(state) is V(present), V(locked) or V(absent).
      returned: success
      type: list
      elements: dict
      sample:
        - name: alice
          state: present
          uid: 5001
          gid: 5001
          groups: [research]
          comment: Alice Liddell
          shell: /bin/bash
          home: /fsx/alice
          authorized_keys:
            - type: ssh-ed25519
              fingerprint: SHA256:Vfbhe5dVqsW9GvVxLzVuC4cHl1e1jmQHkqiSxFDrbB4
              comment: alice@laptop
              options: from="10.0.0.0/8"
              expires: '2027-12-31T00:00:00Z'
          sudo: ['ALL=(root) NOPASSWD:/usr/bin/nvidia-smi']
    groups:
      description: The declared groups.
      returned: success
      type: list
      elements: dict
      sample:
        - name: research
          state: present
          gid: 7000
          members: [alice]
changes:
  description: Changes that were made, or would be made in check mode. After a failure, the changes before it.
  returned: always, except when the declaration is refused
  type: list
  elements: dict
  sample:
    - action: create
      resource: group research
      field: null
      before: null
      after: {gid: 7000}
problems:
  description: Conflicts for which the declaration was refused, each with option, value and allowed values.
  returned: when the declaration is refused
  type: list
  elements: str
  sample:
    - "users[alice].uid: 5001 is not allowed: this node has the account carol with it. Allowed: an unused UID."
hyperpod_findings:
  description: Findings, with the codes of C(docs/reference/findings.md).
  returned: always
  type: list
  elements: dict
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.result import Report
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import run_node

KEY_SPEC: dict[str, dict[str, t.Any]] = {
    "key": {"type": "str", "required": True, "no_log": False},
    "options": {"type": "str"},
    "expires": {"type": "str"},
}
USER_SPEC: dict[str, dict[str, t.Any]] = {
    "name": {"type": "str", "required": True},
    "uid": {"type": "int"},
    "gid": {"type": "int"},
    "groups": {"type": "list", "elements": "str"},
    "comment": {"type": "str"},
    "shell": {"type": "path", "default": "/bin/bash"},
    "home": {"type": "str"},
    "authorized_keys": {"type": "list", "elements": "dict", "options": KEY_SPEC, "no_log": False},
    "sudo": {"type": "raw"},
    "source": {"type": "str"},
    "former_uids": {"type": "list", "elements": "int"},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
}
GROUP_SPEC: dict[str, dict[str, t.Any]] = {
    "name": {"type": "str", "required": True},
    "gid": {"type": "int"},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
}
SPEC = {
    "groups": {"type": "list", "elements": "dict", "options": GROUP_SPEC, "default": []},
    "users": {"type": "list", "elements": "dict", "options": USER_SPEC, "default": []},
    "authorized_keys_dir": {"type": "path", "default": "/etc/ssh/authorized_keys.d", "no_log": False},
    "shared_home_roots": {"type": "list", "elements": "path", "default": ["/fsx"]},
    "create_homes": {"type": "bool", "default": False},
    "home_mode": {
        "type": "str",
        "choices": ["0700", "0710", "0711", "0750", "0751", "0755"],
        "default": "0750",
    },
    "operations_user": {"type": "str", "default": "hyperpod-ops"},
    "operations_key": {"type": "str", "no_log": False},
    "connecting_user": {"type": "str"},
    "remove_home": {"type": "bool", "default": False},
    "spare_jobs": {"type": "bool", "default": False},
}


LOCK_SECONDS = 120.0
"""Other runs also change accounts, and ending processes takes time."""


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    applier = Applier()
    report = Report(desired, applier.pending)
    return Resource(
        observe=Observer(desired),
        plan=lambda state: report.noted(plan(desired, state)),
        apply=applier,
        result=report.result,
        failed=report.failed,
    )


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    run_node(module, resource, lock=not module.check_mode, seconds=LOCK_SECONDS)


if __name__ == "__main__":
    main()
