# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that send signals run in a separate PID namespace, so a faulty test reaches only the processes that it started."""

from __future__ import annotations

import ctypes
import functools
import os
import signal
import traceback
import typing as t

import pytest

_NEW_MOUNTS, _NEW_PIDS = 0x00020000, 0x20000000
_PRIVATE = (1 << 18) | (1 << 14)  # MS_PRIVATE, for all mounts below
_DIE_WITH_PARENT = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def alone(test: t.Callable[..., None]) -> t.Callable[..., None]:
    """Run a test in a new PID namespace with its own /proc; the namespace's first process collects orphans."""

    @functools.wraps(test)
    def run(*arguments: t.Any, **named: t.Any) -> None:
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            _in_namespace(lambda: test(*arguments, **named), writer)
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as stream:
            traces = stream.read()
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if status != 0:
            pytest.fail(traces or f"the test's process exited with status {status}", pytrace=False)

    return t.cast("t.Callable[..., None]", pytest.mark.skipif(os.geteuid() != 0, reason="needs root")(run))


def _in_namespace(body: t.Callable[[], None], writer: int) -> t.NoReturn:
    with os.fdopen(writer, "w", encoding="utf-8") as traces:
        try:
            _check(_LIBC.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0))
            _check(_LIBC.unshare(_NEW_MOUNTS | _NEW_PIDS))
            status = _waited(lambda: _as_first(body, traces), traces)
        except BaseException:
            traces.write(traceback.format_exc())
            traces.flush()
            status = 1
    os._exit(status)


def _as_first(body: t.Callable[[], None], traces: t.TextIO) -> None:
    _check(_LIBC.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0))
    _check(_LIBC.mount(b"none", b"/", None, _PRIVATE, None))
    _check(_LIBC.mount(b"proc", b"/proc", b"proc", 0, None))
    _check(_LIBC.mount(b"tmpfs", b"/run", b"tmpfs", 0, None))  # hides the sockets of the machine's service manager
    assert os.getpid() == 1 and [entry for entry in os.listdir("/proc") if entry.isdigit()] == ["1"]
    os._exit(_waited(body, traces))


def _waited(body: t.Callable[[], None], traces: t.TextIO) -> int:
    """Exit status of ``body`` in a child process; other children that exit meanwhile are collected."""
    child = os.fork()
    if child == 0:
        try:
            body()
        except BaseException:
            traces.write(traceback.format_exc())
            traces.flush()
            os._exit(1)
        os._exit(0)
    while True:
        pid, status = os.wait()
        if pid == child:
            return os.waitstatus_to_exitcode(status) & 0xFF


def _check(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
