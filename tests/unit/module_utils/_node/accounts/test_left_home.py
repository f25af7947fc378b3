# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The home of a person who left."""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import left_home
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.left_home import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.child import ChildFailed

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG m@laptop"
SHOWN = "ssh-ed25519 SHA256:qNLhplipcgZ6ue5cN1G9xVSFZGsotfSWIFlEIsT348U m@laptop"
WANTED = Desired("mallory", 20003, 20003, "/fsx/mallory", remove_keys=True, archive=True, shared_roots=("/fsx",))
KEYS = {
    "/fsx/mallory/.ssh/authorized_keys": [
        {"type": "ssh-ed25519", "fingerprint": SHOWN.split()[1], "comment": "m@laptop", "options": "", "expires": None}
    ]
}
HOME = State("folder", "/fsx/mallory", 20003, KEYS)


@pytest.mark.parametrize(
    "options, state, changes, after, pending, notes",
    [
        ({}, HOME, [("delete", None), ("update", "path")], ("archived", []), 0, 0),
        ({"archive": False}, HOME, [("delete", None)], ("folder", []), 0, 0),
        ({"remove_keys": False}, HOME, [("update", "path")], ("archived", ["/fsx/mallory.offboarded"]), 0, 1),
        ({"remove_keys": False, "archive": False}, HOME, [], ("folder", ["/fsx/mallory"]), 0, 1),
        ({}, dataclasses.replace(HOME, keys={}, taken=True), [], ("folder", []), 1, 0),
        ({}, State("archived", "/fsx/mallory.offboarded", 20003, taken=True), [], ("archived", []), 0, 0),
        ({}, State("missing", "/fsx/mallory"), [], ("missing", []), 0, 0),
        ({}, State("foreign", "/fsx/mallory", 20001), [], ("foreign", []), 0, 1),
        ({}, State("unmounted", "/fsx/mallory"), [], ("unmounted", []), 1, 0),
        ({}, State("silent", "/fsx/mallory"), [], ("silent", []), 1, 0),
        ({}, State("other", "/fsx/mallory", 20003), [], ("other", []), 1, 0),
    ],
)
def test_what_is_done_and_what_is_left(options, state, changes, after, pending, notes) -> None:
    desired = dataclasses.replace(WANTED, **options)
    plan = left_home.plan(desired, state)
    assert [(change.action, change.field) for change in plan.changes] == changes
    shown = [path.rpartition("/.ssh/")[0] for path in plan.predicted.keys]
    assert (plan.predicted.kind, shown) == after
    assert len(left_home.pending(desired, plan.predicted)) == pending
    assert len(left_home.notes(desired, plan.predicted)) == notes
    again = dataclasses.replace(plan.predicted, taken=plan.predicted.kind == "archived" or plan.predicted.taken)
    assert not left_home.plan(desired, again)


def test_keys_are_shown_by_their_fingerprints() -> None:
    assert left_home.plan(WANTED, HOME).changes[0].before == [SHOWN]


@pytest.fixture
def storage() -> t.Iterator[Path]:
    """A folder that others may look into, which those of pytest are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(os.getuid() != 0, reason="takes another identity")
def test_a_home_is_read_and_put_aside_as_its_owner(storage: Path) -> None:
    home = storage / "mallory"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "authorized_keys").write_text(f"# mine\n{KEY}\n")
    (storage / "theirs").write_text(KEY)
    (home / ".ssh" / "authorized_keys2").symlink_to(storage / "theirs")
    (home / "data").write_text("kept")
    for path in (home, *home.rglob("*")):
        os.chown(path, 20003, 20003, follow_symlinks=False)
    home.chmod(0o750)
    desired = dataclasses.replace(WANTED, home=str(home))
    before = left_home.observe(desired)
    files = [str(home / ".ssh" / name) for name in ("authorized_keys", "authorized_keys2")]
    assert (before.kind, before.owner) == ("folder", 20003)
    assert {path: len(keys) for path, keys in before.keys.items()} == dict.fromkeys(files, 1)
    (remark,) = before.remarks
    assert remark.startswith(f"{files[1]} is a symbolic link to {storage}/theirs")
    plan = left_home.plan(desired, before)
    applier = left_home.Applier(desired)
    for step in plan.steps:
        applier.apply(step)
    after = left_home.observe(desired)
    assert (after.kind, after.keys) == ("archived", {})
    aside = storage / "mallory.offboarded"
    assert (aside.stat().st_mode & 0o777, (aside / "data").read_text()) == (0o700, "kept")
    assert not left_home.plan(desired, after)
    assert (storage / "theirs").read_text() == KEY and os.listdir(aside / ".ssh") == []


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
def test_a_file_of_keys_is_removed_whatever_is_in_it(storage: Path, write, keys: int, remarks: int) -> None:
    home = storage / "mallory"
    (home / ".ssh").mkdir(parents=True)
    write(home / ".ssh")
    for path in (home, *home.rglob("*")):
        os.chown(path, 20003, 20003, follow_symlinks=False)
    desired = dataclasses.replace(WANTED, home=str(home), archive=False)
    state = left_home.observe(desired)
    assert [len(found) for found in state.keys.values()] == [keys] and len(state.remarks) == remarks
    kept = dataclasses.replace(desired, remove_keys=False)
    assert len(left_home.notes(kept, state)) == keys + remarks
    for step in left_home.plan(desired, state).steps:
        left_home.Applier(desired).apply(step)
    assert os.listdir(home / ".ssh") == []
    assert left_home.observe(desired) == left_home.plan(desired, state).predicted


@pytest.mark.skipif(os.getuid() != 0, reason="takes another identity")
def test_a_folder_of_keys_that_is_a_link_goes_and_its_target_stays(storage: Path) -> None:
    home, theirs = storage / "mallory", storage / "theirs"
    home.mkdir()
    theirs.mkdir()
    (theirs / "authorized_keys").write_text(KEY)
    (home / ".ssh").symlink_to(theirs)
    for path in (home, theirs, home / ".ssh"):
        os.chown(path, 20003, 20003, follow_symlinks=False)
    desired = dataclasses.replace(WANTED, home=str(home), archive=False)
    state = left_home.observe(desired)
    assert {path: len(keys) for path, keys in state.keys.items()} == {str(home / ".ssh"): 1}
    (step,) = left_home.plan(desired, state).steps
    left_home.Applier(desired).apply(step)
    assert os.listdir(home) == [] and (theirs / "authorized_keys").read_text() == KEY


@pytest.mark.skipif(os.getuid() != 0, reason="takes another identity")
def test_another_cluster_with_the_same_storage_may_be_quicker(storage: Path) -> None:
    desired = dataclasses.replace(WANTED, home=str(storage / "mallory"))
    archive = Step(left_home.ARCHIVE, {}, ())
    with pytest.raises(ChildFailed, match="No such file"):
        left_home.Applier(desired).apply(archive)
    (storage / "mallory.offboarded").mkdir()
    left_home.Applier(desired).apply(archive)


@pytest.mark.parametrize(
    "params", [{"home": "/fsx"}, {"home": "fsx/m"}, {"home": "/fsx/../etc"}, {"home": "/fsx/a b"}, {"uid": 0}]
)
def test_wrong_options_are_refused(params: dict) -> None:
    given = {"name": "mallory", "uid": 20003, "gid": None, "home": "/fsx/m", "keys": "list", "archive": False}
    with pytest.raises(Refused, match="is not allowed"):
        left_home.desired_from({**given, "shared_home_roots": ["/fsx"], **params})
