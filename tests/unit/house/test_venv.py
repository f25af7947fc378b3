# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/venv: two runs at once create one virtual environment. Its Python is simulated, and its pip waits for the test."""

from __future__ import annotations

import os
import subprocess
import typing as t
from pathlib import Path

import pytest

VENV = Path(__file__).resolve().parents[3] / "tools/venv"
PYTHON = """#!/bin/sh
case "$*" in
-c*) echo "3.14 $0" ;;
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
*--requirement*) echo installed >>"$PLACE/log"; echo now >"$PLACE/began"; read -r go <"$PLACE/go"; echo "$go" ;;
esac
"""


class Place:
    def __init__(self, folder: Path) -> None:
        self.folder, self.dir = folder, folder / ".venv"
        (folder / "bin").mkdir()
        python = folder / "bin/python3.14"
        python.write_text(PYTHON)
        python.chmod(0o755)
        for fifo in ("began", "go"):
            os.mkfifo(folder / fifo)
        self.runs: list[subprocess.Popen[str]] = []

    def run(self) -> subprocess.Popen[str]:
        env = {"PATH": f"{self.folder}/bin:/usr/bin:/bin", "HOME": str(self.folder), "PLACE": str(self.folder)}
        command = [str(VENV), "newest", str(self.dir)]
        self.runs.append(subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True))
        return self.runs[-1]


@pytest.fixture
def place(tmp_path: Path) -> t.Iterator[Place]:
    place = Place(tmp_path)
    yield place
    for each in place.runs:
        if each.poll() is None:
            os.killpg(each.pid, 9)
        with each:
            pass


def test_a_second_setup_waits_for_the_first_and_changes_nothing(place: Place) -> None:
    first = place.run()
    (place.folder / "began").read_text()
    second = place.run()
    assert second.stdout is not None
    assert second.stdout.readline() == "Virtual environment .venv: waiting for another setup\n"
    (place.folder / "go").write_text("go\n")
    printed = first.communicate()[0]
    assert (first.returncode, second.wait()) == (0, 0), printed
    assert (place.folder / "log").read_text() == "installed\n"
    assert printed.splitlines()[-1] == "Virtual environment .venv: ready", printed
    assert place.run().communicate()[0] == "", "nothing may be printed for an environment that is up to date"
