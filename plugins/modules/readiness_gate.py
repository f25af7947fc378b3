#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The readiness gate of a login node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: readiness_gate
short_description: Answer the load balancer's health check only on a verified login node
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Opens a TCP port that a health check asks, after host keys, accounts and mounts of this node were verified. A blank
    replacement that took over the address of an old node has no such port, so it gets no login.
  - A node with problems gets a closed gate, also if it was open before. That is not a failure of the task unless
    O(fail=true); the problems are in the result.
  - After a boot the node repeats the same verification by itself and opens the gate once it passes.
  - All of it lives on the node's local disk and is gone with it.
options:
  state:
    description:
      - V(open) verifies the node and opens the gate if there are no problems.
      - V(closed) refuses connections to the port, also after a boot, for example to drain the node.
      - V(absent) removes the gate.
    type: str
    choices: [open, closed, absent]
    default: open
  port:
    description: The TCP port of the gate.
    type: int
    default: 2022
  host_keys:
    description:
      - Public key lines that sshd on this node must present, exactly these.
      - Host keys are not verified with an empty list.
    type: list
    elements: str
    default: []
  host_certificates:
    description: Certificates that sshd on this node must present, and until when each is valid.
    type: list
    elements: dict
    default: []
    suboptions:
      certificate:
        description: The line of the certificate file.
        type: str
        required: true
      valid_until:
        description: ISO time in UTC, from which on the node is not ready any more.
        type: str
        required: true
  host_keys_foreseen:
    description:
      - In check mode, tasks before this one would change the host keys, so what sshd presents now is not judged.
      - Without effect outside of check mode.
    type: bool
    default: false
  users_foreseen:
    description:
      - In check mode, tasks before this one would change accounts, so those that exist now are not judged.
      - Without effect outside of check mode.
    type: bool
    default: false
  users:
    description: Accounts that must exist. May be empty where a directory service provides them.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the user.
        type: str
        required: true
      uid:
        description: The numeric id that the user must have. Omit it to accept any.
        type: int
  mounts:
    description: Paths at which a file system must be mounted and must answer.
    type: list
    elements: str
    default: []
  mount_timeout:
    description: Seconds, from 1 to 60, within which each file system must answer.
    type: int
    default: 5
  instance:
    description: Id of this node, part of the line that the gate answers with.
    type: str
    default: ''
  fail:
    description: Whether problems make the task fail, after the gate was closed.
    type: bool
    default: false
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
    details:
      - Verifies the node as it is now. What earlier tasks would have changed in check mode shows as problems.
  diff_mode:
    support: full
  idempotent:
    support: full
notes:
  - Needs root on the node, systemd and C(ssh-keyscan). The node needs Python 3.9 or newer and no further library.
seealso:
  - module: mlfleet.hyperpod.ssh_host_keys
  - module: mlfleet.hyperpod.accounts
"""

EXAMPLES = r"""
- name: Let people in once the node is as it should be
  mlfleet.hyperpod.readiness_gate:
    host_keys:
      - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm
    users:
      - name: alice
        uid: 20001
    mounts: [/fsx]
    instance: i-0123456789abcdef0
  become: true

- name: Drain the node
  mlfleet.hyperpod.readiness_gate:
    state: closed
  become: true
"""

RETURN = r"""
readiness_gate:
  description: The gate; in check mode as it would be.
  returned: success
  type: dict
  contains:
    state:
      description: V(open), V(closed) or V(absent).
      type: str
    ready:
      description: Whether the gate is open and nothing speaks against it.
      type: bool
    port:
      description: The TCP port.
      type: int
    problems:
      description: What speaks against opening the gate, as sentences.
      type: list
      elements: str
  sample:
    state: closed
    ready: false
    port: 2022
    problems: [/fsx is not mounted]
changes:
  description: What was changed, or would be in check mode.
  returned: always
  type: list
  elements: dict
hyperpod_report:
  description: Sentences for the report of the run, under C(pending).
  returned: when there are problems
  type: dict
"""

import sys

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils import _plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import gate
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.lock import node_lock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import CommandFailed


def main() -> None:
    user = {"name": {"type": "str", "required": True}, "uid": {"type": "int"}}
    certificate = {"certificate": {"type": "str", "required": True}, "valid_until": {"type": "str", "required": True}}
    module = AnsibleModule(
        argument_spec={
            "state": {"type": "str", "choices": ["open", "closed", "absent"], "default": "open"},
            "port": {"type": "int", "default": 2022},
            "host_keys": {"type": "list", "elements": "str", "default": [], "no_log": False},
            "host_certificates": {"type": "list", "elements": "dict", "options": certificate, "default": []},
            "host_keys_foreseen": {"type": "bool", "default": False, "no_log": False},
            "users": {"type": "list", "elements": "dict", "options": user, "default": []},
            "users_foreseen": {"type": "bool", "default": False},
            "mounts": {"type": "list", "elements": "str", "default": []},
            "mount_timeout": {"type": "int", "default": 5},
            "instance": {"type": "str", "default": ""},
            "fail": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    try:
        desired = gate.desired_from(module.params)
        foreseen = _foreseen(module.params) if module.check_mode else ()
        files = gate.rendered_files(desired, python=sys.executable or "/usr/bin/python3")
        with node_lock():
            _plan.converge(
                module,
                observe=lambda: gate.observe(desired, foreseen=foreseen),
                plan=lambda state: gate.plan(desired, state, files=files),
                apply=gate.apply,
                describe=lambda state: _result(module, desired, state),
            )
    except (_plan.Refused, CommandFailed, OSError) as error:
        module.fail_json(msg=str(error), changes=_plan.APPLIED)


def _foreseen(params: dict) -> tuple[str, ...]:
    keys = ("host_keys", "host_certificates") if params["host_keys_foreseen"] else ()
    return (*keys, "users") if params["users_foreseen"] else keys


def _result(module: AnsibleModule, desired: gate.Desired, state: gate.State) -> dict:
    result = {"readiness_gate": gate.describe(desired, state)}
    if state.problems:
        result["hyperpod_report"] = {"pending": [f"Not ready for logins: {problem}." for problem in state.problems]}
        if module.params["fail"]:
            module.fail_json(
                msg=f"The node is not ready for logins: {'; '.join(state.problems)}.", changes=_plan.APPLIED, **result
            )
    return result


if __name__ == "__main__":
    main()
