# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faulty unit tests cannot damage the machine, and always end: tools/contained, and the timeouts in conftest.py."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

UNIT = Path(__file__).resolve().parents[1]
CONTAINED = UNIT.parents[1] / "tools" / "contained"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="containment needs root")

SIGNAL = """import os, sys
number = int(sys.argv[1])
if os.path.exists(f"/proc/{number}"):  # process IDs in both namespaces are small
    sys.exit("No such process, but one of this namespace")
os.kill(number, 15)
"""
HANGING = """
import threading

def test_hangs():
    threading.Thread(target=threading.Event().wait).start()
    threading.Event().wait()

def test_follows():
    pass
"""
IMPATIENT = """
import importlib.util

spec = importlib.util.spec_from_file_location("unit", {conftest!r})
unit = importlib.util.module_from_spec(spec)
spec.loader.exec_module(unit)
unit.LIMIT = 1
globals().update({{name: hook for name, hook in vars(unit).items() if name.startswith("pytest_")}})
"""


@as_root
@pytest.mark.parametrize("path", ["/etc/passwd", __file__])
def test_a_test_cannot_write_files_of_the_machine(path):
    with pytest.raises(OSError) as caught:
        open(path, "r+b")  # noqa: SIM115 - opening the file must fail
    assert caught.value.errno == errno.EROFS


@as_root
def test_a_test_cannot_kill_processes_of_the_machine():
    outside = subprocess.Popen(["sleep", "60"])
    try:
        done = subprocess.run([CONTAINED, sys.executable, "-c", SIGNAL, str(outside.pid)], capture_output=True, text=True, check=False)
        assert "No such process" in done.stderr and outside.poll() is None, done.stderr
    finally:
        outside.kill()
        outside.wait()


@as_root
def test_the_services_of_the_machine_are_hidden():
    assert os.environ["HOME"] == "/run/home"
    entries = subprocess.run([CONTAINED, "ls", "/run"], check=True, capture_output=True, text=True).stdout.split()
    assert "home" in entries and set(entries) <= {"home", "mount"}  # mount(8) has a folder of its own


def test_contained_returns_the_exit_status_of_its_command():
    assert subprocess.run([CONTAINED, "sh", "-c", "exit 7"], check=False).returncode == 7


def test_a_hanging_test_fails_and_the_others_run(tmp_path):
    (tmp_path / "conftest.py").write_text(IMPATIENT.format(conftest=str(UNIT / "conftest.py")))
    (tmp_path / "test_hanging.py").write_text(HANGING)
    argv = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=100)
    assert "test_hanging.py::test_hangs takes longer than 1 s" in done.stdout, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout and done.returncode == 1, done.stdout
