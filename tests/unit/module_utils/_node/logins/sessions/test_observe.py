# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions of the login manager, and logins that only processes of sshd show."""

from __future__ import annotations

import os
import subprocess

import pytest
from alone import alone
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.model import CLOSING, Session
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.observe import (
    Process,
    from_properties,
    of_sshd,
    processes,
    read_blocks,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.result import session_to_result

SHOWN = """Id=12
User=20001
Name=alice
TTY=pts/0
RemoteHost=10.1.1.5
TimestampMonotonic=40000000
Class=user
State=active
Leader=100
"""
ALICE = 20001
PROCESSES = [
    Process(100, "12", "sshd-session", "sshd-session: alice [priv]", 0.0, uid=0, parent=90),
    Process(101, "12", "sshd-session", "sshd-session: alice@pts/0", 0.0, ALICE, parent=100),
    Process(102, "12", "bash", "-bash", 0.0, ALICE, parent=101),
    Process(103, "12", "bash", "bash run.sh", 0.0, ALICE, parent=102),
    Process(104, "13", "vim", "vim", 0.0, ALICE, parent=1),
    Process(105, "", "cron", "/usr/sbin/cron", 0.0, uid=0, parent=1),
    Process(106, "12", "sh\x1b]0;x\n", "sshd-session: bob@pts/9", 0.0, ALICE, parent=102),
]
NOW = (1_700_000_060.0, 100.0)


def test_the_terminal_may_be_in_the_title_of_sshd():
    assert read(TTY="").tty == "pts/0"
    assert read(TTY="", Id="13").tty == ""


def read(**changed: str) -> Session | None:
    properties = {**read_blocks(SHOWN), **changed}
    return from_properties(properties, PROCESSES, now=NOW)


def test_a_session_of_the_login_manager_is_read():
    assert session_to_result(read()) == {
        "id": "12",
        "user": "alice",
        "uid": 20001,
        "state": "active",
        "since": "2023-11-14T22:13:20Z",
        "tty": "pts/0",
        "remote": "10.1.1.5",
        "commands": ["bash", "sh?]0;x?"],
        "processes": 5,
    }


@pytest.mark.parametrize(
    "kind, counts",
    [
        ("user", True),
        ("user-early", True),
        ("user-light", True),
        ("manager", False),
        ("background", False),
        ("greeter", False),
        ("", False),
    ],
)
def test_only_sessions_of_users_count(kind, counts):
    assert (read(Class=kind) is not None) is counts


def test_a_closing_session_is_listed():
    assert read(State="closing").state == CLOSING


@pytest.mark.parametrize(
    "title, scope, found",
    [
        ("sshd: alice@pts/3", "", [("alice", "pts/3")]),
        ("sshd-session: alice@notty", "", [("alice", "")]),
        ("sshd: alice", "", [("alice", "")]),
        ("sshd: alice@pts/3", "12", []),
        ("sshd: alice [priv]", "", []),
        ("sshd: unknown [net]", "", []),
        ("sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups", "", []),
        ("vim sshd: x", "", []),
    ],
)
def test_logins_are_found_by_processes_of_sshd(title, scope, found):
    monitor = Process(6, scope, "sshd", "sshd: alice [priv]", 0.0, uid=0, parent=1)
    own = Process(7, scope, "sshd", title, 0.0, ALICE, parent=6)
    seen = of_sshd([monitor, own], uid_of=lambda user: ALICE)
    assert [(each.user, each.tty) for each in seen] == found
    assert [each.id for each in seen] == ["pid-7"] * len(found)


@pytest.mark.parametrize(
    "monitor",
    [
        Process(6, "", "sshd", "sshd: alice [priv]", 0.0, uid=20002, parent=1),
        Process(6, "", "bash", "-bash", 0.0, uid=0, parent=1),
        Process(5, "", "sshd", "sshd: alice [priv]", 0.0, uid=0, parent=1),
        Process(6, "", "sshd", "sshd: bob [priv]", 0.0, uid=0, parent=1),
    ],
)
def test_a_title_that_any_user_can_set_is_no_login(monitor):
    own = Process(7, "", "x", "sshd: alice@pts/7", 0.0, uid=20002, parent=6)
    assert of_sshd([monitor, own], uid_of=lambda user: ALICE) == []


@alone
def test_processes_are_read_from_proc():
    sleeper = subprocess.Popen(["sleep", "60"], user=4242420)
    (found,) = [each for each in processes() if each.pid == sleeper.pid]
    assert (found.command, found.title, found.uid, found.parent) == ("sleep", "sleep 60", 4242420, os.getpid())
