# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key and the sudo rule of an earlier operations account are removed after a change of the account, and nothing else."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import tempfile
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Postponed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import apply as accounts_apply, operations
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import Account, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import node_script

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="takes another identity")
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG"
OURS, OF_OTHERS = f"{KEY} {operations.MARK}\n", f"{KEY} bastion\n"
RULE = "{name} ALL=(ALL:ALL) NOPASSWD: ALL\n"


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> t.Iterator[Path]:
    """A folder that other accounts can read, unlike those of pytest."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    for name in ("keys", "sudoers.d", "home"):
        (folder / name).mkdir()
    monkeypatch.setattr(operations, "SUDOERS_FOLDER", str(folder / "sudoers.d"))
    yield folder
    shutil.rmtree(folder)


def account(node: Path, name: str, *, managed: str, own: str = "", rule: str = "") -> Account:
    home = node / "home" / name
    (home / ".ssh").mkdir(parents=True)
    for path, text in ((node / "keys" / name, managed), (home / ".ssh" / "authorized_keys", own), (node / "sudoers.d" / name, rule)):
        if text:
            path.write_text(text)
    for path in (home, *home.rglob("*")):
        os.chown(path, 998, 998)
    return Account(name, 998, 998, "", str(home), "/bin/bash", "none")


def contents(node: Path) -> dict[str, str]:
    return {str(path.relative_to(node)): path.read_text() for path in sorted(node.rglob("*")) if path.is_file()}


def test_only_the_access_of_an_earlier_account_is_removed(node: Path) -> None:
    accounts = [
        account(node, "hyperpod-ops", managed=OURS, own=OURS, rule=RULE.format(name="hyperpod-ops")),
        account(node, "old-ops", managed=OURS, own=OURS + OF_OTHERS, rule=RULE.format(name="old-ops")),
        account(node, "shared", managed=OF_OTHERS + OURS, rule="shared ALL=(ALL) NOPASSWD: ALL\n"),
        account(node, "alice", managed=OF_OTHERS, own=OURS, rule=RULE.format(name="alice")),
    ]
    (node / "keys" / "stranger").write_text(OURS)  # no account
    before = contents(node)
    by_name = {each.name: each for each in accounts}
    state = State(now=0, users=by_name, groups={}, authorized_keys_dir=("folder", 0, 0o755))
    state = dataclasses.replace(
        state, earlier_operations=operations.look(str(node / "keys"), by_name, spare="hyperpod-ops")
    )
    desired = Desired((), (), str(node / "keys"), (), False, 0o750, "hyperpod-ops", "hyperpod-ops", False)
    made = plan(desired, state)
    assert [(change.action, change.resource) for change in made.changes] == [
        ("delete", "sudo rule of old-ops"),
        ("delete", "operations key of old-ops"),
        ("delete", "operations key of old-ops"),
        ("delete", "operations key of shared"),
    ]
    applier = accounts_apply.Applier(str(node))
    for step in made.steps:
        applier(step)
    after = dict(before)
    del after["keys/old-ops"], after["sudoers.d/old-ops"]
    after["home/old-ops/.ssh/authorized_keys"] = OF_OTHERS
    after["keys/shared"] = OF_OTHERS
    assert contents(node) == after
    assert (node / "home/old-ops/.ssh/authorized_keys").stat().st_uid == 998
    assert operations.look(str(node / "keys"), by_name, spare="hyperpod-ops") == made.after(state).earlier_operations == ()


@pytest.mark.parametrize(
    "opened",
    [lambda keys: keys.chmod(0o777), lambda keys: os.chown(keys / "shared", 20009, 0), lambda keys: os.chown(keys, 20009, 0)],
)
def test_keys_that_others_could_have_written_are_not_kept(node: Path, opened: t.Callable[[Path], object]) -> None:
    shared = account(node, "shared", managed=OF_OTHERS + OURS)
    opened(node / "keys")
    before, applier = operations.look(str(node / "keys"), {"shared": shared}, spare="hyperpod-ops"), accounts_apply.Applier()
    (step,) = operations.steps(before)
    applier(step)
    assert not (node / "keys/shared").exists()
    assert [(each.field, each.before) for each in step.changes] == [(None, "(our key)"), (operations.NOT_KEPT, [OF_OTHERS.strip()])]


def test_a_link_in_place_of_the_keys_is_not_followed(node: Path) -> None:
    old = account(node, "old-ops", managed=OURS)
    (node / "target").write_text(OURS)
    (node / "home/old-ops/.ssh/authorized_keys").symlink_to(node / "target")
    (found,) = operations.look(str(node / "keys"), {"old-ops": old}, spare="hyperpod-ops")
    assert (found.own, found.sudoers, found.managed) == (None, None, (f"{node}/keys/old-ops", ""))


def test_a_key_that_cannot_be_removed_is_pending_and_found_again(node: Path) -> None:
    old = account(node, "old-ops", managed=OURS, own=OURS + OF_OTHERS, rule=RULE.format(name="old-ops"))
    for path in (node / "home/old-ops/.ssh", node / "home/old-ops/.ssh/authorized_keys"):
        os.chown(path, 0, 0)
    before, applier = operations.look(str(node / "keys"), {"old-ops": old}, spare="hyperpod-ops"), accounts_apply.Applier()
    for step in operations.steps(before):
        with contextlib.suppress(Postponed):
            applier(step)
    assert [each.text for each in applier.pending] == [f"The operations key in {old.home}/.ssh/authorized_keys could not be changed: Permission denied."]
    (after,) = operations.look(str(node / "keys"), {"old-ops": old}, spare="hyperpod-ops")
    assert (after.sudoers, after.own) == (None, before[0].own)


def test_mark_and_rule_equal_those_of_first_access() -> None:
    assert operations.MARK == node_script.MARK
    assert RULE.format(name="$ACCOUNT").strip() in node_script._SCRIPT
