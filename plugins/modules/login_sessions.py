#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists the sessions of a node, waits for them, or ends them."""

from __future__ import annotations

DOCUMENTATION = r"""
module: login_sessions
short_description: Wait until no user is logged in to a node, or end the sessions
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Lists the users' sessions that the login manager C(systemd-logind) knows. The module finds other logins by the processes of
    sshd.
  - If a user has logged out but processes of the session still run (C(tmux), C(nohup)), the session is listed with the state
    V(closing).
  - Sessions of C(root), of O(operations_user) and of services are not listed.
  - The control node polls until there are no sessions or until O(wait_timeout) has passed, and prints the users for whom it
    waits. In check mode, it reads the sessions once.
options:
  state:
    description: What to do with the sessions after the wait.
    type: str
    choices:
      reported: Remaining sessions are listed, and are pending in the report of the run.
      ended: Remaining sessions are ended with all of their processes.
    default: reported
  wait_timeout:
    description: Seconds to wait for sessions to end, V(0) to V(86400).
    type: int
    default: 0
  poll_interval:
    description: Seconds between two polls, V(1) to V(300).
    type: int
    default: 10
  notice:
    description:
      - Text to show once on the terminals of the sessions before the wait. It is not shown in check mode, and it does not count
        as a change.
      - At most 2,000 printable characters, which can have several lines.
    type: str
    default: ''
  operations_user:
    description: Operations account, whose sessions are ignored. If empty, only sessions of C(root) are ignored.
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
  - The module requires root on the node. The node requires Python 3.9 or newer and no other library.
  - Processes that users run without a session (C(loginctl enable-linger), cron, Slurm jobs) are not listed.
seealso:
  - module: mlfleet.hyperpod.sshd_config
  - module: mlfleet.hyperpod.readiness_gate
"""

EXAMPLES = r"""
- name: Wait up to an hour for users to log out
  mlfleet.hyperpod.login_sessions:
    notice: This node is restarted at 18:00 UTC.
    wait_timeout: 3600
  become: true
  register: left

- name: End remaining sessions after a minute
  mlfleet.hyperpod.login_sessions:
    state: ended
    wait_timeout: 60
  become: true
"""

RETURN = r"""
login_sessions:
  description: The remaining sessions.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Number of the session in the login manager, or C(pid-) and the ID of the sshd process.
      type: str
    user:
      description: Name of the user.
      type: str
    uid:
      description: UID of the user.
      type: int
    state:
      description: V(active), V(online), or V(closing) if the user has logged out but processes of the session still run.
      type: str
    since:
      description: Start of the session, in UTC.
      type: str
    tty:
      description: Terminals, separated by commas, or an empty string.
      type: str
    remote:
      description: Source address of the login. Behind a load balancer, this is the address of the load balancer.
      type: str
    commands:
      description: Names of the running programs, without duplicates.
      type: list
      elements: str
    processes:
      description: Number of processes of the session.
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
  description: Result of the wait.
  returned: success
  type: dict
  contains:
    state:
      description: V(empty) if no sessions remained. If sessions remained, V(ended) with O(state=ended), otherwise V(timed_out),
        or V(not_waited) in check mode.
      type: str
    elapsed:
      description: Duration of the wait in seconds.
      type: int
    timeout:
      description: Time limit in seconds.
      type: int
    deadline:
      description: End of the time limit, in UTC.
      type: str
    who:
      description: Users for whom the module still waited at the end, as a text.
      type: str
  sample:
    state: timed_out
    elapsed: 3600
    timeout: 3600
    deadline: "2026-11-21T02:02:03Z"
    who: "alice (1 session since 2026-11-21T01:02:03Z)"
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
hyperpod_findings:
  description: Findings about remaining sessions, with the codes of C(docs/reference/findings.md).
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
