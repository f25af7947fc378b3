# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The transfer of private host keys from a node to the secret prints no key at any verbosity."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path

import pytest

ACTION = """
from ansible.plugins.action import ActionBase
from ansible_collections.mlfleet.hyperpod.plugins.action.host_key_adoption import ActionModule as Adoption

class ActionModule(Adoption):
    def run(self, tmp=None, task_vars=None):
        keys = self._keys()
        after = self._low_level_execute_command("echo shown again")
        return {"lengths": {kind: len(pair["private"]) for kind, pair in keys.items()}, "after": after["stdout"]}
"""
PLAY = """
- hosts: node
  gather_facts: false
  tasks:
    - name: Carry
      carry:
"""
SSH = """#!/bin/sh
for last; do :; done
exec sh -c "$(printf %s "$last" | sed 's#/etc/ssh#{folder}#g')"
"""


@pytest.mark.parametrize("verbosity", ["-v", "-vvv", "-vvvvvv"])
def test_no_line_of_a_private_key_is_shown(tmp_path: Path, verbosity: str) -> None:
    keys, actions = tmp_path / "keys", tmp_path / "action_plugins"
    keys.mkdir()
    actions.mkdir()
    for kind in ("ed25519", "ecdsa"):
        path = keys / f"ssh_host_{kind}_key"
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", str(path)], check=True)
    (actions / "carry.py").write_text(ACTION)
    (tmp_path / "ssh").write_text(SSH.replace("{folder}", str(keys)))
    (tmp_path / "ssh").chmod(0o755)
    (tmp_path / "play.yml").write_text(PLAY)
    options = {"ansible_connection": "ssh", "ansible_ssh_executable": str(tmp_path / "ssh")}
    environment = {
        **os.environ,
        "ANSIBLE_ACTION_PLUGINS": str(actions),
        "ANSIBLE_COLLECTIONS_PATH": os.environ["COLLECTION_TREE"],
        "ANSIBLE_LOG_PATH": str(tmp_path / "log"),
        "ANSIBLE_NOCOLOR": "1",
        "HOME": str(tmp_path),
    }
    argv = [sys.executable, "-m", "ansible", "playbook", verbosity, "-i", "node,", str(tmp_path / "play.yml")]
    argv += [part for name, value in options.items() for part in ("-e", f"{name}={value}")]
    done = subprocess.run(argv, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0 and "failed=0" in done.stdout, done.stdout
    printed = done.stdout + (tmp_path / "log").read_text()
    for kind in ("ed25519", "ecdsa"):
        private = (keys / f"ssh_host_{kind}_key").read_text()
        assert f'"{kind}": {len(private)}' in printed
        carried = base64.b64encode(private.encode()).decode()
        assert not any(carried[place : place + 24] in printed for place in range(0, len(carried) - 24, 12))
        assert not any(line in printed for line in private.split("\n")[1:-2])
    assert ("b'shown again" in printed) is (verbosity != "-v")  # later commands are logged again
