# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads who is logged in to a node. Standard library only, Python 3.9 syntax.

The login manager also lists sessions whose users logged out and whose processes continue (tmux, nohup). It does not
list logins without PAM, and some nodes have no login manager. Such logins are found through sshd's own processes. Any user can
give a process the same title, but cannot make the process a child of root's sshd.
"""

from __future__ import annotations

import os
import pwd
import re
import time
import typing as t
from dataclasses import dataclass

from ...._core.text import lines_of, printable
from ...._core.times import iso_epoch
from ...processes import see
from ...system import CommandFailed, run
from .model import Session, State

_PROPERTIES = ("Id", "User", "Name", "TTY", "RemoteHost", "TimestampMonotonic", "Class", "State", "Leader")
_SCOPE = re.compile(r"/session-([^/]+)\.scope")
_SSHD = re.compile(r"sshd(?:-session)?: (\S+?)(?:@(\S+))?")
_MONITOR = re.compile(r"sshd(?:-session)?: (\S+) \[priv\]")
_NOT_WORTH_NAMING = ("sshd", "sshd-session", "(sd-pam)", "systemd")


@dataclass(frozen=True)
class Process:
    """``session`` is the login manager's ID of the process's session, or empty."""

    pid: int
    session: str
    command: str
    title: str
    started: float
    uid: int
    """The real UID."""
    parent: int


def observe(operations_user: str) -> State:
    """The sessions of users, without those of root and the operations account."""
    everybody = processes()
    found = [*_of_login_manager(everybody, _now()), *of_sshd(everybody, uid_of=_uid_of)]
    return tuple(each for each in found if each.uid != 0 and each.user != operations_user)


def from_properties(
    properties: t.Mapping[str, str], everybody: t.Sequence[Process], *, now: tuple[float, float]
) -> Session | None:
    """A user's session; None for other sessions (a service manager, a cron job).

    :param now: time since the epoch, and monotonic time.
    """
    if not properties.get("Class", "").startswith("user"):
        return None
    own = [process for process in everybody if process.session == properties["Id"]]
    logins = _logins(everybody)
    began = now[0] - now[1] + int(properties.get("TimestampMonotonic") or 0) / 1e6
    return Session(
        id=properties["Id"],
        user=properties["Name"],
        uid=int(properties["User"]),
        state=properties.get("State", ""),
        since=iso_epoch(round(began)),
        tty=properties.get("TTY") or ",".join(sorted({logins[each.pid][1] for each in own if each.pid in logins} - {""})),
        remote=properties.get("RemoteHost", ""),
        commands=tuple(sorted({printable(process.command) for process in own} - set(_NOT_WORTH_NAMING))),
        pids=tuple(sorted(process.pid for process in own)),
    )


def of_sshd(everybody: t.Sequence[Process], *, uid_of: t.Callable[[str], int]) -> list[Session]:
    """Logins that are not in the login manager's list."""
    logins = _logins(everybody)
    return [
        Session(f"pid-{pid}", user, uid_of(user), "active", iso_epoch(round(process.started)), tty, "", (), (pid,))
        for process in everybody
        for pid in [process.pid]
        if pid in logins and not process.session
        for user, tty in [logins[pid]]
    ]


def read_blocks(text: str) -> dict[str, str]:
    """The values in lines ``NAME=VALUE``, as ``loginctl show-session`` prints them."""
    pairs = (line.partition("=") for line in lines_of(text))
    return {name: value for name, equals, value in pairs if equals}


def _of_login_manager(everybody: t.Sequence[Process], now: tuple[float, float]) -> t.Iterator[Session]:
    try:
        listed = run(["loginctl", "list-sessions", "--no-legend", "--no-pager"], check=False)
    except CommandFailed:
        return  # there is no login manager, or it hangs; sshd's processes are used
    wanted = [part for name in _PROPERTIES for part in ("-p", name)]
    for line in lines_of(listed.stdout):
        if line.split():
            shown = run(["loginctl", "show-session", line.split()[0], *wanted], check=False)
            properties = read_blocks(shown.stdout)
            # A session that ended after the listing has no properties.
            session = from_properties(properties, everybody, now=now) if properties.get("Id") else None
            if session is not None:
                yield session


def _logins(everybody: t.Sequence[Process]) -> dict[int, tuple[str, str]]:
    """User and terminal of each sshd process, from its title. The login manager has the terminals only if utmp is written."""
    monitors = {each.pid: _MONITOR.fullmatch(each.title) for each in everybody if each.uid == 0}
    found = {}
    for each in everybody:
        title, monitor = _SSHD.fullmatch(each.title), monitors.get(each.parent)
        if title is not None and monitor is not None and monitor.group(1) == title.group(1):
            tty = title.group(2) or ""
            found[each.pid] = (printable(title.group(1)), "" if tty == "notty" else printable(tty))
    return found


def processes() -> list[Process]:
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                scope = _SCOPE.search(_read(f"/proc/{entry}/cgroup"))
                title = _read(f"/proc/{entry}/cmdline").replace("\0", " ").strip()
                command = _read(f"/proc/{entry}/comm").strip()
                started = os.stat(f"/proc/{entry}").st_mtime
                process = see(int(entry))
            except OSError:
                continue  # the process has ended
            if process is not None:
                session, real = scope.group(1) if scope else "", process.uids[0]
                found.append(Process(process.pid, session, command, title, started, real, process.parent))
    return found


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace", newline="\n") as stream:
        return stream.read()


def _uid_of(user: str) -> int:
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        return -1


def _now() -> tuple[float, float]:
    return time.time(), time.clock_gettime(time.CLOCK_MONOTONIC)
