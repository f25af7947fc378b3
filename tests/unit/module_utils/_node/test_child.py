# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work in a child process: a child that hangs is abandoned and holds no files of its parent."""

from __future__ import annotations

import os
import signal
import time

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import child


def test_a_child_that_hangs_is_abandoned() -> None:
    started = time.monotonic()
    with pytest.raises(child.Hung):
        child.run(lambda: time.sleep(60), timeout=0.3)
    assert time.monotonic() - started < 5


def test_a_child_that_was_stopped_is_not_waited_for() -> None:
    """The user whose identity it has may stop it."""

    def work() -> None:
        os.closerange(3, 100)
        os.kill(os.getpid(), signal.SIGSTOP)

    with pytest.raises(child.ChildFailed, match=child.ENDED):
        child.run(work, timeout=10)


def test_a_child_holds_no_files_of_its_parent_and_returns_its_error() -> None:
    reader, writer = os.pipe()
    try:
        assert child.run(lambda: len(os.listdir("/proc/self/fd")), timeout=10) == 5
        with pytest.raises(child.ChildFailed, match="No such file"):
            child.run(lambda: os.stat("/nowhere/at/all"), timeout=10)
    finally:
        os.close(reader)
        os.close(writer)
