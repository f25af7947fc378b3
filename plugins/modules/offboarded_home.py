#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes the keys in the home directory of an offboarded user, and archives the directory."""

from __future__ import annotations

DOCUMENTATION = r"""
module: offboarded_home
version_added: 0.1.0
short_description: List or remove the keys of an offboarded user, and archive the home directory
author:
  - mlfleet (@mlfleet)
description:
  - Lists or removes the keys in the home directory of an offboarded user, and archives the directory. Run the module on one node
    that mounts the storage. The account does not need to exist.
  - The module reads and changes the home directory with the UID of its owner, because storage may squash root.
  - The module never removes files of the user, except the key files with O(keys=remove).
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
  name:
    description:
      - Name of the user, for messages.
    type: str
    required: true
  uid:
    description:
      - UID of the user, at least 1000. A home directory with a different owner is not changed.
    type: int
    required: true
  gid:
    description:
      - GID with which the module reads and changes the directory. The default is the UID.
    type: int
  home:
    description:
      - Home directory, which must be at least two levels deep.
    type: str
    required: true
  keys:
    description:
      - What to do with C(.ssh/authorized_keys) and C(.ssh/authorized_keys2) in the home directory.
    type: str
    choices:
      list: The files are not changed, and their keys are returned.
      remove: The files are removed. If a file is a symbolic link, only the link is removed.
    default: list
  archive:
    description:
      - Whether to rename the home directory to C(HOME.offboarded) with mode C(0700). The directory is not copied, and its
        contents do not change.
    type: bool
    default: false
  shared_home_roots:
    description:
      - Mount points of shared storage. A home directory below one of them is not processed while the storage is not mounted, and
        is reported as pending.
    type: list
    elements: path
    default: [/fsx]
seealso:
  - module: mlfleet.hyperpod.accounts
"""

EXAMPLES = r"""
- name: List the keys of an offboarded user
  mlfleet.hyperpod.offboarded_home:
    name: mallory
    uid: 20003
    home: /fsx/mallory
  become: true

- name: Remove the keys, and archive the home directory
  mlfleet.hyperpod.offboarded_home:
    name: mallory
    uid: 20003
    home: /fsx/mallory
    keys: remove
    archive: true
  become: true
"""

RETURN = r"""
offboarded_home:
  description: The home directory. In check mode, the predicted home directory.
  returned: success
  type: dict
  contains:
    state:
      description:
        - V(folder) if the directory is at O(home), V(archived), V(missing), V(foreign) if the directory has a different owner,
          V(other) if the path is not a directory or can't be read, V(unmounted) if the storage is not mounted, or V(silent) if
          the storage does not respond.
      type: str
    path:
      description: Path of the home directory.
      type: str
    authorized_keys:
      description: Files that contain keys, each with C(path) and C(keys).
      type: list
      elements: dict
  sample:
    state: archived
    path: /fsx/mallory.offboarded
    authorized_keys: []
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
  sample:
    - action: update
      resource: home of mallory
      field: path
      before: /fsx/mallory
      after: /fsx/mallory.offboarded
hyperpod_findings:
  description: Findings, with the codes of C(docs/reference/findings.md).
  returned: always
  type: list
  elements: dict
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import run_node

SPEC: dict[str, dict[str, t.Any]] = {
    "name": {"type": "str", "required": True},
    "uid": {"type": "int", "required": True},
    "gid": {"type": "int"},
    "home": {"type": "str", "required": True},
    "keys": {"type": "str", "choices": ["list", "remove"], "default": "list", "no_log": False},
    "archive": {"type": "bool", "default": False},
    "shared_home_roots": {"type": "list", "elements": "path", "default": ["/fsx"]},
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    return Resource(
        observe=lambda: observe(desired),
        plan=lambda state: plan(desired, state),
        apply=Applier(desired),
        result=lambda state: result(desired, state),
    )


def main() -> None:
    run_node(AnsibleModule(argument_spec=SPEC, supports_check_mode=True), resource, lock=False)


if __name__ == "__main__":
    main()
