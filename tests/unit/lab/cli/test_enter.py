# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[3]
RUN = "import os, sys; from lab.cli import enter; sys.exit(enter.run(sys.argv[1:], env=os.environ, supervisor=None))"


def start(*argv, **options):
    env = {**os.environ, "PYTHONPATH": str(TESTS)}
    return subprocess.Popen([sys.executable, "-c", RUN, *argv], env=env, text=True, **options)


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("exec /no/such/command", 127)]
)
def test_exit_code_passes_through(script, code):
    assert start("/bin/sh", "-c", script, stderr=subprocess.DEVNULL).wait(20) == code


def test_a_missing_command_is_127():
    assert start("/no/such/command", stderr=subprocess.DEVNULL).wait(20) == 127


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_reaches_the_command(number):
    script = f"trap 'exit 33' {number.name[3:]}; echo ready; while :; do sleep 0.05; done"
    heard = functools.partial(signal.signal, number, signal.SIG_DFL)  # nohup ignores some, as do shells for background processes
    process = start("/bin/sh", "-c", script, stdout=subprocess.PIPE, preexec_fn=heard)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    assert process.wait(20) == 33


def test_the_command_ends_with_a_killed_caller(tmp_path):
    process = start("/bin/sh", "-c", f"echo $$ >{tmp_path}/pid; echo ready; exec sleep 60", stdout=subprocess.PIPE)
    process.stdout.readline()
    command = int((tmp_path / "pid").read_text())
    process.kill()
    process.wait(20)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _is_running(command):
        time.sleep(0.02)
    assert not _is_running(command)


def _is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
