# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The check and the creation of homes."""

from __future__ import annotations

import os
import pathlib

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import child, mounts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import homes, options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import Account
from ansible_collections.mlfleet.hyperpod.plugins.modules.accounts import SPEC

MOUNTS = mounts.parse(
    "/dev/vda / ext4 rw 0 0\n10.0.0.1@tcp:/x /fsx lustre rw 0 0\n"
    "fs:/ /my\\040home nfs4 rw 0 0\n/dev/vdb /data xfs rw 0 0\n"
)


def test_a_root_without_its_own_mount_is_not_mounted() -> None:
    assert homes.mounted("/fsx", MOUNTS)
    assert not homes.mounted("/fsx", mounts.parse("/dev/vda / ext4 rw 0 0\n"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
@pytest.mark.parametrize("mode, owner", [(0o1777, 0), (0o755, 0), (0o755, 5001)])
def test_a_home_belongs_to_its_user_for_all_modes_of_the_parent(tmp_path: pathlib.Path, mode: int, owner: int) -> None:
    storage, skeleton = tmp_path / "fsx", tmp_path / "skel"
    for folder in (*tmp_path.parents, tmp_path):
        if str(folder).startswith("/tmp/"):
            os.chmod(folder, 0o755)
    storage.mkdir()
    (skeleton / ".config").mkdir(parents=True)
    (skeleton / ".profile").write_text("PS1=x\n")
    os.chown(storage, owner, owner)
    os.chmod(storage, mode)
    home = storage / "alice"
    identity = child.Identity("alice", 5001, 5001)
    assert homes.make(home=str(home), identity=identity, mode=0o750, skeleton=str(skeleton)) is None
    assert (home.stat().st_uid, home.stat().st_gid, home.stat().st_mode & 0o7777) == (5001, 5001, 0o750)
    assert (home / ".profile").read_text() == "PS1=x\n"
    assert {path.stat().st_uid for path in home.iterdir()} == {5001}
    (home / ".profile").write_text("mine\n")
    homes.make(home=str(home), identity=identity, mode=0o750, skeleton=str(skeleton))
    assert (home / ".profile").read_text() == "mine\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_a_home_that_storage_refuses_gives_a_reason(tmp_path: pathlib.Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    reason = homes.make(
        home=str(blocked / "x" / "alice"), identity=child.Identity("alice", 5001, 5001), mode=0o750
    )
    assert reason == "Not a directory"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a home away")
def test_only_a_local_home_of_its_owner_alone_is_removed(tmp_path: pathlib.Path) -> None:
    def account(name: str, uid: int, home: pathlib.Path) -> Account:
        return Account(name, uid, uid, "", str(home), "/bin/bash", "none")

    local, shared = tmp_path / "home", tmp_path / "fsx"
    owned = {local / "alice": 5001, shared / "bob": 5002, local / "carol": 5001, local / "dave": 5004, local / "dave" / "eve": 5005}
    for home, uid in owned.items():
        home.mkdir(parents=True)
        os.chown(home, uid, uid)
    accounts = {home.name: account(home.name, 5001 + number, home) for number, home in enumerate(owned)}
    users = [{"name": name, "state": "absent"} for name in ("alice", "bob", "carol", "dave", "eve", "never-there")]
    params = {"users": users, "shared_home_roots": [str(shared)]}
    wanted = options.desired(ArgumentSpecValidator(SPEC).validate(params).validated_parameters)
    found = homes.leaving(wanted, accounts)
    assert found == {"alice": str(local / "alice"), "eve": str(local / "dave" / "eve")}
    assert homes.leaving(wanted, {}) == {}
