# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node with simulated tools, and a stand-in for Slurm's commands that records updates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.options import SPEC
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program.here import Here
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.options import Places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
from lab.accelerators import present
from lab.accelerators.story import Story


class Node:
    """A node whose name in Slurm is ``n1``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.slurm = folder / "slurm"
        self.others = ["n0|gpu|idle|none"]
        for name in ("slurm", "run", "plain"):
            (folder / name).mkdir()
        for name in ("cat", "sleep"):
            (folder / "plain" / name).symlink_to(f"/bin/{name}")
        self.set_state("idle", "none")
        self.set_command("sinfo", f"cat {self.slurm}/nodes")
        self.set_command("scontrol", f'echo "$*" >>{self.slurm}/updates')

    def set_state(self, state: str, reason: str) -> None:
        """Set the state of n1 in Slurm. All nodes are in one partition."""
        (self.slurm / "nodes").write_text("\n".join([*self.others, f"n1|gpu|{state}|{reason}", ""]))

    def set_command(self, command: str, script: str) -> None:
        (self.slurm / command).write_text(f"#!/bin/sh\n{script}\n")
        (self.slurm / command).chmod(0o755)

    def updates(self) -> list[str]:
        """Arguments of the calls of scontrol since the last call of this method."""
        path = self.slurm / "updates"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def here(self, story: Story, **options: object) -> Here:
        """Write the files of a story. Returns the places that the programs read."""
        root = self.folder / f"root-{len(list(self.folder.glob('root-*')))}"
        present.present(story, root)
        settings = {**dict.fromkeys(SPEC), "instance_type": story.instance_type, "instance_id": "", **options}
        (self.folder / "slurm-health.json").write_text(json.dumps(settings))
        return Here(
            str(self.folder),
            Places(str(root), str(root / "sys"), str(root / "proc")),
            run=str(self.folder / "run"),
            hung=str(self.folder / "hung"),
            paths=f"{root / 'bin'}:{self.folder / 'plain'}",
        )


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    made = Node(tmp_path)
    monkeypatch.setattr(system, "SEARCH_PATH", f"{made.slurm}:/usr/bin:/bin")
    monkeypatch.setenv("SLURMD_NODENAME", "n1")
    return made
