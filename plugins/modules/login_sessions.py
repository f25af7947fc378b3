#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is logged in to a node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: login_sessions
short_description: Wait until nobody is logged in to a node, or end the sessions
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Lists the sessions of people, as the login manager C(systemd-logind) knows them. Logins that it does not know are found
    by the processes of sshd.
  - A session whose person has left and whose processes run on (C(tmux), C(nohup)) is listed with the state V(closing).
  - Sessions of C(root), of O(operations_user) and of services are not listed.
  - The controller asks again until nobody is left or O(wait_timeout) is over, and shows whom it waits for. In check mode
    it asks once.
options:
  state:
    description: What is to become of the sessions.
    type: str
    choices:
      reported: They are waited for. Those that are left are listed, and pending in the report of the run.
      ended: They are waited for. Those that are left are ended with all of their processes.
    default: reported
  wait_timeout:
    description: Seconds, from 0 to 86400, to wait for sessions to end by themselves.
    type: int
    default: 0
  poll_interval:
    description: Seconds, from 1 to 300, between two looks.
    type: int
    default: 10
  notice:
    description:
      - Shown once on the terminals of the sessions, before the wait. Not in check mode, and no change.
      - At most 2,000 printable characters, in lines.
    type: str
    default: ''
  operations_user:
    description: The account that manages the node. An empty string spares C(root) only.
    type: str
    default: hyperpod-ops
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
notes:
  - Needs root on the node. The node needs Python 3.9 or newer and no further library.
  - Services of people that run without a session (C(loginctl enable-linger), cron, Slurm jobs) are not listed.
seealso:
  - module: mlfleet.hyperpod.sshd_config
  - module: mlfleet.hyperpod.readiness_gate
"""

EXAMPLES = r"""
- name: Give people an hour
  mlfleet.hyperpod.login_sessions:
    notice: This node is restarted at 18:00 UTC.
    wait_timeout: 3600
  become: true
  register: left

- name: End what is left after a minute
  mlfleet.hyperpod.login_sessions:
    state: ended
    wait_timeout: 60
  become: true
"""

RETURN = r"""
login_sessions:
  description: The sessions that are left.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The login manager's number, or C(pid-) and the process of sshd.
      type: str
    user:
      description: Name of the person.
      type: str
    uid:
      description: The numeric id.
      type: int
    state:
      description: V(active), V(online), or V(closing) where the person has left and processes run on.
      type: str
    since:
      description: When the session began, in UTC.
      type: str
    tty:
      description: The terminal, several with commas, or an empty string.
      type: str
    remote:
      description: The address that the login came from. Behind a load balancer that is the balancer's.
      type: str
    commands:
      description: Names of the running programs, each once.
      type: list
      elements: str
    processes:
      description: How many processes the session has.
      type: int
  sample:
    - id: "12"
      user: alice
      uid: 20001
      state: active
      since: "2026-11-21T01:02:03Z"
      tty: pts/0
      remote: 10.1.1.5
      commands: [bash, vim]
      processes: 4
session_wait:
  description: What the wait came to.
  returned: success
  type: dict
  contains:
    state:
      description: V(empty), V(timed_out), V(ended), or V(not_waited) in check mode.
      type: str
    elapsed:
      description: Seconds.
      type: int
    timeout:
      description: Seconds that were allowed.
      type: int
    deadline:
      description: When they are over, in UTC.
      type: str
    who:
      description: Whom it waited for at the end, in words.
      type: str
  sample:
    state: timed_out
    elapsed: 3600
    timeout: 3600
    deadline: "2026-11-21T02:02:03Z"
    who: "alice (1 session since 2026-11-21T01:02:03Z)"
changes:
  description: What was changed, or would be in check mode.
  returned: always
  type: list
  elements: dict
hyperpod_findings:
  description: Sessions that are left, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.apply import apply
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.notice import tell
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import run_node

SPEC: dict[str, dict[str, t.Any]] = {
    "state": {"type": "str", "choices": ["reported", "ended"], "default": "reported"},
    "wait_timeout": {"type": "int", "default": 0},
    "poll_interval": {"type": "int", "default": 10},
    "notice": {"type": "str", "default": ""},
    "operations_user": {"type": "str", "default": "hyperpod-ops"},
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    return Resource(
        observe=lambda: observe(desired.operations_user),
        plan=lambda state: plan(desired, state),
        apply=apply,
        result=result,
    )


def notify(module: t.Any) -> None:
    desired = options.desired(module.params)
    if desired.notice and not module.check_mode:
        tell(observe(desired.operations_user), desired.notice)


def main() -> None:
    run_node(AnsibleModule(argument_spec=SPEC, supports_check_mode=True), resource, begin=notify, lock=False)


if __name__ == "__main__":
    main()
