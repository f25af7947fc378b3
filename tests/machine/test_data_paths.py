"""haproxy and OpenVPN between network namespaces, without a lab. Runs as root."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path.insert(0, str(TESTS))

from lab.hosts import rootfs  # noqa: E402

# Name resolution, /run/netns and processes of this machine are not changed, and remaining processes end with the tests.
UNSHARE = ("unshare", "--net", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc")
# The folder becomes a tmpfs: disks of laptops are overlays, which cannot be on another overlay.
ENTER = (
    "mkdir -p /run/netns && mount -t tmpfs none /run/netns && mount -t tmpfs none $STATE && "
    'ln -s $TESTS $STATE/tests && ip link set lo up && exec "$@"'
)


@pytest.mark.parametrize("part", ["balancer", "vpn"])
def test_the_tests_in_namespaces_pass(part: str, tmp_path: Path) -> None:
    # Without --basetemp, pytest removes the files of earlier sessions at its end: hundreds of thousands after the unit tests.
    tests = ["-m", "pytest", str(HERE / f"{part}_in_namespaces.py"), "-q", "-p", "no:cacheprovider", f"--basetemp={tmp_path}/tmp"]
    environment = {
        **os.environ,
        "IMAGE": str(rootfs.ensure(print)),
        "STATE": str(tmp_path),
        "TESTS": str(TESTS),
        "PYTHONPATH": f"{TESTS}:{HERE}",
    }
    done = subprocess.run(
        [*UNSHARE, "sh", "-eu", "-c", ENTER, "sh", sys.executable, *tests, "--import-mode=importlib"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
