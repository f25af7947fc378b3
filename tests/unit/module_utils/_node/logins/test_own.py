# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The login of a process, from the environments of its ancestors."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import child
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins import own
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.own import Login

CONNECTION = "10.1.1.9 50001 10.1.1.11 22"
PROGRAM = """import dataclasses, json
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins import own
found = own.current_login()
print(json.dumps(found and dataclasses.asdict(found)))
"""


@pytest.mark.parametrize(
    ("environment", "login"),
    [
        ({"SSH_CONNECTION": CONNECTION, "LOGNAME": "alice", "USER": "root"}, Login("alice", *CONNECTION.split())),
        ({"SSH_CONNECTION": CONNECTION, "USER": "alice"}, Login("alice", *CONNECTION.split())),
        ({"SSH_CONNECTION": CONNECTION}, None),
        ({"SSH_CONNECTION": "10.1.1.9 50001", "LOGNAME": "alice"}, None),
        ({"LOGNAME": "alice"}, None),
    ],
)
def test_the_login_is_read_from_the_environment_of_sshd(environment, login):
    assert own.login_from(environment) == login
    assert login is None or login.connection == CONNECTION


def test_the_outermost_session_counts():
    """Processes in the session may have any environment."""
    inner = {**os.environ, "SSH_CONNECTION": "1 2 3 4", "LOGNAME": "mallory"}
    command = ["env", "SSH_CONNECTION=" + CONNECTION, "LOGNAME=alice", "sh", "-c", '"$@"; exit $?', "sh"]
    command += ["env", "SSH_CONNECTION=1 2 3 4", "LOGNAME=mallory", sys.executable, "-c", PROGRAM]
    outer = {name: value for name, value in inner.items() if name != "SSH_CONNECTION"}
    done = subprocess.run(command, env=outer, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    above = own.current_login()
    assert (found["user"], found["client_port"]) == ((above.user, above.client_port) if above else ("alice", "50001"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_unreadable_ancestors_give_no_login():
    nobody = child.Identity("nobody", 65534, 65534)
    assert child.run(lambda: own.current_login() is None, timeout=30, identity=nobody) is True
