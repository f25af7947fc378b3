# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slurm's configuration is written, and restored if slurmctld does not use it."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks import apply as applied
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.model import SCRIPT, Conf, Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.plan import CONFIGURE, WRITE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system

OLD = "ClusterName=ml\n"
SCONTROL = """\
#!/bin/sh
echo "$*" >>{calls}
case "$1" in
show) cat {running} ;;
reconfigure) {reconfigure} ;;
esac
"""


class Node:
    """A slurm.conf, and a stand-in for scontrol that prints files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.conf, self.script = folder / "slurm.conf", folder / SCRIPT
        self.calls, self.running = folder / "calls", folder / "running"
        self.conf.write_text(OLD)
        self.running.write_text("")
        self.desired = Desired(str(folder / "ours"), True, True, 240, True, "{}", b"program")
        self.on_reconfigure(f"cp {self.conf} {self.running}")

    def on_reconfigure(self, command: str) -> None:
        text = SCONTROL.format(calls=self.calls, running=self.running, reconfigure=command)
        (self.folder / "scontrol").write_text(text)
        (self.folder / "scontrol").chmod(0o755)

    def configure(self, desired: Desired) -> None:
        lines = "".join(f"{each.replace('=', ' = ')}\n" for each in desired.lines)
        conf = Conf(str(self.conf), self.conf.read_text(), 0o640, os.getuid(), os.getgid(), self.script_text())
        applied.apply(Step(CONFIGURE, {"desired": desired, "conf": conf, "text": OLD + lines}, ()))

    def script_text(self) -> str:
        return self.script.read_text() if self.script.exists() else ""

    def reconfigurations(self) -> int:
        return self.calls.read_text().splitlines().count("reconfigure")


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.setattr(system, "SEARCH_PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(applied, "_POLL_SECONDS", 0.01)
    monkeypatch.setattr(applied, "_SETTLES_SECONDS", 0.05)
    return Node(tmp_path)


def test_files_have_their_modes_and_unwanted_files_are_removed(node: Node) -> None:
    folder = node.folder / "a/b"
    (node.folder / "old").write_text("x")
    wanted = {str(folder / "program"): b"#!/bin/sh\n", str(folder / "settings"): b"{}", str(node.folder / "old"): None}
    applied.apply(Step(WRITE, {"files": wanted}, ()))
    assert [(each.name, each.stat().st_mode & 0o777, each.read_bytes()) for each in sorted(folder.iterdir())] == [
        ("program", 0o755, b"#!/bin/sh\n"),
        ("settings", 0o600, b"{}"),
    ]
    assert not (node.folder / "old").exists() and folder.stat().st_mode & 0o777 == 0o755


def test_a_configuration_that_slurm_uses_stays(node: Node) -> None:
    node.configure(node.desired)
    assert node.conf.read_text().startswith(OLD) and SCRIPT in node.conf.read_text()
    assert (node.conf.stat().st_mode & 0o777, node.script.stat().st_mode & 0o777) == (0o640, 0o755)
    assert node.script_text() == node.desired.script and node.reconfigurations() == 1
    node.configure(dataclasses.replace(node.desired, health_check=False, prolog=False))
    assert node.conf.read_text() == OLD and not node.script.exists()


FAILURES: dict[str, tuple[str, str]] = {
    "slurmctld keeps its settings": ("true", "slurmctld still uses different settings after 0 s."),
    "slurmctld refuses": ("echo invalid >&2; exit 1", "invalid"),
}


@pytest.mark.parametrize("script", ["", "#!/bin/sh\n# an earlier one\n"])
@pytest.mark.parametrize(("command", "words"), FAILURES.values(), ids=FAILURES)
def test_a_configuration_that_slurm_does_not_use_is_restored(node: Node, command: str, words: str, script: str) -> None:
    node.on_reconfigure(command)
    if script:
        node.script.write_text(script)
    with pytest.raises(Failure, match="^Slurm did not apply the new lines in .*slurm.conf, so the file was restored.") as failed:
        node.configure(node.desired)
    assert words in str(failed.value) and node.conf.read_text() == OLD and node.reconfigurations() == 2
    assert not script or node.script_text() == script


def test_a_configuration_that_is_unreadable_for_a_moment_is_retried(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applied, "_SETTLES_SECONDS", 60.0)
    node.on_reconfigure(f"cp {node.conf} {node.running}.new; (sleep 0.01; mv {node.running}.new {node.running}) & rm {node.running}")
    node.configure(node.desired)
    assert node.reconfigurations() == 1
