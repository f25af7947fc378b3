#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups, users, their keys, sudo rules and homes on one node, in one call."""

from __future__ import annotations

DOCUMENTATION = r"""
module: accounts
version_added: 0.1.0
short_description: Configure all people on a node in one call
author:
  - mlfleet (@mlfleet)
description:
  - Makes groups and users with pinned numbers, their SSH keys, sudo rules and homes, and removes those that leave.
  - Looks at the node once, judges the whole declaration against it, and refuses all conflicts together before it
    changes anything. In check mode it is the conflict pass over many nodes.
  - M(ansible.builtin.user) and C(ansible.posix.authorized_key) take one user a task, which costs 0.3 seconds an item
    and host, and find a conflict only after half of the users were changed.
  - Accounts that are not declared are never touched. Only O(users[].state=absent) removes one.
  - Keys go into a file of their own a user, owned by root, in O(authorized_keys_dir). What stands in C(~/.ssh) stays.
    C(sshd) must name O(authorized_keys_dir) in its C(AuthorizedKeysFile).
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - Keys are shown by their fingerprints.
  idempotent:
    support: full
options:
  groups:
    description:
      - Groups with pinned GIDs.
      - A group of the image is not declared; name it in O(users[].groups).
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description:
          - Name of 1 to 32 of C(a-z), C(0-9), C(_) and C(-), starting with a letter or C(_).
        type: str
        required: true
      gid:
        description:
          - From 1000 to 4294967294, without 65534 and 65535. Required when the group is to be present.
          - An existing group with another GID is refused.
        type: int
      state:
        description:
          - A group that is the primary group of somebody who stays is not removed but refused.
        type: str
        choices: [present, absent]
        default: present
  users:
    description:
      - The people, each with one UID on every node.
      - In an entry, what is omitted is left alone, and an empty value makes it empty.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description:
          - Name of 1 to 32 of C(a-z), C(0-9), C(_) and C(-), starting with a letter or C(_).
          - V(root), O(operations_user), and a name that SSSD or LDAP serves are refused.
        type: str
        required: true
      uid:
        description:
          - From 1000 to 4294967294, without 65534 and 65535. Required when the user is to be present.
          - An existing user with another UID, and the UID of another account, are refused. Files never change owner.
        type: int
      gid:
        description:
          - GID of the primary group, which is declared in O(groups) or exists. An existing user's is never changed.
          - If omitted, it is the UID, and a group with the user's name and this GID is made.
        type: int
      groups:
        description:
          - All supplementary groups in the node's C(/etc/group), by name. The user leaves the others.
          - If omitted, memberships are left alone.
        type: list
        elements: str
      comment:
        description:
          - The full name, or whatever stands in the comment field.
        type: str
      shell:
        description:
          - An executable file on the node.
        type: path
        default: /bin/bash
      home:
        description:
          - The home folder. Omitted, it is V(/fsx/NAME). The contents of an earlier one are not moved.
          - It lies in no other home, declared or of an account on the node, and none lies in it. Who owns the outer one
            could replace the inner one.
        type: str
      source:
        description:
          - File and line, where the entry comes from a users file (the role C(accounts) fills it in).
          - Such an entry is refused if it would move the home of an account that exists, or names an account that is in
            C(sudo), C(wheel) or C(admin) on the node and not in O(users[].groups).
        type: str
      authorized_keys:
        description:
          - All managed keys of the user. An empty list removes the user's file in O(authorized_keys_dir).
        type: list
        elements: dict
        suboptions:
          key:
            description:
              - The public key on one line, with or without a comment.
              - DSA, RSA below 2048 bits, certificates and private keys are refused, and so is the comment
                V(mlfleet-hyperpod-operations), by which the key of the operations account is known.
            type: str
            required: true
          options:
            description:
              - Options as C(sshd) reads them in front of a key, for example V(from="10.0.0.0/8",no-agent-forwarding).
            type: str
          expires:
            description:
              - A date (its first moment) or an ISO time, in UTC unless it has an offset. From then on the key opens
                nothing. C(sshd) holds to it by itself, and the next run removes the line.
            type: str
      sudo:
        description:
          - A sudo rule or a list of them, without the user's name, for example V(ALL=(ALL\) NOPASSWD:ALL).
          - C(visudo) checks them before anything changes. An empty list removes the rules.
        type: raw
      former_uids:
        description:
          - With O(users[].state=absent), numbers that the account had here or on other nodes. Processes with one of them
            are ended too, also after the account is gone, unless another account has the number now.
        type: list
        elements: int
      state:
        description:
          - V(absent) is refused for the image's V(ubuntu) and V(ec2-user).
          - V(absent) locks the account, removes keys and rules, ends sessions and processes (also those in containers of
            the user), removes crontab and C(at) jobs, and then the account, its own group and its subordinate IDs.
          - While a process can't be ended, the account stays, locked, which is a finding.
        type: str
        choices: [present, absent]
        default: present
  authorized_keys_dir:
    description:
      - Folder of the managed keys; one file a user, readable by all and writable by root.
      - If others could write to the folder, its files are written again, and those of accounts whose keys are not declared are set
        aside in it.
    type: path
    default: /etc/ssh/authorized_keys.d
  shared_home_roots:
    description:
      - A home below one of these is on storage that the nodes share.
      - A home on a network file system counts as shared without being listed.
    type: list
    elements: path
    default: [/fsx]
  create_homes:
    description:
      - Whether this node makes missing homes on shared storage. One node a cluster should.
      - They are made by the user, because root is nobody where storage squashes it, with the files of C(/etc/skel), and
        only when the storage is mounted. What stands in the way is a finding and does not stop the rest.
      - Local homes are always made. An existing home is never changed.
    type: bool
    default: false
  home_mode:
    description:
      - Mode of homes that are made.
    type: str
    choices: ['0700', '0710', '0711', '0750', '0751', '0755']
    default: '0750'
  operations_user:
    description:
      - The account that automation connects with. It is made by M(mlfleet.hyperpod.node_access) and not declared here.
      - If O(connecting_user) is the same, the key and the sudo rule of operations accounts of before are removed, as far as
        M(mlfleet.hyperpod.node_access) made them. The accounts stay.
    type: str
    default: hyperpod-ops
  operations_key:
    description:
      - The public key of O(operations_user) on one line. With it, the access of an account that exists is restored as
        M(mlfleet.hyperpod.node_access) installed it - the key in O(authorized_keys_dir) and in its home, the home, the sudo
        rule, a shell, and no date of expiry. Other lines in the files stay, except in a file or folder that other accounts could
        write; the change lists those lines.
      - Files that other accounts left in its home or C(.ssh), while these were open to them, are set aside.
      - A connection that is still open works without them, so that nothing else reports their loss.
      - If omitted, they are left alone.
    type: str
    version_added: 0.1.0
  connecting_user:
    description:
      - The account that this run connects with. A declaration that would lock it out is refused.
    type: str
  remove_home:
    description:
      - Whether the local home of a user with O(users[].state=absent) is removed. One on shared storage always stays.
      - A home with something mounted in it stays, too, and a note tells it.
    type: bool
    default: false
  spare_jobs:
    description:
      - Whether processes of Slurm jobs of a user with O(users[].state=absent) are left alone.
      - While there are some, the account stays on the node, locked and without keys; a later run removes it.
    type: bool
    default: false
notes:
  - Records are written to C(/etc/passwd) and its companions in one step under the lock of C(lckpwdf), so that 200 users
    cost as much as one. The earlier files are kept with C(-) at the end of their names.
  - Users get no password (C(*)). One that is set stays. A mere lock and the expiry date of an interrupted removal are
    taken back when the user is declared present.
  - Subordinate UIDs (C(/etc/subuid)) are not assigned.
seealso:
  - module: mlfleet.hyperpod.node_access
  - module: mlfleet.hyperpod.sshd_config
"""

EXAMPLES = r"""
- name: Configure the people of the cluster
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

- name: Make the homes on the shared file system from one node of the cluster
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
  description: The declared users and groups as they are on the node, or would be in check mode.
  returned: success
  type: dict
  contains:
    users:
      description: One entry for each declared user. The state is V(present), V(locked) or V(absent).
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
      description: One entry for each declared group.
      returned: success
      type: list
      elements: dict
      sample:
        - name: research
          state: present
          gid: 7000
          members: [alice]
changes:
  description: What was changed, or would be in check mode. After a failure, what had been changed before it.
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
  description: The conflicts for which the declaration was refused, each with option, value and what is allowed.
  returned: when the declaration is refused
  type: list
  elements: str
  sample:
    - "users[alice].uid: 5001 is not allowed: this node has the account carol with it. Allowed: a UID that nobody has."
hyperpod_findings:
  description: What was found beside changes, with the codes of C(docs/reference/findings.md).
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
"""Other runs make accounts, too, and ending somebody's processes takes its time."""


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
