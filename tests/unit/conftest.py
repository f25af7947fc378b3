"""Isolation and timeouts of unit tests: they cannot damage the machine, although some kill processes and write system files."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
import typing as t
from pathlib import Path

import pytest

CONTAINED = Path(__file__).resolve().parents[2] / "tools" / "contained"
LIMIT, SLOW = 120, 360
"""Timeouts of one test in seconds. On a busy machine tests take ten seconds at most, those marked slow forty."""


def is_contained() -> bool:
    """Whether tools/contained started this process: its variable names our namespace, or is ``none`` if namespaces are unavailable."""
    return os.environ.get("CONTAINED_IN") in ("none", os.readlink("/proc/self/ns/pid"))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if os.geteuid() != 0 or is_contained():
        return
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    os.execv(CONTAINED, [str(CONTAINED), *sys.orig_argv])


@contextlib.contextmanager
def _limited(item: pytest.Item) -> t.Iterator[None]:
    limit = SLOW if item.get_closest_marker("slow") else LIMIT

    def too_long(_number: int, _frame: object) -> None:
        pytest.fail(f"{item.nodeid} takes longer than {limit} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, limit, 10)  # repeated, in case the first signal was blocked
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> t.Iterator[None]:
    with _limited(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> t.Iterator[None]:
    with _limited(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> t.Iterator[None]:
    with _limited(item):
        return (yield)


def pytest_unconfigure() -> None:
    faulthandler.dump_traceback_later(LIMIT, exit=True)  # a waiting thread of a test must not block the exit
