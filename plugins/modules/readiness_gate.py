#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manages the readiness gate of a login node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: readiness_gate
short_description: Accept connections to a login node only while the node is verified
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - The readiness gate of a login node has two TCP ports, one for users and one for the health check of the load balancer. The
    module opens both ports after it has verified the host keys, accounts and mounts of the node.
  - A replaced node has a blank disk and therefore no gate. Even if it gets the address of a previous node, it listens on neither
    port. The load balancer then sends no users to it. If the load balancer fails open, the connection is refused.
  - C(sshd -i) serves each connection on the port for users, with the files and options of the node's sshd. A change of these
    files needs no reload for this port. Port 22 is not changed.
  - If the node has problems, the module closes the gate, even if it was open. The result contains the problems. The task fails
    only with O(fail=true).
  - If only new expectations of this run are not met, and the node still meets the previous ones, an open gate stays open and
    unchanged. The node is then not ready. For example, a misspelled new mount does not close the gate.
  - A timer repeats the verification twice a minute and after a boot. Three failed checks in a row, five seconds apart, close the
    gate. Two successful checks open it again.
  - M(mlfleet.hyperpod.ssh_host_keys) and M(mlfleet.hyperpod.sshd_config) suspend the timer when they change sshd. The timer
    continues when this module runs, or 15 minutes after the time limit for the confirmation of the change.
  - Everything is stored on the local disk of the node, so a node with a new disk has no gate.
options:
  state:
    description:
      - V(open) verifies the node and opens the gate if there are no problems.
      - V(closing) closes the port of the health check and keeps the port for users open. The load balancer then stops sending
        users, so that no user is refused when the gate is closed later. If the port for users is not open, V(closing) has the
        effect of V(closed).
      - V(closed) refuses connections to both ports, even after a boot, for example to drain the node.
      - V(absent) removes the gate.
    type: str
    choices: [open, closing, closed, absent]
    default: open
  port:
    description:
      - TCP port of the health check, V(1) to V(511).
      - Only ports below 512 are allowed. Users of the node can listen on ports from 1024 on. NFS and Lustre clients use source
        ports from 512 to 1023, and a port in use can't be opened.
    type: int
    default: 223
  former_ports:
    description: Previous ports of the health check. List them while the load balancer may not use O(port) yet.
    type: list
    elements: int
    default: []
  people_port:
    description: TCP port for logins of users, V(1) to V(511).
    type: int
    default: 222
  former_people_ports:
    description: Previous ports for logins of users. List them while the load balancer may still use them.
    type: list
    elements: int
    default: []
  host_keys:
    description:
      - Public keys that sshd on this node must present, one on each line. The node fails the verification if sshd presents any
        other key.
      - If the list is empty, host keys are not verified.
    type: list
    elements: str
    default: []
  host_certificates:
    description: Certificates that sshd on this node must present, each with its expiry.
    type: list
    elements: dict
    default: []
    suboptions:
      certificate:
        description: Line of the certificate file.
        type: str
        required: true
      valid_until:
        description: ISO time in UTC after which the node is no longer ready.
        type: str
        required: true
  host_keys_foreseen:
    description:
      - In check mode, whether earlier tasks would change the host keys. If so, the current host keys are not verified.
      - This option has no effect outside of check mode.
    type: bool
    default: false
  users_foreseen:
    description:
      - In check mode, whether earlier tasks would change accounts. If so, the current accounts are not verified.
      - This option has no effect outside of check mode.
    type: bool
    default: false
  users:
    description: Accounts that must exist. The list may be empty if a directory service provides the accounts.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the user.
        type: str
        required: true
      uid:
        description: UID that the user must have. If omitted, any UID is accepted.
        type: int
  mounts:
    description: Paths where a file system must be mounted and must answer.
    type: list
    elements: str
    default: []
  mount_timeout:
    description: Seconds within which each file system must answer, V(1) to V(60).
    type: int
    default: 5
  silent_mounts:
    description:
      - What happens if a mounted file system does not answer while the gate is open. With V(warn), the gate stays open, because
        users on all nodes wait for the same file system. With V(close), the gate is closed.
      - If a file system is not mounted, the gate is always closed. A closed gate opens only if all file systems answer.
    type: str
    choices: [warn, close]
    default: warn
  instance:
    description: Instance ID of the node. The port of the health check sends the ID in its greeting line.
    type: str
    default: ''
  controller_time:
    description:
      - Time on the control node, in seconds since the epoch. The action plugin sets this option. With O(state=open), a node is
        refused if its clock differs by more than five minutes.
    type: float
  fail:
    description: Whether the task fails if there are problems. The gate is closed first.
    type: bool
    default: false
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
    details:
      - In check mode, the module verifies the current state of the node. Changes that earlier tasks would make therefore appear
        as problems.
  diff_mode:
    support: full
  idempotent:
    support: full
notes:
  - The module requires root, systemd and C(ssh-keyscan) on the node. The node requires Python 3.9 or newer and no other library.
seealso:
  - module: mlfleet.hyperpod.ssh_host_keys
  - module: mlfleet.hyperpod.accounts
"""

EXAMPLES = r"""
- name: Open the gate after the node is verified
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
  description: The gate. In check mode, the predicted gate.
  returned: success
  type: dict
  contains:
    state:
      description: V(open), V(closing), V(closed) or V(absent).
      type: str
    ready:
      description: Whether the gate is open and there are no problems.
      type: bool
    port:
      description: TCP port of the health check.
      type: int
    people_port:
      description: TCP port for logins of users.
      type: int
    problems:
      description: Problems that make the node unready for logins.
      type: list
      elements: str
    warnings:
      description: Problems that do not close the gate.
      type: list
      elements: str
  sample:
    state: closed
    ready: false
    port: 223
    people_port: 222
    problems: [/fsx is not mounted]
    warnings: []
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
hyperpod_findings:
  description: Findings, with the codes of C(docs/reference/findings.md).
  returned: always
  type: list
  elements: dict
"""

import sys
import time
import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import hold, options, serving, units
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate.apply import apply
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate.result import failed, result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import run_node

USER: dict[str, dict[str, t.Any]] = {"name": {"type": "str", "required": True}, "uid": {"type": "int"}}
CERTIFICATE: dict[str, dict[str, t.Any]] = {
    "certificate": {"type": "str", "required": True},
    "valid_until": {"type": "str", "required": True},
}
SPEC: dict[str, dict[str, t.Any]] = {
    "state": {"type": "str", "choices": ["open", "closing", "closed", "absent"], "default": "open"},
    "port": {"type": "int", "default": 223},
    "former_ports": {"type": "list", "elements": "int", "default": []},
    "people_port": {"type": "int", "default": 222},
    "former_people_ports": {"type": "list", "elements": "int", "default": []},
    "host_keys": {"type": "list", "elements": "str", "default": [], "no_log": False},
    "host_certificates": {"type": "list", "elements": "dict", "options": CERTIFICATE, "default": []},
    "host_keys_foreseen": {"type": "bool", "default": False, "no_log": False},
    "users": {"type": "list", "elements": "dict", "options": USER, "default": []},
    "users_foreseen": {"type": "bool", "default": False},
    "mounts": {"type": "list", "elements": "str", "default": []},
    "mount_timeout": {"type": "int", "default": 5},
    "silent_mounts": {"type": "str", "choices": ["warn", "close"], "default": "warn"},
    "instance": {"type": "str", "default": ""},
    "controller_time": {"type": "float"},
    "fail": {"type": "bool", "default": False},
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    if desired.state == "open":
        clock.check(module.params["controller_time"], now=time.time())
    foreseen = options.foreseen(module.params) if module.check_mode else ()
    files = units.rendered(
        desired,
        python=sys.executable or "/usr/bin/python3",
        serving=serving.lines(),
        connections=serving.connections(),
    )
    return Resource(
        observe=lambda: observe(desired, files=files, foreseen=foreseen),
        plan=lambda state: plan(desired, state, files=files),
        apply=apply,
        result=lambda state: result(desired, state, fail=module.params["fail"]),
        failed=failed,
    )


def end_hold(module: t.Any) -> None:
    if not module.check_mode:
        hold.end()


def main() -> None:
    run_node(AnsibleModule(argument_spec=SPEC, supports_check_mode=True), resource, begin=end_hold)


if __name__ == "__main__":
    main()
