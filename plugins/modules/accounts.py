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
  - Creates groups and users with fixed numbers, authorized keys, sudo rules and home directories. Removes users and groups that
    are declared absent.
  - Reads the node once and compares the complete declaration with it. If there are conflicts, the module reports all of them and
    refuses the declaration before it changes anything. Use check mode to find conflicts on many nodes.
  - M(ansible.builtin.user) and C(ansible.posix.authorized_key) change one user at a time, which takes 0.3 seconds for each user
    and host. With these modules, a conflict is found only after other users have been changed.
  - The module never changes an account that is not declared. Only O(users[].state=absent) removes an account.
  - The keys of each user are in a separate file in O(authorized_keys_dir), owned by root. Keys in C(~/.ssh) are not changed. The
    option C(AuthorizedKeysFile) of C(sshd) must contain O(authorized_keys_dir).
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
      - Do not declare groups that exist in the node's image. To make a user a member of such a group, name the group in
        O(users[].groups).
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
          - A GID is refused if the node has the group with a different GID.
        type: int
      state:
        description:
          - Whether the group exists. V(absent) is refused for the primary group of a user who is not removed.
        type: str
        choices: [present, absent]
        default: present
  users:
    description:
      - Users, each with the same UID on every node.
      - An omitted field is left unchanged. An empty value removes the current value.
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
          - The UID of another account is refused. A change of the UID of an existing user is also refused. The module never
            changes the owner of files.
        type: int
      gid:
        description:
          - GID of the primary group. The group must be declared in O(groups) or exist. The primary group of an existing user is
            never changed.
          - The default is the UID. The module then creates a group with the name of the user and this GID.
        type: int
      groups:
        description:
          - Names of all supplementary groups of the user in the node's C(/etc/group). The user is removed from groups that are
            not listed.
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
          - Home directory. The default is V(/fsx/NAME). If the home directory of an existing account changes, the contents of the
            previous directory are not moved.
          - A home directory inside the home directory of another user is refused, because the owner of the outer directory could
            replace the inner one. This applies to declared users and to other accounts of the node.
        type: str
      source:
        description:
          - If this entry comes from a users file, the file and the line. The role C(accounts) sets this option.
          - An entry from a users file is refused if it would change the home directory of an existing account. It is also refused
            if the account is in C(sudo), C(wheel) or C(admin) on the node, but O(users[].groups) does not contain that group.
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
              - Time at which the key expires, as a date or as an ISO time. A date means the beginning of that day. The time
                zone is UTC unless the time contains an offset.
              - After this time, C(sshd) refuses the key, and the next run removes the line.
            type: str
      sudo:
        description:
          - A sudo rule or a list of rules, without the user's name, for example V(ALL=(ALL\) NOPASSWD:ALL).
          - C(visudo) checks the rules before anything changes. An empty list removes the rules.
        type: raw
      former_uids:
        description:
          - With O(users[].state=absent), UIDs that the account had on this or other nodes. Processes with these UIDs are also
            ended, even if the account is already removed. A UID that another account now has is ignored.
        type: list
        elements: int
      state:
        description:
          - Whether the user exists. V(absent) is refused for the accounts V(ubuntu) and V(ec2-user) of the image.
          - V(absent) locks the account, removes keys and rules, and ends sessions and processes, including those in the user's
            containers. It also removes crontab and C(at) jobs. Then it removes the account, the user's own group and the
            subordinate IDs.
          - If a process can't be ended, the account stays locked, and a finding reports this.
        type: str
        choices: [present, absent]
        default: present
  authorized_keys_dir:
    description:
      - Folder of the managed keys. It contains one file for each user. All accounts can read the files, and only root can write
        them.
      - If accounts other than root could write to the folder before this run, the module writes the files of all declared keys
        again. It renames the files of accounts without declared keys, so that C(sshd) does not use them.
    type: path
    default: /etc/ssh/authorized_keys.d
  shared_home_roots:
    description:
      - Folders on storage that the nodes share. A home directory below one of them counts as shared.
      - A home directory on a network file system always counts as shared.
    type: list
    elements: path
    default: [/fsx]
  create_homes:
    description:
      - Whether the module creates missing home directories on shared storage. Set this option for one node of each cluster.
      - The module creates such a directory as the user, because the storage may squash root, and copies the files of
        C(/etc/skel). It creates a directory only if the storage is mounted. If a directory can't be created, a finding reports
        this, and the other users are still configured.
      - Missing local home directories are always created. An existing home directory is never changed.
    type: bool
    default: false
  home_mode:
    description:
      - Mode of home directories that the module creates.
    type: str
    choices: ['0700', '0710', '0711', '0750', '0751', '0755']
    default: '0750'
  operations_user:
    description:
      - Operations account, which Ansible uses to connect. M(mlfleet.hyperpod.node_access) creates this account. Do not declare it
        here.
      - If O(connecting_user) is the same account, the module removes the keys and sudo rules that M(mlfleet.hyperpod.node_access)
        created for previous operations accounts. It does not remove these accounts.
    type: str
    default: hyperpod-ops
  operations_key:
    description:
      - Public key of O(operations_user) on one line.
      - If set, the module restores the access of an existing operations account as M(mlfleet.hyperpod.node_access) installed it.
        This access consists of the home directory, the key in this directory and in O(authorized_keys_dir), the sudo rule, and a
        shell that allows logins. If the account has expired, the module removes the expiry date.
      - Other lines in the two key files are kept, unless other accounts could write to the file or its folder. RV(changes) lists
        the lines that are not kept.
      - If other accounts could write to the home directory of this account or to its C(.ssh), the module renames the files that
        they left there.
      - The loss of the key or of the sudo rule does not end an open connection. Without this option, the loss is therefore noticed
        only when a later connection fails.
      - If omitted, the access of the operations account is not changed.
    type: str
    version_added: 0.1.0
  connecting_user:
    description:
      - Account that this run uses to connect. A declaration that would lock out this account is refused.
    type: str
  remove_home:
    description:
      - Whether to remove the local home directory of a user with O(users[].state=absent). Home directories on shared storage are
        never removed.
      - A home directory that contains a mount is not removed either, and a note reports this.
    type: bool
    default: false
  spare_jobs:
    description:
      - Whether to keep processes of Slurm jobs of a user with O(users[].state=absent).
      - While such processes run, the account stays locked and has no keys. A later run removes the account.
    type: bool
    default: false
notes:
  - The records of all users are written to C(/etc/passwd) and related files in one step under the lock of C(lckpwdf), so 200
    users take as long as one user. The previous files are kept with a C(-) at the end of their names.
  - Users get no password (C(*)). An existing password is not changed. If the removal of a user was interrupted and the user is
    then declared present, the module reverts the lock and the expiry date.
  - The module does not assign subordinate UIDs (C(/etc/subuid)).
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

- name: Find conflicts of the declaration on all nodes, without changing anything
  mlfleet.hyperpod.accounts:
    users: "{{ hyperpod_users }}"
    groups: "{{ hyperpod_groups }}"
  check_mode: true
"""

RETURN = r"""
accounts:
  description: The declared users and groups. In check mode, the predicted ones.
  returned: success
  type: dict
  contains:
    users:
      description: The declared users. C(state) is V(present), V(absent), or V(locked) for an account whose removal is not complete.
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
  description: The changes. In check mode, the predicted changes. If the module failed, the changes before the failure.
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
"""The wait for the lock is long, because other runs also change accounts, and ending processes takes time."""


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
