# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key, home and sudo rule of the operations account are restored. An open connection does not show that they are missing."""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile
import typing as t
from pathlib import Path

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Postponed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import (
    apply as accounts_apply,
    operations,
    operations_access,
    options,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import Account, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.observe import _folder, _names
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import node_script
from ansible_collections.mlfleet.hyperpod.plugins.modules.accounts import SPEC

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="takes another identity")
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG"
NAME, UID = "hyperpod-ops", 998
OURS, OF_OTHERS = f"{KEY} {operations.MARK}\n", f"{KEY} bastion\n"
MALLORY = 20009
PLANTED = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEVWRVZFVkVWRVZFVkVWRVZFVkVWRVZFVkVWRVZFVkVW mallory"
NOT_KEPT = "lines that other accounts could have written are not kept"
RULE = f"{NAME} ALL=(ALL:ALL) NOPASSWD: ALL\n"


class Node:
    """The files of first access, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keys, self.sudoers, self.home = folder / "keys", folder / "sudoers.d", folder / "lib" / NAME
        for each in (self.keys, self.sudoers, self.home / ".ssh"):
            each.mkdir(parents=True)
        (self.keys / NAME).write_text(OURS)
        (self.sudoers / NAME).write_text(RULE)
        (self.sudoers / NAME).chmod(0o440)
        self.own.write_text(OURS)
        self.own.chmod(0o600)
        self.home.chmod(0o750)
        self.own.parent.chmod(0o700)
        for path in (self.home, *self.home.rglob("*")):
            os.chown(path, UID, UID)
        self.account = Account(NAME, UID, UID, "", str(self.home), "/bin/bash", "none")

    @property
    def own(self) -> Path:
        return self.home / ".ssh" / "authorized_keys"

    def desired(self, **more: t.Any) -> Desired:
        params = {"authorized_keys_dir": str(self.keys), "operations_key": f"{KEY} me@laptop", "connecting_user": NAME, **more}
        checked = ArgumentSpecValidator(SPEC).validate(params)
        assert not checked.error_messages
        return options.desired(checked.validated_parameters)

    def state(self, desired: Desired) -> State:
        users = {NAME: self.account}
        folder = str(self.keys)
        state = State(now=1_800_000_000, users=users, groups={}, authorized_keys_dir=_folder(folder), key_files=_names(folder))
        return dataclasses.replace(state, operations=operations_access.look(desired, users))

    def restore(self) -> list[tuple[str, str]]:
        """Execute the plan and return its changes. The next plan and the predicted one must be empty."""
        desired = self.desired()
        before = self.state(desired)
        made, applier = plan(desired, before), accounts_apply.Applier(str(self.folder))
        for step in made.steps:
            applier(step)
        assert applier.pending == []
        assert not plan(desired, self.state(desired)) and not plan(desired, made.after(before))
        return [(change.action, change.resource) for change in made.changes]

    def plant(self, path: Path, owner: int = MALLORY, mode: int = 0o644) -> None:
        path.unlink(missing_ok=True)
        path.write_text(f"{PLANTED}\n{OURS}")
        path.chmod(mode)
        os.chown(path, owner, owner)

    def files(self) -> dict[str, tuple[t.Any, ...]]:
        found = {}
        for path in sorted((*self.keys.parent.glob("*"), *self.keys.rglob("*"), *self.sudoers.rglob("*"), self.home, *self.home.rglob("*"))):
            status = path.lstat()
            found[str(path)] = (status.st_uid, status.st_gid, oct(status.st_mode), path.read_text() if path.is_file() else "")
        return found


OTHER_ENTRIES: dict[str, t.Callable[[Path], object]] = {
    "a link": lambda path: path.symlink_to("/dev/null"),
    "a link to a file of others": lambda path: path.symlink_to("/etc/shadow"),
    "an empty folder": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
}
FOLDER_OPEN: dict[str, t.Callable[[Node], object]] = {
    "for all": lambda node: node.keys.chmod(0o777),
    "for a group": lambda node: node.keys.chmod(0o775),
    "for its owner": lambda node: os.chown(node.keys, MALLORY, MALLORY),
}
PLANTED_KEYS: dict[str, t.Callable[[Node], object]] = {
    **{f"a folder open {whom}": lambda node, opened=opened: (opened(node), node.plant(node.keys / NAME)) for whom, opened in FOLDER_OPEN.items()},
    "a file of root moved in an open folder": lambda node: (node.keys.chmod(0o777), node.plant(node.keys / NAME, owner=0)),
    "a file of others": lambda node: node.plant(node.keys / NAME),
    "a file that all may write": lambda node: node.plant(node.keys / NAME, owner=0, mode=0o646),
    "a file that a group may write": lambda node: node.plant(node.keys / NAME, owner=0, mode=0o664),
    "the home's folder open": lambda node: (node.own.parent.chmod(0o777), node.plant(node.own)),
    "a file moved in the home's open folder": lambda node: (node.own.parent.chmod(0o777), node.plant(node.own, owner=UID)),
    "a file of others in the home": lambda node: node.plant(node.own),
    "a file in the home that all may write": lambda node: node.plant(node.own, owner=UID, mode=0o666),
    "the home open": lambda node: (node.home.chmod(0o777), node.plant(node.own, owner=UID)),
    "the home's folder of others": lambda node: (os.chown(node.own.parent, MALLORY, 0), node.own.parent.chmod(0o755), node.plant(node.own)),
}


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> t.Iterator[Node]:
    """A node in a folder that other accounts can read, unlike those of pytest."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    monkeypatch.setattr(operations_access, "SUDOERS_FOLDER", str(folder / "sudoers.d"))
    yield Node(folder)
    shutil.rmtree(folder)


KEY_CHANGE, HOME_CHANGE, RULE_CHANGE = f"operations key of {NAME}", f"home of {NAME}", f"sudo rule of {NAME}"
DAMAGES: dict[str, tuple[t.Callable[[Node], object], list[tuple[str, str]]]] = {
    "the folder of keys": (lambda node: shutil.rmtree(node.keys), [("create", "folder {keys}"), ("create", KEY_CHANGE)]),
    "the key": (lambda node: (node.keys / NAME).unlink(), [("create", KEY_CHANGE)]),
    "another key": (lambda node: (node.keys / NAME).write_text(f"ssh-rsa AAAA {operations.MARK}\n"), [("update", KEY_CHANGE)]),
    "an owner that sshd refuses": (lambda node: os.chown(node.keys / NAME, UID + 1, 0), [("update", KEY_CHANGE)]),
    "a mode that sshd refuses": (lambda node: (node.keys / NAME).chmod(0o666), [("update", KEY_CHANGE)]),
    "the key in the home": (lambda node: node.own.unlink(), [("create", KEY_CHANGE)]),
    "another key in the home": (lambda node: node.own.write_text(""), [("update", KEY_CHANGE)]),
    "the folder of keys in the home": (lambda node: shutil.rmtree(node.own.parent), [("create", KEY_CHANGE)]),
    "the home": (lambda node: shutil.rmtree(node.home), [("create", HOME_CHANGE), ("create", KEY_CHANGE)]),
    "a home of root": (lambda node: os.chown(node.home, 0, 0), [("update", HOME_CHANGE), ("create", KEY_CHANGE)]),
    "a folder of keys that others may write": (
        lambda node: node.keys.chmod(0o777),
        [("update", "folder {keys}"), ("update", KEY_CHANGE)],
    ),
    "a folder of keys in the home that others may write": (
        lambda node: node.own.parent.chmod(0o777),
        [("update", "folder {home}/.ssh"), ("update", KEY_CHANGE)],
    ),
    "a home that others may write": (lambda node: node.home.chmod(0o777), [("update", HOME_CHANGE), ("update", KEY_CHANGE)]),
    "the sudo rule": (lambda node: (node.sudoers / NAME).unlink(), [("create", RULE_CHANGE)]),
    "another sudo rule": (lambda node: (node.sudoers / NAME).write_text("nonsense"), [("update", RULE_CHANGE)]),
    "a rule that others may write": (lambda node: (node.sudoers / NAME).chmod(0o666), [("update", RULE_CHANGE)]),
}


def test_first_access_leaves_nothing_to_restore(node: Node) -> None:
    before = node.files()
    assert node.restore() == [] and node.files() == before


@pytest.mark.parametrize("what", DAMAGES)
def test_damaged_access_is_restored(node: Node, what: str) -> None:
    damage, changes = DAMAGES[what]
    before = node.files()
    damage(node)
    assert node.restore() == [(action, resource.format(keys=node.keys, home=node.home)) for action, resource in changes]
    assert {path: (uid, gid, mode, "" if path.startswith(str(node.own)) else text) for path, (uid, gid, mode, text) in node.files().items()} == {
        path: (uid, gid, mode, "" if path.startswith(str(node.own)) else text) for path, (uid, gid, mode, text) in before.items()
    }
    assert OURS in node.own.read_text()


@pytest.mark.parametrize("how", PLANTED_KEYS)
def test_a_key_written_by_others_is_not_kept(node: Node, how: str) -> None:
    PLANTED_KEYS[how](node)
    changes = plan(node.desired(), node.state(node.desired())).changes
    assert [each.before for each in changes if each.field == NOT_KEPT] == [[PLANTED]]
    node.restore()
    assert (node.keys / NAME).read_text() == node.own.read_text() == OURS
    assert [(path.stat().st_uid, path.stat().st_mode & 0o022) for path in (node.keys, node.keys / NAME)] == [(0, 0)] * 2
    assert [(path.stat().st_uid, path.stat().st_mode & 0o022) for path in (node.home, node.own.parent, node.own)] == [(UID, 0)] * 3


def test_a_link_to_a_folder_of_others_is_not_followed(node: Node) -> None:
    shutil.rmtree(node.own.parent)
    other = node.folder / "other"
    other.mkdir(0o777)
    other.chmod(0o777)
    node.own.parent.symlink_to(other)
    assert node.restore() == [("update", f"folder {node.home}/.ssh"), ("create", KEY_CHANGE)]
    assert not node.own.parent.is_symlink() and node.own.read_text() == OURS and not list(other.iterdir())


def test_files_of_others_in_the_home_are_set_aside(node: Node) -> None:
    for folder, name in ((node.home, ".bashrc"), (node.own.parent, "rc")):
        folder.chmod(0o777)
        (folder / name).write_text("id\n")
        os.chown(folder / name, MALLORY, MALLORY)
        (folder / "own").write_text("stays")
        os.chown(folder / "own", UID, UID)
    node.restore()
    assert not (node.home / ".bashrc").exists() and not (node.own.parent / "rc").exists()
    assert (node.home / "own").exists() and (node.own.parent / "own").exists()
    assert [path.read_text() for path in (*node.home.glob(".bashrc.set-aside-*"), *node.own.parent.glob(".rc.set-aside-*"))] == ["id\n"] * 2


def test_keys_moved_by_others_in_an_open_folder_are_set_aside(node: Node) -> None:
    """Any user could rename a file that root wrote for that user to another account."""
    node.plant(node.keys / "root", owner=0)
    assert node.restore() == [] and (node.keys / "root").exists()
    node.keys.chmod(0o777)
    assert node.restore() == [("update", f"folder {node.keys}"), ("delete", f"keys in {node.keys}"), ("update", KEY_CHANGE)]
    assert [path.name for path in node.keys.iterdir() if not path.name.startswith(".")] == [NAME]
    assert [path.read_text() for path in node.keys.glob(".root.set-aside-*")] == [f"{PLANTED}\n{OURS}"]


@pytest.mark.parametrize("what", OTHER_ENTRIES)
def test_other_entries_than_files_are_replaced(node: Node, what: str) -> None:
    shadow, before = Path("/etc/shadow").stat(), node.files()
    for path in (node.keys / NAME, node.sudoers / NAME):
        path.unlink()
        OTHER_ENTRIES[what](path)
    assert node.restore() == [("update", KEY_CHANGE), ("update", RULE_CHANGE)]
    assert node.files() == before and Path("/etc/shadow").stat() == shadow


def test_a_folder_with_files_is_pending_and_the_rest_is_restored(node: Node) -> None:
    for path in (node.keys / NAME, node.sudoers / NAME):
        path.unlink()
        (path / "file").mkdir(parents=True)
    node.own.unlink()
    made = plan(node.desired(), node.state(node.desired()))
    assert [(each.kind, each.code, each.subject) for each in made.notes] == [
        ("pending", "access-file-waits", str(path)) for path in (node.keys / NAME, node.sudoers / NAME)
    ]
    assert node.restore() == [("create", KEY_CHANGE)] and node.own.read_text() == OURS


def test_other_lines_stay(node: Node) -> None:
    (node.keys / NAME).write_text(OF_OTHERS)
    node.own.write_text(OF_OTHERS)
    assert node.restore() == [("update", KEY_CHANGE)] * 2
    assert (node.keys / NAME).read_text() == node.own.read_text() == OF_OTHERS + OURS


def test_an_account_without_login_rights_gets_them_back(node: Node) -> None:
    node.account = dataclasses.replace(node.account, shell="/usr/sbin/nologin", expires="1")
    made = plan(node.desired(), node.state(node.desired()))
    assert [(change.resource, change.field, change.after) for change in made.changes] == [
        (f"user {NAME}", "shell", "/bin/bash"),
        (f"user {NAME}", "expired", False),
    ]
    assert [(edit.file, dict(edit.values)) for edit in made.steps[0].arguments["edits"]] == [
        ("passwd", {"shell": "/bin/bash"}),
        ("shadow", {"expire": ""}),
    ]
    assert not plan(node.desired(), made.after(node.state(node.desired())))


def test_a_link_in_the_home_is_not_followed(node: Node) -> None:
    node.own.unlink()
    node.own.symlink_to("/etc/shadow")
    shadow = Path("/etc/shadow").read_text()
    assert node.restore() == [("update", KEY_CHANGE)]
    assert not node.own.is_symlink() and Path("/etc/shadow").read_text() == shadow


def test_a_home_in_a_folder_of_others_is_not_created(node: Node) -> None:
    shutil.rmtree(node.home)
    os.chown(node.home.parent, UID + 1, 0)
    desired, applier = node.desired(), accounts_apply.Applier(str(node.folder))
    for step in plan(desired, node.state(desired)).steps:
        try:
            applier(step)
        except Postponed:
            continue
    assert not node.home.exists()
    assert [each.code for each in applier.pending] == ["operations-key-waits"]
    assert f"root does not own {node.home.parent}" in applier.pending[0].text


@pytest.mark.parametrize("given", [{"operations_key": None}, {"operations_user": "no-such-user"}])
def test_without_a_key_or_an_account_nothing_is_restored(node: Node, given: dict[str, t.Any]) -> None:
    (node.keys / NAME).unlink()
    assert not plan(node.desired(**given), node.state(node.desired(**given)))


@pytest.mark.parametrize("line", ["ssh-ed25519 AAAA", "x", f"{KEY}\n{KEY}"])
def test_a_wrong_key_is_refused(node: Node, line: str) -> None:
    (problem,) = node.desired(operations_key=line).problems
    assert problem.startswith("operations_key: ") and "is not allowed" in problem


def test_rule_and_mark_equal_those_of_first_access() -> None:
    assert operations_access.rule("$ACCOUNT").strip() in node_script._SCRIPT
    assert operations.MARK == node_script.MARK
