# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Runs work that may hang, or that needs a different identity, in a child process with a timeout.

A system call on a dead file system, or to a name service that does not respond, cannot be interrupted. Such a child can be left
running. The child keeps none of the parent's files open, so neither Ansible's pipes nor a lock wait for the child.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
import typing as t
from dataclasses import dataclass

from .._core.failure import Failure

ENDED = "the child process ended without a result"


class Hung(Failure):
    """The child did not finish before the timeout."""


class ChildFailed(Failure):
    """The work raised an error. The text is the error's message."""


@dataclass(frozen=True)
class Identity:
    name: str
    uid: int
    gid: int
    groups: tuple[int, ...] = ()


def run(work: t.Callable[[], t.Any], *, timeout: float, identity: Identity | None = None) -> t.Any:
    """The value that ``work`` returns in a child that runs as ``identity`` (default: same user). The value must be valid JSON."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        _be_the_child(work, writer, identity)
    os.close(writer)
    try:
        answer = _read_all(reader, time.monotonic() + timeout)
    except Hung:
        os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        raise
    finally:
        os.close(reader)
    _collect(pid)
    if not answer:
        raise ChildFailed(ENDED)
    outcome = json.loads(answer)
    if "error" in outcome:
        raise ChildFailed(outcome["error"])
    return outcome["value"]


def become(identity: Identity) -> None:
    """Become a different user permanently. For child processes only."""
    os.setgroups(list(identity.groups) or [identity.gid])
    os.setgid(identity.gid)
    os.setuid(identity.uid)


def _be_the_child(work: t.Callable[[], t.Any], writer: int, identity: Identity | None) -> t.NoReturn:
    try:
        _drop_inherited_files(keep=writer)
        if identity is not None:
            become(identity)
        outcome = {"value": work()}
    except BaseException as error:  # the parent reports any error; the child must never continue as the module
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        outcome = {"error": reason}
    try:
        with os.fdopen(writer, "w", encoding="utf-8") as stream:
            json.dump(outcome, stream)
    finally:
        os._exit(0)


def _collect(pid: int) -> None:
    """Reap the child, which has sent its result. Its user may have stopped the child, which is then killed."""
    with contextlib.suppress(ChildProcessError):  # our parent may have set SIGCHLD to SIG_IGN
        if os.waitpid(pid, os.WNOHANG) == (0, 0):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _drop_inherited_files(*, keep: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    for descriptor in [int(name) for name in os.listdir("/proc/self/fd")]:
        if descriptor > 2 and descriptor != keep:
            with contextlib.suppress(OSError):  # the descriptor of the folder's listing is already closed
                os.close(descriptor)


def _read_all(reader: int, deadline: float) -> bytes:
    chunks: list[bytes] = []
    while True:
        ready, _writable, _failed = select.select([reader], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise Hung
        chunk = os.read(reader, 65536)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
