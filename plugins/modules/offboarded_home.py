#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The home of one person who leaves, looked after as its owner."""

from __future__ import annotations

DOCUMENTATION = r"""
module: offboarded_home
version_added: 0.1.0
short_description: List or remove the keys in the home of a person who left, and put the home aside
author:
  - mlfleet (@mlfleet)
description:
  - For a person who leaves, on one node that mounts the storage. The account need not exist any more.
  - Reads and changes the home as the owner's number, because root is nobody on storage that squashes it.
  - Files of the person are never removed, except the lists of keys if O(keys=remove).
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
  name:
    description:
      - Name of the person, for messages.
    type: str
    required: true
  uid:
    description:
      - The person's UID, from 1000. A home that belongs to another one is left alone.
    type: int
    required: true
  gid:
    description:
      - GID to act with. The UID by default.
    type: int
  home:
    description:
      - The home, at least two levels deep.
    type: str
    required: true
  keys:
    description:
      - What becomes of C(.ssh/authorized_keys) and C(.ssh/authorized_keys2) in it.
    type: str
    choices:
      list: They stay, and their keys are returned.
      remove: The files are removed, whatever is in them. Of a symbolic link, the link goes and its target stays.
    default: list
  archive:
    description:
      - Whether the home gets the name C(HOME.offboarded) and mode C(0700). It is not copied, and nothing in it changes.
    type: bool
    default: false
  shared_home_roots:
    description:
      - Mount points of shared storage. A home below one of these waits while nothing is mounted there.
    type: list
    elements: path
    default: [/fsx]
seealso:
  - module: mlfleet.hyperpod.accounts
"""

EXAMPLES = r"""
- name: Which keys did she leave?
  mlfleet.hyperpod.offboarded_home:
    name: mallory
    uid: 20003
    home: /fsx/mallory
  become: true

- name: Remove them, and put the home aside
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
  description: The home now, or as it would be in check mode.
  returned: success
  type: dict
  contains:
    state:
      description:
        - V(folder), V(archived), V(missing), V(foreign) (it belongs to another UID), V(other) (no folder), V(unmounted) or
          V(silent).
      type: str
    path:
      description: Where it is.
      type: str
    authorized_keys:
      description: Files with keys, each with C(path) and C(keys).
      type: list
      elements: dict
  sample:
    state: archived
    path: /fsx/mallory.offboarded
    authorized_keys: []
changes:
  description: What was changed, or would be in check mode.
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
  description: What was found beside changes, with the codes of C(docs/reference/findings.md).
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
