# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rate limit for session starts of all processes."""

from __future__ import annotations

import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import throttle


class Time:
    """A clock that only sleeping moves."""

    def __init__(self, moment: float) -> None:
        self.moment = moment

    def now(self) -> float:
        return self.moment

    def sleep(self, seconds: float) -> None:
        self.moment += seconds


def take(directory: Path, clock: Time, key: str = "111111111111-us-west-2") -> float:
    return throttle.take_slot(str(directory), key, now=clock.now, sleep=clock.sleep)


def test_starts_after_the_first_one_are_half_a_second_apart(tmp_path: Path) -> None:
    clock = Time(1000.0)
    assert [take(tmp_path, clock) for _turn in range(4)] == [0.0, 0.5, 0.5, 0.5]


def test_a_pause_is_no_credit_for_a_burst(tmp_path: Path) -> None:
    clock = Time(1000.0)
    take(tmp_path, clock)
    clock.moment += 60
    assert [take(tmp_path, clock), take(tmp_path, clock)] == [0.0, 0.5]


def test_accounts_do_not_wait_for_each_other(tmp_path: Path) -> None:
    clock = Time(1000.0)
    assert [take(tmp_path, clock, key) for key in ("1-us-west-2", "2-us-west-2", "1-eu-west-1")] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("content", ["", "nonsense", "99999999.0", "nan"])
def test_a_damaged_file_or_a_clock_that_was_set_back_causes_no_wait(tmp_path: Path, content: str) -> None:
    (tmp_path / "throttle-k").write_text(content)
    assert take(tmp_path, Time(1000.0), "k") == 0.0


def test_processes_share_the_limit(tmp_path: Path) -> None:
    code = (
        "import importlib.util as u, sys\n"
        "s = u.spec_from_file_location('throttle', sys.argv[1]); m = u.module_from_spec(s); s.loader.exec_module(m)\n"
        "m.take_slot(sys.argv[2], 'k')\n"
    )
    began = time.monotonic()
    command = [sys.executable, "-c", code, throttle.__file__, str(tmp_path)]
    for process in [subprocess.Popen(command) for _turn in range(5)]:
        assert process.wait(30) == 0
    assert time.monotonic() - began >= 2.0


def test_only_the_owner_can_read_the_folder_and_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "throttle"
    take(folder, Time(1000.0), "k")
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "throttle-k")] == [0o700, 0o600]
