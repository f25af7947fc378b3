# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The switch that makes modules run as on any other machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lab import python
from lab.cli import home
from lab.names import Paths
from simulated import COLLECTIONS, TESTS

COUNT = "import os\nwith open(os.environ['COUNT'], 'a') as file: file.write('1')\n"


@pytest.mark.parametrize("variable", [{}, {python.PLAIN: ""}, {python.PLAIN: "1"}])
def test_the_shell_of_the_lab(tmp_path, variable):
    found = home.environment(Paths(tmp_path), {"PYTHONPATH": "/mine", **variable})["PYTHONPATH"].split(":")
    assert found == [*([] if any(variable.values()) else map(str, python.FOLDERS)), "/mine"]


@pytest.mark.parametrize("plain", [True, False])
def test_machines(tmp_path, monkeypatch, plain):
    monkeypatch.setenv(python.PLAIN, "1" if plain else "")
    folder = tmp_path / python.DIST_PACKAGES
    folder.mkdir(parents=True)
    for file in python.FOLDERS[1].glob("kept_code.*"):
        (folder / file.name).write_bytes(file.read_bytes())
    python.prepare_disk(tmp_path)
    assert [file.suffix for file in folder.iterdir() if file.suffix == ".pth"] == ([] if plain else [".pth"])


@pytest.mark.parametrize("plain", [True, False])
def test_modules_of_unit_tests(tmp_path, plain):
    (tmp_path / "sitecustomize.py").write_text(COUNT)
    command = [sys.executable, str(TESTS / "simulated/module_server.py"), *(["plain"] if plain else [])]
    path = f"{tmp_path}:{COLLECTIONS}:{TESTS}"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": path, "COUNT": str(tmp_path / "count")}
    request = json.dumps({"module": "accounts", "arguments": {"no_such_option": 1}, "environment": {}}) + "\n"
    done = subprocess.run(command, input=request * 2, env=environment, stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    for line in done.stdout.splitlines():
        assert "no_such_option" in json.loads(json.loads(line)["stdout"])["msg"]
    assert Path(environment["COUNT"]).read_text() == ("111" if plain else "1"), "one entry for each started Python"
