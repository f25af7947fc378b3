# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command inside the lab: same terminal, same folder, signals and exit code passed through."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from lab import namespace

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
SENT_BY_PROCESS = (0, -6)  # si_code SI_USER, SI_TKILL; a terminal's own signals reach the command without our help


def run(
    argv: Sequence[str], *, env: Mapping[str, str], supervisor: int | None, own_processes: bool = False
) -> int:
    """Exit code of `argv`; 128 + n if signal n ended it.

    With `supervisor` the caller is outside and enters that process's namespaces. With `own_processes` the command gets
    a process namespace of its own: when this process dies, however it dies, all of the command's children die.
    """
    folder = os.getcwd()
    if supervisor is not None:
        descriptors = [f"/proc/{supervisor}/ns/{kind}" for kind in ("net", "uts", "pid", "mnt")]
        for path in descriptors:
            namespace.setns(path)
        _change_folder(folder)
    signal.pthread_sigmask(signal.SIG_BLOCK, {*FORWARDED, signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        namespace.die_with_parent()
        if own_processes:
            os._exit(_own_processes(argv, env))
        _execute(argv, env)
    return _attend(child)


def _own_processes(argv: Sequence[str], env: Mapping[str, str]) -> int:
    """Run in a new process namespace. Its first process must reap, and the kernel hides unhandled signals from it."""
    namespace.unshare(namespace.NEWPID | namespace.NEWNS)
    first = os.fork()
    if first == 0:
        namespace.die_with_parent()
        namespace.make_private()
        namespace.mount("proc", "/proc", "proc")
        child = os.fork()
        if child == 0:
            _execute(argv, env)
        os._exit(_attend(child))
    return _attend(first)


def _execute(argv: Sequence[str], env: Mapping[str, str]) -> NoReturn:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {*FORWARDED, signal.SIGCHLD})
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvpe(argv[0], list(argv), dict(env))
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


def _attend(child: int) -> int:
    """Pass signals on and reap until `child` ends."""
    while True:
        received = signal.sigwaitinfo({*FORWARDED, signal.SIGCHLD})
        if received.si_signo != signal.SIGCHLD:
            if received.si_code in SENT_BY_PROCESS:
                os.kill(child, received.si_signo)
            continue
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return 1
            if pid == 0:
                break
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code


def _change_folder(folder: str) -> None:
    """The same folder as outside; below the lab's own state the root folder, for there it is another one."""
    try:
        os.chdir(folder)
    except FileNotFoundError:
        os.chdir(Path("/"))
