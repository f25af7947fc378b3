# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection through a jump host, with a stand-in for ssh."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import ssh_jump

SSH = """#!/bin/sh
echo "$@" >>{folder}/calls
case "$1" in
-O) exit {check} ;;
-f) [ {opens} = 0 ] || echo "Permission denied" >&2; exit {opens} ;;
*) cat ;;
esac
"""
JUMP = """import sys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import ssh_jump
sys.exit(ssh_jump.jump(["ops@bastion", "10.1.1.11:22", "-p", "2222"], state_dir=sys.argv[1]))
"""


def jump(folder: Path, **ends: int) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """The result of the jump, and the arguments of each call of ssh after its options were checked."""
    (folder / "ssh").write_text(SSH.format(folder=folder, **ends))
    (folder / "ssh").chmod(0o755)
    command = [sys.executable, "-c", JUMP, str(folder / "state")]
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(command, input="through", capture_output=True, text=True, env=environment, check=False)
    calls = (folder / "calls").read_text().split("\n")[:-1]
    for call in calls:
        assert "-p 2222 -o ControlMaster=auto -o ControlPersist=60 -o ControlPath=" in call and call.endswith(" ops@bastion")
    verbs = [call.partition("-p 2222")[0].strip() or call.rpartition("-W ")[2] for call in calls]
    assert len({call.partition("ControlPath=")[2].split(" ")[0] for call in calls}) == 1
    return done, verbs


@pytest.mark.parametrize(
    ("check", "verbs"), [(0, ["-O check", "10.1.1.11:22 ops@bastion"]), (1, ["-O check", "-f -N", "10.1.1.11:22 ops@bastion"])]
)
def test_one_connection_is_opened_and_then_shared(tmp_path, check, verbs):
    done, called = jump(tmp_path, check=check, opens=0)
    assert (done.returncode, done.stdout, called) == (0, "through", verbs), done.stderr
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "state").iterdir()] == [0o600]


def test_the_reason_of_a_failed_connection_is_printed(tmp_path):
    done, called = jump(tmp_path, check=1, opens=255)
    assert (done.returncode, done.stdout, called) == (1, "", ["-O check", "-f -N"])
    assert done.stderr == "no connection to ops@bastion, the jump host for 10.1.1.11:22: Permission denied\n"


def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    uid = 1_000_000 + os.getpid()
    monkeypatch.setattr(os, "getuid", lambda: uid)
    folder = Path(f"/tmp/mlfleet-hyperpod-{uid}")
    folder.mkdir(mode=0o700)
    try:
        with pytest.raises(PermissionError, match="is not a private folder of this user"):
            ssh_jump.control_path("/" + "x" * 90, "a")
    finally:
        folder.rmdir()
