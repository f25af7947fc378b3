# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A forked module must behave like a separate process, and end with its caller."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import typing as t
from pathlib import Path

import pytest
from lab import python

PLAYBOOK = """\
import os, pathlib, subprocess, sys, time
deadline = time.monotonic() + 20
while f"@lab-forks-{os.getpid()}" not in pathlib.Path("/proc/net/unix").read_text():
    assert time.monotonic() < deadline, "no fork server"
    time.sleep(0.01)
sys.exit(subprocess.run([sys.executable, *sys.argv[1:]]).returncode)
"""
MODULE = """\
import atexit, json, os, sys
umask = os.umask(0)
ancestors, pid = [], os.getpid()
while pid > 1:
    ancestors.append(pid)
    pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
atexit.register(print, "the end")
print(json.dumps({
    "loaded": "boto3" in sys.modules, "argv": sys.argv, "folder": os.getcwd(), "umask": umask, "name": __name__,
    "given": os.environ["GIVEN"], "read": sys.stdin.read(), "ancestors": ancestors,
}))
print("to the other side", file=sys.stderr)
sys.exit(3)
"""
SLEEPER = "import os, time; open('begun', 'w').write(f'{os.getpid()} {os.getppid()}'); time.sleep(300)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kept_code.py").write_text("def keep(): pass\n")  # the lab's own module writes files below /run
    (tmp_path / "kept_imports.py").write_text("def keep(): pass\n")
    (tmp_path / "ansible-playbook").write_text(PLAYBOOK)
    return tmp_path


def started(folder: Path, *argv: str, **environment: str) -> subprocess.Popen[str]:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{folder}:{python.HERE}", "GIVEN": "é", **environment}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, *argv], cwd=folder, env=env, umask=0o27, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def eventually(condition: t.Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize("served", [True, False])
def test_a_module_behaves_like_a_separate_process(folder, served):
    module = folder / "AnsiballZ_one.py"
    module.write_text(MODULE)
    ended = {"LAB_FORK_SERVER": f"{sys.prefix} lab-forks-0"}  # or has not started yet
    process = started(folder, "ansible-playbook", str(module)) if served else started(folder, str(module), **ended)
    out, err = process.communicate("a line\n", timeout=60)
    line, end = out.splitlines()
    report = json.loads(line)
    assert (process.returncode, end, err) == (3, "the end", "to the other side\n")
    assert process.pid in report.pop("ancestors")
    assert report == {
        "loaded": served,
        "argv": [str(module)],
        "folder": str(folder),
        "umask": 0o27,
        "name": "__main__",
        "given": "é",
        "read": "a line\n",
    }


def test_a_module_and_its_server_end_with_their_caller(folder):
    (folder / "AnsiballZ_two.py").write_text(SLEEPER)
    process = started(folder, "ansible-playbook", str(folder / "AnsiballZ_two.py"))
    eventually(lambda: (folder / "begun").exists() and " " in (folder / "begun").read_text())
    module, server = map(int, (folder / "begun").read_text().split())
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    (asker,) = {int(child) for child in children} - {server}
    os.kill(asker, signal.SIGKILL)
    eventually(lambda: has_ended(module))
    assert process.wait(timeout=20) != 0
    eventually(lambda: has_ended(server))
