"""Unit tests of what ends processes and writes system files: they can not hurt the machine, and none goes on for ever."""

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
"""Seconds for one test, after which it hangs: those that are not marked slow take ten at most on a busy machine, the others forty."""


def is_contained() -> bool:
    """Whether tools/contained started us: its mark names our namespace, or says that there may be none here."""
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
    signal.setitimer(signal.ITIMER_REAL, limit, 10)  # again, should somebody have held the first one back
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
    faulthandler.dump_traceback_later(LIMIT, exit=True)  # a thread that a test left waiting does not keep the run from its end
