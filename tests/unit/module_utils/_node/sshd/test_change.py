# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of sshd's files, their immediate rollback if sshd refuses them, and the unit that serves sshd."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import hold as gate_hold, watch as gate_watch
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import (
    change as sshd_change,
    rollback as rollback_units,
    service as sshd_service,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.model import (
    CONFIRMED,
    PENDING,
    UNKNOWN,
    ChangeStatus,
    FileWrite,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import CommandFailed

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="files of sshd belong to root")


def change(node: Path, text: str) -> ChangeStatus:
    files = [FileWrite(str(node / "etc/changed"), text.encode()), FileWrite(str(node / "etc/added"), b"more\n")]
    return sshd_change.apply(files, subject="a test", confirm_timeout=60)


@as_root
def test_a_change_that_sshd_accepts_waits_for_its_confirmation(node):
    """Meanwhile, the watcher of the gate is on hold."""
    gate_hold.end()
    status = change(node, "new\n")
    assert 900 < float(Path(gate_watch.HOLD).read_text()) - time.monotonic() < 960
    assert status.status == PENDING and (node / "etc/changed").read_text() == "new\n"
    assert "reload ssh.service" in (node / "calls").read_text().split("\n")
    assert sshd_change.unconfirmed().startswith("a test (")


@as_root
@pytest.mark.parametrize("text, fails", [("wrong\n", "sshd does not accept the configuration"), ("new\n", "reload ssh.service failed")])
def test_a_change_that_sshd_refuses_is_undone_at_once(node, text, fails):
    (node / "reload-fails").touch()
    with pytest.raises(CommandFailed, match=fails):
        change(node, text)
    assert {path.name: path.read_text() for path in (node / "etc").iterdir()} == {"changed": "old\n"}
    assert sshd_change.unconfirmed() == ""
    assert f"disable --now {rollback_units.TIMER}" in (node / "calls").read_text().split("\n")
    assert not Path(gate_watch.HOLD).exists(), "the watcher continues at once"


@as_root
@pytest.mark.parametrize("text", ["lies\n", "[]"])
def test_a_damaged_record_of_the_last_change_does_not_block_the_next(node, text):
    Path(rollback_units.OUTCOME).parent.mkdir(parents=True, exist_ok=True)
    Path(rollback_units.OUTCOME).write_text(text)
    status = change(node, "new\n")
    assert sshd_change.look("another").status == UNKNOWN
    assert sshd_change.confirm(status.token, same_login_counts=True).status == CONFIRMED
    assert sshd_change.look(status.token).status == CONFIRMED


@as_root
def test_a_damaged_record_of_a_pending_change_is_an_error(node):
    change(node, "new\n")
    Path(rollback_units.PENDING, "manifest.json").write_text("lies\n")
    with pytest.raises(CommandFailed, match="manifest.json is damaged, so it is unknown which files of sshd an earlier run changed"):
        sshd_change.unconfirmed()


@as_root
def test_other_entries_than_files_are_refused_before_any_change(node):
    (node / "etc/added").symlink_to("/nowhere")
    with pytest.raises(Refused, match="is not a regular file"):
        change(node, "new\n")
    assert (node / "etc/changed").read_text() == "old\n" and not (node / "rollback").exists()


@pytest.mark.parametrize(
    "active, unit",
    [
        (["ssh.service"], "ssh.service"),
        (["sshd.service"], "sshd.service"),
        (["ssh.socket", "ssh.service"], "ssh.service"),
        (["ssh.socket"], ""),
        (["sshd.socket"], ""),
    ],
)
def test_the_active_unit_serves_sshd(node, active, unit):
    (node / "active").write_text("".join(f"{each}\n" for each in active))
    assert sshd_service.serving_unit() == unit


def test_a_node_without_a_unit_of_sshd_is_refused(node):
    (node / "active").write_text("ssh-agent.service\n")
    with pytest.raises(Refused, match="None of ssh.service, sshd.service, ssh.socket, sshd.socket is active"):
        sshd_service.serving_unit()
