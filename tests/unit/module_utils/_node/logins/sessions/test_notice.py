# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages are written only to terminals."""

from __future__ import annotations

import dataclasses
import os

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions import notice
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.model import Session


def test_a_message_is_shown_on_a_terminal():
    controller, terminal = os.openpty()
    name = os.ttyname(terminal).replace("/dev/", "")
    notice.tell([dataclasses.replace(session(), tty=f"pts/99999,{name}")], "one\ntwo")
    assert b"one\r\ntwo\r\n" in os.read(controller, 1000).replace(b"\r\r", b"\r")
    os.close(terminal)
    os.close(controller)


def test_a_message_is_written_only_to_terminals(monkeypatch):
    written = []
    monkeypatch.setattr(notice, "_write", lambda path, text: written.append((path, text)))
    names = ("", "pts/3,tty1", "../etc/passwd", "pts/../../etc/passwd", "pts/1\n", "ttyS0", "pts/3")
    notice.tell([dataclasses.replace(session(), tty=tty) for tty in names], "one\x85two\nthree")
    assert [path for path, _text in written] == ["/dev/pts/3", "/dev/tty1", "/dev/ttyS0"]
    assert {text for _path, text in written} == {"\r\n\r\none\x85two\r\nthree\r\n\r\n".encode()}


def session(user: str = "alice", number: str = "12", pids: tuple[int, ...] = (1,)) -> Session:
    return Session(number, user, 20001, "active", "2026-11-21T00:00:00Z", "", "", (), pids)
