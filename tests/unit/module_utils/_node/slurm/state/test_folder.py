# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder on the shared file system: complete or unused, and never a folder of another user."""

from __future__ import annotations

import io
import os
import pwd
import tarfile
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import mounts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.apply import unpack
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.folder import Folder, Untrusted, exists, settled
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.state.model import Saved, Slurm

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="files of others")
USER, STRANGER = "daemon", "games"
SLURM = Slurm("/var/spool/slurmctld", USER, "")


def saved_in(folder: Folder, text: bytes = b"jobs", saved_id: str = "a1") -> Saved:
    folder.begin()
    with folder.created("state.tar") as stream:
        stream.write(text)
        digest = settled(stream)
    saved = Saved(saved_id, "2026-11-24T01:02:03Z", SLURM, {"state.tar": digest})
    folder.finish(saved)
    return saved


def test_a_saved_state_waits_until_it_is_restored(shared: Path) -> None:
    folder = Folder(str(shared / "slurm" / "ml"), USER)
    assert not exists(folder.path) and folder.waiting() is None
    saved = saved_in(folder)
    assert exists(folder.path) and folder.waiting() == saved
    with folder.source("state.tar", saved.digests["state.tar"]) as stream:
        assert stream.read() == b"jobs"
    folder.put_back()
    assert folder.waiting() is None and os.listdir(folder.path) == ["put-back"]


def test_only_slurm_user_can_read_the_folder(shared: Path) -> None:
    """The file system may map root to the user nobody."""
    folder = Folder(str(shared / "slurm" / "ml"), USER)
    saved_in(folder)
    account = pwd.getpwnam(USER)
    for path in [shared / "slurm" / "ml", *(shared / "slurm" / "ml").rglob("*")]:
        found = path.stat()
        assert (found.st_uid, found.st_gid, found.st_mode & 0o077) == (account.pw_uid, account.pw_gid, 0), path
    assert (os.geteuid(), os.getegid()) == (0, 0)


def test_root_creates_the_folder_if_only_root_may_write(shared: Path) -> None:
    shared.chmod(0o755)
    folder = Folder(str(shared / "slurm" / "ml"), USER)
    assert folder.waiting() is None
    assert saved_in(folder) == folder.waiting()


def test_an_unfinished_state_does_not_wait_and_is_replaced(shared: Path) -> None:
    folder = Folder(str(shared / "slurm" / "ml"), USER)
    folder.begin()
    folder.created("state.tar").close()
    assert folder.waiting() is None
    saved_in(folder, b"one")
    assert saved_in(folder, b"two", "a2") == folder.waiting()
    folder.drop()
    assert folder.waiting() is None and os.listdir(folder.path) == []


def test_a_saved_file_that_changed_is_not_restored(shared: Path) -> None:
    folder = Folder(str(shared / "slurm" / "ml"), USER)
    saved = saved_in(folder)
    (Path(folder.path) / "saved" / "state.tar").write_bytes(b"other")
    with pytest.raises(Failure, match="its checksum differs"):
        folder.source("state.tar", saved.digests["state.tar"])


@pytest.mark.parametrize("place", ["slurm", "slurm/ml", "slurm/ml/saved", "slurm/ml/saved/about.json"])
@pytest.mark.parametrize("hand", ["owns", "may write", "put a link there"])
def test_files_of_another_user_are_not_trusted(shared: Path, place: str, hand: str) -> None:
    folder = Folder(str(shared / "slurm" / "ml"), USER)
    saved_in(folder)
    path = shared / place
    if hand == "owns":
        os.chown(path, pwd.getpwnam(STRANGER).pw_uid, -1)
    elif hand == "may write":
        path.chmod(0o777)
    else:
        path.rename(shared / "elsewhere")
        path.symlink_to(shared / "elsewhere")
    with pytest.raises(Untrusted):
        folder.waiting()


@pytest.mark.parametrize("existing", [".", "slurm", "slurm/ml"])
def test_the_check_for_obstacles_changes_nothing(shared: Path, existing: str) -> None:
    (shared / existing).mkdir(parents=True, exist_ok=True)
    before = sorted(shared.rglob("*"))
    assert Folder(str(shared / "slurm" / "ml"), USER).obstacle() == ""
    assert sorted(shared.rglob("*")) == before


def test_a_folder_whose_owner_may_not_write_is_an_obstacle(shared: Path) -> None:
    """As with a squashed root: root's rights do not count, because another user owns the folder."""
    path = shared / "slurm" / "ml"
    path.mkdir(parents=True)
    os.chown(path, pwd.getpwnam(USER).pw_uid, -1)
    path.chmod(0o500)
    assert Folder(str(path), USER).obstacle() == f"{path}: Permission denied. Root or {USER} must be able to write there."
    path.chmod(0o700)
    assert Folder(str(path), USER).obstacle() == ""


def test_a_folder_of_another_user_and_a_local_disk_are_obstacles(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shared / "slurm").mkdir()
    os.chown(shared / "slurm", pwd.getpwnam(STRANGER).pw_uid, -1)
    assert f"only root or {USER} may write to" in Folder(str(shared / "slurm" / "ml"), USER).obstacle()
    monkeypatch.setattr(mounts, "read", lambda: (mounts.Mount("/", "ext4"),))
    assert "Allowed: a folder on a shared file system" in Folder(str(shared / "slurm" / "ml"), USER).obstacle()


def test_nothing_is_saved_in_a_folder_of_another_user(shared: Path) -> None:
    (shared / "slurm").mkdir()
    os.chown(shared / "slurm", pwd.getpwnam(STRANGER).pw_uid, -1)
    with pytest.raises(Failure, match="only root or daemon may write to"):
        Folder(str(shared / "slurm" / "ml"), USER).begin()


def test_nothing_is_saved_on_a_local_disk(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "read", lambda: (mounts.Mount("/", "ext4"),))
    with pytest.raises(Refused, match="folder: .* a folder on a shared file system"):
        Folder(str(shared / "slurm" / "ml"), USER).begin()


def test_only_plain_files_and_folders_are_restored_and_replace_the_old_state(tmp_path: Path) -> None:
    state = tmp_path / "state"
    (state / "old").mkdir(parents=True)
    (state / "old" / "job").write_text("blank")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, kind, target in (
            (".", tarfile.DIRTYPE, ""),
            ("./job_state", tarfile.REGTYPE, ""),
            ("./hash.1", tarfile.DIRTYPE, ""),
            ("./hash.1/script", tarfile.REGTYPE, ""),
            ("./link", tarfile.SYMTYPE, "/etc/passwd"),
            ("../outside", tarfile.REGTYPE, ""),
            ("/outside", tarfile.REGTYPE, ""),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.mode = kind, target, 0o4750
            archive.addfile(member)
    packed.seek(0)
    unpack(packed, Slurm(str(state), USER))
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == [
        "state",
        "state/hash.1",
        "state/hash.1/script",
        "state/job_state",
    ]
    status = (state / "job_state").stat()
    assert (status.st_uid, status.st_mode & 0o7777) == (pwd.getpwnam(USER).pw_uid, 0o750)
