# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulator without hosts for each test module."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import time
import typing as t

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[str]:
    """The endpoint URL of a simulator of its own."""
    state = tmp_path_factory.mktemp("lab")
    arguments = [sys.executable, "-m", "lab.aws.server", "--state", str(state), "--port", "0", "--no-hosts"]
    server = subprocess.Popen(arguments, env={**os.environ, "PYTHONPATH": str(TESTS)})
    try:
        deadline = time.monotonic() + 60
        while not (state / "port").exists() or not (state / "port").read_text().endswith("\n"):
            assert server.poll() is None and time.monotonic() < deadline, "the simulator did not start"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{int((state / 'port').read_text())}"
    finally:
        server.terminate()
        server.wait()
