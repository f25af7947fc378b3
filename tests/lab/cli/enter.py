# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command inside the lab with the same terminal and folder; signals and exit code are passed through."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from lab.hosts import cgroups, namespace

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
SENT_BY_PROCESS = (0, -6)  # si_code SI_USER, SI_TKILL; signals of the terminal reach the command directly


def run(
    argv: Sequence[str], *, env: Mapping[str, str], supervisor: int | None, kill_group: Path | None = None
) -> int:
    """Exit code of `argv`; 128 + n if signal n ended it.

    With `supervisor` the caller is outside and enters that process's namespaces. With `kill_group`, a control group to
    create, all processes of the command end with this process, however it dies, even those in other sessions.
    """
    watch = _Guardian(kill_group) if kill_group else None
    folder = os.getcwd()
    if supervisor is not None:
        for kind in ("net", "uts", "pid", "mnt"):
            namespace.setns(f"/proc/{supervisor}/ns/{kind}")
        _change_folder(folder)
    signal.pthread_sigmask(signal.SIG_BLOCK, {*FORWARDED, signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        namespace.die_with_parent()
        if kill_group:
            (kill_group / "cgroup.procs").write_text("0")
        _execute(argv, env)
    code = _attend(child)
    if watch:
        watch.finish()
    return code


class _Guardian:
    """A process that waits for the end of this one, then kills the control group.

    A process namespace would make it unnecessary, but processes in one cannot enter the namespaces of the lab's machines.
    """

    def __init__(self, group: Path) -> None:
        group.mkdir(parents=True)
        reader, self._writer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.setsid()
            os.close(self._writer)
            os.read(reader, 1)
            (group / "cgroup.kill").write_text("1")
            cgroups.remove(group)
            os._exit(0)
        os.close(reader)

    def finish(self) -> None:
        os.close(self._writer)
        os.waitpid(self._pid, 0)


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
    """Change to the same folder as outside, or to / for folders below the lab's state, which differ inside."""
    try:
        os.chdir(folder)
    except FileNotFoundError:
        os.chdir(Path("/"))
