# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The script of the rollback timer, with a stand-in for systemctl."""

from __future__ import annotations

import subprocess

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import rollback as rollback_units


@pytest.fixture
def node(tmp_path):
    tools, folder, etc = tmp_path / "bin", tmp_path / "rollback", tmp_path / "etc"
    for each in (tools, folder, etc):
        each.mkdir()
    (tools / "systemctl").write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/calls\n[ ! -e {tmp_path}/broken ]\n')
    (tools / "systemctl").chmod(0o755)
    text = rollback_units.RESTORE.replace(rollback_units.FOLDER, str(folder)).replace("PATH=", f"PATH={tools}:")
    (folder / "restore").write_text(text)
    return tmp_path


def pending(node, name="pending"):
    (node / "etc" / "changed").write_text("new")
    (node / "etc" / "added").write_text("new")
    (node / "etc" / ".changed.mlfleet-new").write_text("half written")
    saved = node / "rollback" / name
    saved.mkdir()
    (saved / "0").write_text("old")
    (saved / "0").chmod(0o600)
    (saved / "files").write_text(f"0 {node}/etc/changed\n- {node}/etc/added\n")
    (saved / "unit").write_text("ssh.service")
    (saved / "outcome.json").write_text("{}")


def restore(node):
    return subprocess.run(["sh", node / "rollback" / "restore"], capture_output=True, text=True, check=False).returncode


@pytest.mark.parametrize("name", ["pending", "rolling"])
def test_all_files_are_restored(node, name):
    pending(node, name)
    assert restore(node) == 0
    assert [path.name for path in (node / "etc").iterdir()] == ["changed"]
    assert (node / "etc" / "changed").read_text() == "old"
    assert (node / "etc" / "changed").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in (node / "rollback").iterdir()) == ["outcome.json", "restore"]
    calls = (node / "calls").read_text()
    assert "reload-or-restart ssh.service" in calls
    assert f"disable --now {rollback_units.TIMER}" in calls


def test_without_a_pending_change_only_the_timer_is_disabled(node):
    assert restore(node) == 0
    assert (node / "calls").read_text() == f"disable --now {rollback_units.TIMER}\n"


def test_a_failure_keeps_the_saved_files(node):
    pending(node)
    (node / "broken").touch()
    assert restore(node) == 1
    assert (node / "etc" / "changed").read_text() == "old"
    assert (node / "rollback" / "rolling" / "0").exists()
    (node / "broken").unlink()
    assert restore(node) == 0
