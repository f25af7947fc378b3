# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node whose sudo requires a password does not stop the run, so that it can be restored."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

REACH = Path(__file__).resolve().parents[3] / "roles/node_access/tasks/node/reach.yml"
SSH = """#!/bin/sh
echo 'sudo: a password is required' >&2
{end}
"""


@pytest.mark.parametrize("end", ["sleep 5", "exit 1"], ids=["while it waits", "at the end"])
def test_the_run_continues_after_a_failed_ping(tmp_path: Path, end: str) -> None:
    (ping,) = [task for task in yaml.safe_load(REACH.read_text()) if "ansible.builtin.ping" in task]
    then = {"ansible.builtin.debug": {"msg": "pong is {{ __node_access_ping.ping | default('none') }}"}}
    (tmp_path / "play.yml").write_text(yaml.safe_dump([{"hosts": "node", "gather_facts": False, "tasks": [ping, then]}]))
    (tmp_path / "ssh").write_text(SSH.replace("{end}", end))
    (tmp_path / "ssh").chmod(0o755)
    argv = [sys.executable, "-m", "ansible", "playbook", "-i", "node,", "-e", f"ansible_ssh_executable={tmp_path}/ssh", "play.yml"]
    environment = {**os.environ, "HOME": str(tmp_path), "ANSIBLE_NOCOLOR": "1", "ANSIBLE_PIPELINING": "1"}
    done = subprocess.run(argv, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "pong is none" in done.stdout, done.stdout + done.stderr
