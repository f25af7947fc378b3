# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One shared connection to the jump host, even if several processes request it concurrently.

With ``ControlMaster=auto`` alone, each process would start its own session, because the socket appears only after the login.
Standard library only and no imports from the collection: the SSM wrapper loads this file by its path.
"""

# This runs on the control node, partly without a module object, so run_command is not available.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import stat
import subprocess
import tempfile
import typing as t

LONGEST_SOCKET = 90
"""Bytes of a path. The kernel accepts 107 for a socket, and ssh temporarily adds 17 to the name."""


def jump(arguments: t.Sequence[str], *, state_dir: str) -> str:
    """Connect stdin and stdout with the destination through the jump host.

    :param arguments: ``HOST DESTINATION:PORT SSH_OPTION...``.
    :returns: the reason why no connection to the jump host was made. If it was made, ssh replaces this process.
    """
    host, destination, *options = arguments
    os.makedirs(state_dir, mode=0o700, exist_ok=True)
    socket = control_path(state_dir, hashlib.sha256("\0".join([state_dir, host, *options]).encode()).hexdigest()[:12])
    options = [*options, "-o", "ControlMaster=auto", "-o", "ControlPersist=60", "-o", f"ControlPath={socket}"]
    lock = os.path.join(state_dir, "jump-" + re.sub(r"[^A-Za-z0-9_.-]", "_", host) + ".lock")
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if not _run(["-O", "check"], options, host)[0]:
            opened, text = _run(["-f", "-N"], options, host)
            if not opened:
                return f"no connection to {host}, the jump host for {destination}: {text}"
    finally:
        os.close(handle)
    os.execvp("ssh", ["ssh", *options, "-W", destination, host])


def control_path(state_dir: str, name: str) -> str:
    """The path of the shared connection's socket. The socket is in the state folder, or in /tmp if its path would be too long.

    :raises PermissionError: if the folder in /tmp is not a private folder of this user.
    """
    path = os.path.join(state_dir, f"jump-{name}")
    if len(os.fsencode(path)) <= LONGEST_SOCKET:
        return path
    folder = f"/tmp/mlfleet-hyperpod-{os.getuid()}"
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise PermissionError(f"{folder} is not a private folder of this user; remove it") from None
    return os.path.join(folder, f"jump-{name}")


def _run(verb: t.Sequence[str], options: t.Sequence[str], host: str) -> tuple[bool, str]:
    """Run ssh with stderr in a file, because the connection in the background would keep a pipe open."""
    with tempfile.TemporaryFile() as errors:
        status = subprocess.call(
            ["ssh", *verb, *options, host], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
        )
        errors.seek(0)
        return status == 0, errors.read().decode(errors="replace").strip()
