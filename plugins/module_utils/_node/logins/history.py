# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The last SSH login of each account, from sshd's lines in the journal, otherwise from lastlog."""

# The callers have no module object, so run_command is not available.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import platform
import re
import shutil
import struct
import subprocess
import typing as t
from dataclasses import dataclass

from ..._core.text import lines_of
from .. import system

LASTLOG = "/var/log/lastlog"
_RECORD = struct.Struct("=i32s256s")
"""One record of lastlog. Its position is its size times the UID. Machines other than x86_64 have wider times."""
# Only lines from a root process of sshd, because any user can send a similar line to the journal.
_SSHD = ("_UID=0", "_COMM=sshd", "_COMM=sshd-session")
_JOURNAL = ("journalctl", "--quiet", "--no-pager", "--output=short-unix")
_JOURNAL_SECONDS = 60.0
_ACCEPTED = re.compile(
    r"^(?P<time>\d+)\.\d+ \S+ [^ :]+: Accepted (?P<method>\S+) for (?P<user>\S+) from \S+ port \d+ ssh2"
    r"(?:: \S+ (?P<fingerprint>SHA256:\S+))?"
)


@dataclass(frozen=True)
class Login:
    time: int
    """Seconds since 1970."""
    method: str = ""
    fingerprint: str = ""
    """The fingerprint of the login's key, if sshd logged it."""
    source: str = "journal"


@dataclass(frozen=True)
class History:
    """The last login of each account. ``since`` is the time from which the journal was read; None if it has no line of sshd."""

    last: t.Mapping[str, Login]
    since: int | None
    unread: tuple[str, ...] = ()


def read(uids: t.Mapping[str, int], *, days: int, now: int) -> History:
    """The last logins of all users in the journal of the last ``days``. For other accounts in ``uids``, lastlog is read."""
    last: dict[str, Login] = {}
    since, unread = None, []
    try:
        since = _oldest()
        if since is not None:
            since = max(since, now - days * 86400)
            last.update(parse_journal(_accepted(since)))
    except system.CommandFailed as error:
        unread.append(f"The journal could not be read: {error}")
    older = {name: uid for name, uid in uids.items() if name not in last}
    last.update(_lastlog(older))
    return History(last, since, tuple(unread))


def parse_journal(text: str) -> dict[str, Login]:
    """The last accepted login of each user, from lines in chronological order."""
    found = {}
    for line in lines_of(text):
        match = _ACCEPTED.match(line)
        if match:
            found[match["user"]] = Login(int(match["time"]), match["method"], match["fingerprint"] or "")
    return found


def parse_lastlog(content: bytes, uids: t.Mapping[str, int]) -> dict[str, Login]:
    found = {}
    for name, uid in uids.items():
        place = uid * _RECORD.size
        if place + _RECORD.size <= len(content):
            moment = _RECORD.unpack_from(content, place)[0]
            if moment > 0:
                found[name] = Login(moment, source="lastlog")
    return found


def _accepted(since: int) -> str:
    command = [*_JOURNAL, f"--since=@{since}", "--grep=^Accepted ", *_SSHD]
    done = system.run(command, timeout=_JOURNAL_SECONDS, check=False)
    # Without a matching line, the exit status is also 1.
    if done.returncode != 0 and done.stderr.strip():
        raise system.CommandFailed(system.last_line(done.stderr))
    return done.stdout


def _oldest() -> int | None:
    """The time of sshd's first line in the journal. Only this line is read."""
    program = shutil.which(_JOURNAL[0], path=system.SEARCH_PATH)
    if program is None:
        return None
    command = [program, *_JOURNAL[1:], *_SSHD]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PATH": system.SEARCH_PATH, "LC_ALL": "C"},
        cwd="/",
    ) as process:
        line = process.stdout.readline() if process.stdout else b""
        process.kill()
    seconds = line.split(b".", 1)[0]
    return int(seconds) if seconds.isdigit() else None


def _lastlog(uids: t.Mapping[str, int]) -> dict[str, Login]:
    """Read only the records of the given UIDs, because the file is sparse and as long as the highest UID requires."""
    found: dict[str, Login] = {}
    if platform.machine() != "x86_64":
        return found
    try:
        with open(LASTLOG, "rb") as file:
            for name, uid in uids.items():
                file.seek(uid * _RECORD.size)
                found.update(parse_lastlog(file.read(_RECORD.size), {name: 0}))
    except OSError:
        return found
    return found
