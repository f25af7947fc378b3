# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks, and the bounded wait for them."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.files import Locked
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import child
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import watch
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.lock import NODE, account_files_lock, node_lock

HOLD_NODE = "import fcntl, sys\nfile = open(sys.argv[1], 'w')\nfcntl.flock(file, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()\n"
HOLD_ACCOUNT_FILES = """
import fcntl, sys
with open(sys.argv[1], "a") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_the_wait_for_the_account_files_is_bounded(tmp_path: Path) -> None:
    path = str(tmp_path / ".pwd.lock")

    def second() -> None:
        with account_files_lock(path=path, timeout=0.2):
            pass

    with account_files_lock(path=path), pytest.raises(child.ChildFailed, match="Another process has held the lock"):
        child.run(second, timeout=10)


def test_the_account_files_are_locked_after_another_process_releases_them(tmp_path: Path) -> None:
    path = str(tmp_path / ".pwd.lock")
    first = subprocess.Popen([sys.executable, "-c", HOLD_ACCOUNT_FILES, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout.readline() == "held\n"
        refused, taken = threading.Event(), threading.Event()

        def second() -> None:
            with account_files_lock(path=path, timeout=30):
                taken.set()

        waiting = threading.Thread(target=second, daemon=True)
        real = fcntl.lockf

        def lockf(*arguments: int) -> None:
            try:
                real(*arguments)
            except OSError:
                refused.set()
                raise

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fcntl, "lockf", lockf)
            waiting.start()
            assert refused.wait(30)
            first.communicate("go\n", timeout=30)
            waiting.join(30)
        assert taken.is_set()
    finally:
        first.kill()
        first.wait()


@pytest.fixture
def held(tmp_path: Path):
    """The path of a lock, and the process that holds it."""
    path = tmp_path / "lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLD_NODE, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    yield str(path), holder
    holder.kill()
    holder.communicate()


def test_the_node_is_locked_after_another_run_releases_it(held, monkeypatch):
    path, holder = held
    refused, taken, real = threading.Event(), threading.Event(), fcntl.flock

    def flock(descriptor: int, how: int) -> None:
        try:
            real(descriptor, how)
        except BlockingIOError:
            refused.set()
            raise

    def second() -> None:
        with node_lock(timeout=60, path=path):
            taken.set()

    monkeypatch.setattr(fcntl, "flock", flock)
    waiting = threading.Thread(target=second, daemon=True)
    waiting.start()
    assert refused.wait(60) and not taken.is_set()
    holder.communicate("")
    assert taken.wait(60)
    waiting.join(60)


def test_a_lock_that_another_run_keeps_is_an_error(held):
    path, _holder = held
    with pytest.raises(Locked, match=f"Another run is changing this node: it has held {path} for more than 0 s"):
        with node_lock(timeout=0.2, path=path):
            pass


def test_the_lock_is_released_even_if_the_work_failed(tmp_path):
    path = str(tmp_path / "lock")
    with pytest.raises(ZeroDivisionError):
        with node_lock(timeout=0, path=path):
            1 / 0  # noqa: B018
    with node_lock(timeout=0, path=path):
        assert os.stat(path).st_mode & 0o777 == 0o600


def test_the_watcher_of_the_gate_takes_the_same_lock() -> None:
    """The watcher is a single file on the node, so it repeats the path."""
    assert watch.LOCK == NODE
