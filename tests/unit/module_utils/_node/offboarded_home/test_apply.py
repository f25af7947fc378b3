# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Homes are read and changed as their owner."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.child import ChildFailed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home.plan import ARCHIVE, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home.result import left

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG m@laptop"
WANTED = Desired("mallory", 20003, 20003, "/fsx/mallory", remove_keys=True, archive=True, shared_roots=("/fsx",))


@pytest.mark.skipif(os.getuid() != 0, reason="takes another identity")
def test_a_home_is_read_and_archived_as_its_owner(storage: Path) -> None:
    home = storage / "mallory"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "authorized_keys").write_text(f"# mine\n{KEY}\n")
    (storage / "other").write_text(KEY)
    (home / ".ssh" / "authorized_keys2").symlink_to(storage / "other")
    (home / "data").write_text("kept")
    for path in (home, *home.rglob("*")):
        os.chown(path, 20003, 20003, follow_symlinks=False)
    home.chmod(0o750)
    desired = dataclasses.replace(WANTED, home=str(home))
    before = observe(desired)
    files = [str(home / ".ssh" / name) for name in ("authorized_keys", "authorized_keys2")]
    assert (before.kind, before.owner) == ("folder", 20003)
    assert {path: len(keys) for path, keys in before.keys.items()} == dict.fromkeys(files, 1)
    (remark,) = before.remarks
    assert remark.startswith(f"{files[1]} is a symbolic link to {storage}/other")
    applier = Applier(desired)
    for step in plan(desired, before).steps:
        applier(step)
    after = observe(desired)
    assert (after.kind, after.keys) == ("archived", {})
    aside = storage / "mallory.offboarded"
    assert (aside.stat().st_mode & 0o777, (aside / "data").read_text()) == (0o700, "kept")
    assert not plan(desired, after)
    assert (storage / "other").read_text() == KEY and os.listdir(aside / ".ssh") == []


def vertical_tab(folder: Path) -> None:
    (folder / "authorized_keys").write_text(KEY.replace("AAAAC3", "AA\vAAC3"))


def no_key(folder: Path) -> None:
    (folder / "authorized_keys").write_text("ssh-ed25519 AAAA\n")


def too_long(folder: Path) -> None:
    (folder / "authorized_keys").write_text(("#" * 1023 + "\n") * 1025 + KEY)


def dangling(folder: Path) -> None:
    (folder / "authorized_keys").symlink_to("nowhere")


@pytest.mark.skipif(os.getuid() != 0, reason="takes another identity")
@pytest.mark.parametrize("write, keys, remarks", [(vertical_tab, 1, 0), (no_key, 0, 1), (too_long, 0, 1), (dangling, 0, 1)])
def test_a_file_of_keys_is_removed_with_any_content(storage: Path, write, keys: int, remarks: int) -> None:
    home = storage / "mallory"
    (home / ".ssh").mkdir(parents=True)
    write(home / ".ssh")
    for path in (home, *home.rglob("*")):
        os.chown(path, 20003, 20003, follow_symlinks=False)
    desired = dataclasses.replace(WANTED, home=str(home), archive=False)
    state = observe(desired)
    assert [len(found) for found in state.keys.values()] == [keys] and len(state.remarks) == remarks
    kept = dataclasses.replace(desired, remove_keys=False)
    assert len(left(kept, state)) == keys + remarks
    for step in plan(desired, state).steps:
        Applier(desired)(step)
    assert os.listdir(home / ".ssh") == []
    assert observe(desired) == plan(desired, state).after(state)


@pytest.mark.skipif(os.getuid() != 0, reason="takes another identity")
def test_a_link_to_a_folder_of_keys_is_removed_without_its_target(storage: Path) -> None:
    home, target = storage / "mallory", storage / "other"
    home.mkdir()
    target.mkdir()
    (target / "authorized_keys").write_text(KEY)
    (home / ".ssh").symlink_to(target)
    for path in (home, target, home / ".ssh"):
        os.chown(path, 20003, 20003, follow_symlinks=False)
    desired = dataclasses.replace(WANTED, home=str(home), archive=False)
    state = observe(desired)
    assert {path: len(keys) for path, keys in state.keys.items()} == {str(home / ".ssh"): 1}
    (step,) = plan(desired, state).steps
    Applier(desired)(step)
    assert os.listdir(home) == [] and (target / "authorized_keys").read_text() == KEY


@pytest.mark.skipif(os.getuid() != 0, reason="takes another identity")
def test_a_home_that_another_cluster_archived_is_no_failure(storage: Path) -> None:
    desired = dataclasses.replace(WANTED, home=str(storage / "mallory"))
    archive = Step(ARCHIVE, {}, ())
    with pytest.raises(ChildFailed, match="No such file"):
        Applier(desired)(archive)
    (storage / "mallory.offboarded").mkdir()
    Applier(desired)(archive)


@pytest.mark.skipif(os.getuid() != 0, reason="takes another identity")
@pytest.mark.parametrize(("kind", "owner"), [("missing", None), ("other", 20003), ("foreign", 20001)])
def test_other_entries_than_the_home_of_the_user_have_their_kind(storage: Path, kind: str, owner: int | None) -> None:
    home = storage / "mallory"
    if kind == "foreign":
        home.mkdir()
    elif kind == "other":
        home.write_text("")
    if owner is not None:
        os.chown(home, owner, owner)
    assert observe(dataclasses.replace(WANTED, home=str(home), shared_roots=())) == State(kind, str(home), owner)
