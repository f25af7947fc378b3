#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The readiness gate of a login node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: readiness_gate
short_description: Let people and the load balancer's health check in only on a verified login node
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Opens two TCP ports after host keys, accounts and mounts of this node were verified, the one where people come in and the
    one that a health check asks. A blank replacement that took over the address of an old node listens on neither, so nobody
    is sent there, and where a load balancer fails open the connection is refused.
  - On the port for people each connection is served by C(sshd -i), with the files and options of the node's sshd, so a change
    of these needs no reload there. Port 22 stays as it is.
  - A node with problems gets a closed gate, also if it was open before. That is not a failure of the task unless
    O(fail=true); the problems are in the result. An open gate stays open, and as it is, where the node is right by what was
    expected before, so that a mount that is expected anew and misspelt closes no login node; it counts as not ready.
  - A timer repeats the verification twice a minute and after a boot. Three bad looks in a row, five seconds apart, close the
    gate, two good ones open it again. M(mlfleet.hyperpod.ssh_host_keys) and M(mlfleet.hyperpod.sshd_config) hold it off for 15
    minutes after a new login had to confirm what they change, or until this module ran.
  - All of it lives on the node's local disk and is gone with it.
options:
  state:
    description:
      - V(open) verifies the node and opens the gate if there are no problems.
      - V(closing) closes the port of the health check and leaves that for people open until the balancer sends nobody any
        more.
      - V(closed) refuses connections to both, also after a boot, for example to drain the node.
      - V(absent) removes the gate.
    type: str
    choices: [open, closing, closed, absent]
    default: open
  port:
    description:
      - The TCP port that the health check asks, from 1 to 511.
      - Users may listen on ports from 1024 on. NFS and Lustre clients take source ports from 512 to 1023, and a port in use can't
        be listened on.
    type: int
    default: 223
  former_ports:
    description: Ports that the health check may still ask, since the balancer was not moved to O(port) yet.
    type: list
    elements: int
    default: []
  people_port:
    description: The TCP port where people log in, as O(port).
    type: int
    default: 222
  former_people_ports:
    description: Ports to which the balancer may still send people.
    type: list
    elements: int
    default: []
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
  silent_mounts:
    description:
      - What a file system means that is mounted and does not answer, while the gate is open. With V(warn) it stays open, since
        people on all nodes wait for the same file system.
      - A missing one always closes the gate, and a closed gate opens only when all answer.
    type: str
    choices: [warn, close]
    default: warn
  instance:
    description: Id of this node, part of the line that the gate answers with.
    type: str
    default: ''
  controller_time:
    description:
      - The time on the controller, in seconds since the epoch; the action plugin sets it. With O(state=open) a node whose clock is
        more than five minutes ahead or behind is refused.
    type: float
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
      description: V(open), V(closing), V(closed) or V(absent).
      type: str
    ready:
      description: Whether the gate is open and nothing speaks against it.
      type: bool
    port:
      description: The TCP port that the health check asks.
      type: int
    people_port:
      description: The TCP port where people log in.
      type: int
    problems:
      description: What speaks against opening the gate, as sentences.
      type: list
      elements: str
    warnings:
      description: What is not right, and does not close the gate, as sentences.
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
  description: What was changed, or would be in check mode.
  returned: always
  type: list
  elements: dict
hyperpod_findings:
  description: What was found beside changes, with the codes of C(docs/reference/findings.md).
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
