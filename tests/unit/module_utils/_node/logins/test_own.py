# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which login a process belongs to, as the environment of those above it tells."""

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
ASK = """import dataclasses, json
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
def test_what_sshd_tells_a_session(environment, login):
    assert own.login_from(environment) == login
    assert login is None or login.connection == CONNECTION


def test_the_outermost_session_counts():
    """What runs in it may have any environment."""
    inner = {**os.environ, "SSH_CONNECTION": "1 2 3 4", "LOGNAME": "mallory"}
    command = ["env", "SSH_CONNECTION=" + CONNECTION, "LOGNAME=alice", "sh", "-c", '"$@"; exit $?', "sh"]
    command += ["env", "SSH_CONNECTION=1 2 3 4", "LOGNAME=mallory", sys.executable, "-c", ASK]
    outer = {name: value for name, value in inner.items() if name != "SSH_CONNECTION"}
    done = subprocess.run(command, env=outer, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    above = own.current_login()
    assert (found["user"], found["client_port"]) == ((above.user, above.client_port) if above else ("alice", "50001"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
def test_processes_that_can_not_be_read_end_the_way_up():
    nobody = child.Identity("nobody", 65534, 65534)
    assert child.run(lambda: own.current_login() is None, timeout=30, identity=nobody) is True
