"""Start and removal of labs: two at once, and nothing is left on the machine, even after a crash. Runs as root, outside of labs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
REPO = TESTS.parent
NAMES = ("life-one", "life-two")


def lab(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "lab", *arguments],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def traces(name: str) -> list[str]:
    """Mounts, control groups and the folder that a lab left on the machine."""
    mounts = [line for line in Path("/proc/self/mounts").read_text().splitlines() if f".lab/{name}" in line]
    groups = [str(path) for path in Path("/sys/fs/cgroup").glob(f"**/mlfleet-lab/*{name}*")]
    folder = REPO / ".lab" / name
    return mounts + groups + ([str(folder)] if folder.exists() else [])


@pytest.fixture
def two_labs():
    links = subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True, check=True).stdout
    for name in NAMES:
        lab("down", "--name", name)
        started = lab("up", "--empty", "--name", name)
        assert started.returncode == 0, started.stdout + started.stderr
    yield
    for name in NAMES:
        lab("down", "--name", name)
    assert subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True, check=True).stdout == links


@pytest.mark.usefixtures("two_labs")
def test_two_labs_are_isolated_and_leave_nothing():
    make = "import boto3; boto3.Session(profile_name='lab-admin').client('ssm').put_parameter(Name='/x', Value='1', Type='String')"
    read = "import boto3; print(boto3.Session(profile_name='lab-admin').client('ssm').describe_parameters()['Parameters'])"
    assert lab("exec", "--name", NAMES[0], "--", sys.executable, "-c", make).returncode == 0
    assert lab("exec", "--name", NAMES[1], "--", sys.executable, "-c", read).stdout.strip() == "[]"

    assert lab("down", "--name", NAMES[0]).returncode == 0
    assert traces(NAMES[0]) == []
    assert lab("exec", "--name", NAMES[1], "--", "true").returncode == 0

    crashed = json.loads((REPO / ".lab" / NAMES[1] / "lab.json").read_text())
    os.kill(crashed["pid"], signal.SIGKILL)
    assert lab("exec", "--name", NAMES[1], "--", "true").returncode != 0
    assert lab("down", "--name", NAMES[1]).returncode == 0
    assert traces(NAMES[1]) == []
