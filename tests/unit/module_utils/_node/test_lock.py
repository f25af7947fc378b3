# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a node: another run is waited for, and not for ever."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.lock import node_lock

HOLD = "import fcntl, sys\nfile = open(sys.argv[1], 'w')\nfcntl.flock(file, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()\n"


@pytest.fixture
def held(tmp_path: Path):
    """The path of a lock that another process holds, and that process."""
    path = tmp_path / "lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    yield str(path), holder
    holder.kill()
    holder.communicate()


def test_another_run_is_waited_for(held, monkeypatch):
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


def test_another_run_that_stays_is_told(held):
    path, _holder = held
    with pytest.raises(Refused, match=f"Another run is changing this node: it has held {path} for more than 0 s"):
        with node_lock(timeout=0.2, path=path):
            pass


def test_the_lock_is_free_after_it_also_where_the_work_failed(tmp_path):
    path = str(tmp_path / "lock")
    with pytest.raises(ZeroDivisionError):
        with node_lock(timeout=0, path=path):
            1 / 0  # noqa: B018
    with node_lock(timeout=0, path=path):
        assert os.stat(path).st_mode & 0o777 == 0o600
