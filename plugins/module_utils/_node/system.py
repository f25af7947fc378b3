# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Commands on a node. Standard library only, Python 3.9 syntax."""

# The callers have no module object, so run_command is not available.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import contextlib
import pwd
import shutil
import subprocess
import tempfile
import threading
import typing as t

from .._core.failure import Failure
from .._core.text import lines_of, printable
from .child import Identity

SEARCH_PATH = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin:/opt/slurm/bin"
"""The last folder contains Slurm's commands on HyperPod."""


class CommandFailed(Failure):
    """A command on the node failed. The message has the last line of its errors, and never its input."""


def run(
    argv: t.Sequence[str], *, stdin: str = "", timeout: float = 30, check: bool = True, identity: Identity | None = None
) -> subprocess.CompletedProcess[str]:
    """:param identity: the user that the command runs as, in its own session; by default, the current user."""
    environment = {"PATH": SEARCH_PATH, "LC_ALL": "C"}
    program = shutil.which(argv[0], path=SEARCH_PATH)
    if program is None:
        raise CommandFailed(f"{argv[0]} is not installed on this node.")
    try:
        done = subprocess.run(
            [program, *argv[1:]],
            input=stdin.encode(),
            capture_output=True,
            timeout=timeout,
            env=environment if identity is None else _environment_of(identity),
            cwd="/",
            check=False,
            **_as_user(identity),
        )
    except subprocess.TimeoutExpired:
        raise CommandFailed(f"{' '.join(argv)} did not end within {timeout:.0f} s.") from None
    # Decoded by hand: text mode converts carriage returns in users' text to line feeds, and fails at invalid bytes.
    result = subprocess.CompletedProcess(done.args, done.returncode, _text(done.stdout), _text(done.stderr))
    if check and result.returncode != 0:
        raise CommandFailed(f"{' '.join(argv)} failed: {last_line(result.stderr) or f'exit status {result.returncode}'}")
    return result


def pipe(
    argv: t.Sequence[str], *, source: t.BinaryIO | None = None, target: t.BinaryIO | None = None, timeout: float = 30
) -> None:
    """Run a command that reads or writes an open file, for data larger than memory. The command needs no access to the file."""
    program = shutil.which(argv[0], path=SEARCH_PATH)
    if program is None:
        raise CommandFailed(f"{argv[0]} is not installed on this node.")
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [program, *argv[1:]],
            stdin=subprocess.PIPE if source else subprocess.DEVNULL,
            stdout=subprocess.PIPE if target else subprocess.DEVNULL,
            stderr=errors,
            env={"PATH": SEARCH_PATH, "LC_ALL": "C"},
            cwd="/",
        )
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(timeout, end)
        timer.start()
        try:
            if source and process.stdin:
                with contextlib.suppress(BrokenPipeError), process.stdin:  # the command has ended; its errors are reported below
                    shutil.copyfileobj(source, process.stdin)
            if target and process.stdout:
                shutil.copyfileobj(process.stdout, target)
            process.wait()
        finally:
            timer.cancel()
            process.kill()
            process.wait()
        if late.is_set():
            raise CommandFailed(f"{argv[0]} did not end within {timeout:.0f} s.")
        if process.returncode != 0:
            errors.seek(0)
            raise CommandFailed(f"{argv[0]} failed: {last_line(_text(errors.read())) or f'exit status {process.returncode}'}")


def last_line(text: str) -> str:
    lines = [line.strip() for line in lines_of(text) if line.strip()]
    return printable(lines[-1]) if lines else ""


def _environment_of(identity: Identity) -> dict[str, str]:
    """The environment of a user's command. It has no language settings, because programs such as ``at`` store it for later work."""
    known = pwd.getpwuid(identity.uid)
    user = {"HOME": known.pw_dir, "USER": identity.name, "LOGNAME": identity.name, "SHELL": known.pw_shell}
    return {"PATH": SEARCH_PATH, **user}


def _as_user(identity: Identity | None) -> dict[str, t.Any]:
    if identity is None:
        return {}
    groups = list(identity.groups) or [identity.gid]
    return {"user": identity.uid, "group": identity.gid, "extra_groups": groups, "start_new_session": True}


def _text(output: bytes) -> str:
    return output.decode(errors="replace")
