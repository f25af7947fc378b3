# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The removal of homes, without file systems mounted in them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import child
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import apply as accounts_apply, home_removal, homes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.mounts import Mount

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounts, and acts as another user")
REMOVE = """
import sys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import apply as accounts_apply
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
applier = accounts_apply.Applier()
applier(Step("remove_home", {"path": sys.argv[1]}, ()))
print([each.text for each in applier.pending])
"""


def test_a_home_is_removed_with_its_contents(tmp_path: Path) -> None:
    home, kept = tmp_path / "alice", tmp_path / "kept"
    kept.mkdir()
    (kept / "data").write_text("kept")
    (home / "a" / "b").mkdir(parents=True)
    (home / "a" / "b" / "file").write_text("removed")
    (home / "a" / "link").symlink_to(kept)
    (home / "dangling").symlink_to("nowhere")
    os.mkfifo(home / "pipe")
    applier = accounts_apply.Applier()
    applier(Step("remove_home", {"path": str(home)}, ()))
    assert applier.pending == []
    assert os.listdir(tmp_path) == ["kept"] and (kept / "data").read_text() == "kept"


@as_root
@pytest.mark.parametrize("mount", ["mount -t tmpfs none {home}/m && echo x >{home}/m/data", "mount --bind {other} {home}/m"])
def test_a_file_system_mounted_in_a_home_stays(tmp_path: Path, mount: str) -> None:
    home, other = tmp_path / "alice", tmp_path / "other"
    (home / "m").mkdir(parents=True)
    other.mkdir()
    (other / "data").write_text("x\n")
    script = f"{mount.format(home=home, other=other)} && {sys.executable} -c '{REMOVE}' {home}; cat {home}/m/data"
    unshared = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script]
    path = os.pathsep.join(part for part in sys.path if part)
    done = subprocess.run(unshared, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    message, data = done.stdout.split("\n")[:2]
    assert f"The home {home} could not be removed completely: [Errno 18] another file system is mounted there" in message, done.stderr
    assert data == "x" and (other / "data").read_text() == "x\n"


def test_mounts_in_homes_are_listed() -> None:
    table = [Mount("/", "ext4"), Mount("/home", "ext4"), Mount("/home/alice2", "ext4"), Mount("/home/bob/x/y", "fuse.sshfs")]
    homes = {"alice": "/home/alice", "bob": "/home/bob"}
    assert home_removal.mounted_in(homes, table) == {"bob": "/home/bob/x/y"}


@as_root
@pytest.mark.parametrize("mode, inside", [(0o755, []), (0o700, ["data"])])
def test_a_folder_that_replaced_the_new_home_keeps_its_owner(monkeypatch, tmp_path: Path, mode: int, inside: list) -> None:
    victim, home = tmp_path / "victim", tmp_path / "alice"
    victim.mkdir()
    for name in inside:
        (victim / name).write_text("")
    victim.chmod(mode)
    os.chown(victim, 5002, 5002)
    real = os.mkdir

    def mkdir(path: str, *arguments: int) -> None:
        real(path, *arguments)
        os.rename(path, tmp_path / "moved")
        os.rename(victim, home)

    monkeypatch.setattr(os, "mkdir", mkdir)
    reason = homes._mkdir_for(str(home), child.Identity("alice", 5001, 5001))
    assert reason is not None and "another process created this folder" in reason
    assert home.stat().st_uid == 5002


@as_root
def test_a_home_in_a_setgid_folder_is_created(tmp_path: Path) -> None:
    tmp_path.chmod(0o2775)
    home = tmp_path / "alice"
    assert homes._mkdir_for(str(home), child.Identity("alice", 5001, 5001)) is None
    assert home.stat().st_uid == 5001


@as_root
def test_an_empty_folder_of_another_owner_is_not_given_away(monkeypatch, tmp_path: Path) -> None:
    home = tmp_path / "alice"
    real = os.mkdir

    def mkdir(path: str, *arguments: int) -> None:
        real(path, *arguments)
        os.chown(path, 65534, 65534)

    monkeypatch.setattr(os, "mkdir", mkdir)
    reason = homes._mkdir_for(str(home), child.Identity("alice", 5001, 5001))
    assert (reason, home.exists()) == ("root cannot create a folder for another owner on this storage", False)
