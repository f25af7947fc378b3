# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is logged in: what the login manager says, what only sshd knows, and ending it."""

from __future__ import annotations

import dataclasses
import os
import subprocess

import pytest
from alone import alone
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins import sessions as login_sessions
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions import Process, Session

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


def test_a_terminal_that_only_sshd_knows():
    assert read(TTY="").tty == "pts/0"
    assert read(TTY="", Id="13").tty == ""


def test_a_message_on_a_terminal():
    ours, theirs = os.openpty()
    name = os.ttyname(theirs).replace("/dev/", "")
    login_sessions.tell([dataclasses.replace(session(), tty=f"pts/99999,{name}")], "one\ntwo")
    assert b"one\r\ntwo\r\n" in os.read(ours, 1000).replace(b"\r\r", b"\r")
    os.close(theirs)
    os.close(ours)


def test_a_message_goes_to_terminals_only(monkeypatch):
    told = []
    monkeypatch.setattr(login_sessions, "_write", lambda path, text: told.append((path, text)))
    names = ("", "pts/3,tty1", "../etc/passwd", "pts/../../etc/passwd", "pts/1\n", "ttyS0", "pts/3")
    login_sessions.tell([dataclasses.replace(session(), tty=tty) for tty in names], "one\x85two\nthree")
    assert [path for path, _text in told] == ["/dev/pts/3", "/dev/tty1", "/dev/ttyS0"]
    assert {text for _path, text in told} == {"\r\n\r\none\x85two\r\nthree\r\n\r\n".encode()}


def session(user: str = "alice", number: str = "12", pids: tuple[int, ...] = (1,)) -> Session:
    return Session(number, user, 20001, "active", "2026-11-21T00:00:00Z", "", "", (), pids)


def read(**changed: str) -> Session | None:
    properties = {**login_sessions.read_blocks(SHOWN), **changed}
    return login_sessions.from_properties(properties, PROCESSES, now=NOW)


def test_a_session_of_the_login_manager():
    assert read().to_result() == {
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
def test_only_people_count(kind, counts):
    assert (read(Class=kind) is not None) is counts


def test_a_session_whose_person_left_is_listed():
    assert read(State="closing").state == login_sessions.CLOSING


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
def test_logins_that_only_sshd_knows(title, scope, found):
    monitor = Process(6, scope, "sshd", "sshd: alice [priv]", 0.0, uid=0, parent=1)
    own = Process(7, scope, "sshd", title, 0.0, ALICE, parent=6)
    seen = login_sessions.of_sshd([monitor, own], uid_of=lambda user: ALICE)
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
def test_a_title_that_anybody_can_give_a_process_is_no_login(monitor):
    own = Process(7, "", "x", "sshd: alice@pts/7", 0.0, uid=20002, parent=6)
    assert login_sessions.of_sshd([monitor, own], uid_of=lambda user: ALICE) == []


@pytest.mark.parametrize("end, sessions, changes", [(False, 2, 0), (True, 2, 2), (True, 0, 0)])
def test_plan(end, sessions, changes):
    seen = tuple(session(number=str(number)) for number in range(sessions))
    plan = login_sessions.plan(seen, end=end)
    assert len(plan.changes) == changes
    assert plan.predicted == (() if end else seen)
    assert {change.action for change in plan.changes} <= {"delete"}


@alone
def test_a_login_without_login_manager_is_ended():
    sleeper, other = (subprocess.Popen(["sleep", "60"]) for _number in range(2))
    plan = login_sessions.plan((session(number=f"pid-{sleeper.pid}", pids=(sleeper.pid,)),), end=True)
    # A child that nobody waited for stays in /proc; the module's sessions are nobody's children.
    waiter = os.fork()
    if waiter == 0:
        login_sessions.apply(plan.steps[0])
        os._exit(0)
    assert sleeper.wait(timeout=20) == -15
    assert os.waitpid(waiter, 0)[1] == 0
    assert other.poll() is None


@alone
def test_processes_are_read_as_the_kernel_tells_them():
    sleeper = subprocess.Popen(["sleep", "60"], user=4242420)
    (found,) = [each for each in login_sessions._processes() if each.pid == sleeper.pid]
    assert (found.command, found.title, found.uid, found.parent) == ("sleep", "sleep 60", 4242420, os.getpid())
