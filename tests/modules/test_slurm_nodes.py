# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""slurm_nodes on a node without Slurm, and with fake programs; tests/integration/test_replace_nodes.py has a real Slurm."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest
from simulated.bare_node import BareNode, answer
from simulated.shape import changes_once

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


def test_without_slurm_the_module_fails_with_a_message(node):
    result = node.run("slurm_nodes", state="drained", addresses=["10.0.0.1"], reason="disk")
    assert result["failed"] and result["msg"] == "sinfo is not installed on this node." and node.changes() == []


def test_state_asked_requires_asks_for(node):
    result = node.run("slurm_nodes", state="asked", addresses=["10.0.0.1"])
    assert result["failed"] and result["msg"] == "asks_for: missing; state=asked requires it." and node.changes() == []


PROGRAMS = {
    "sinfo": "cat {nodes}",
    "squeue": "cat {jobs}",
    "scontrol": """echo "$*" >>{commands}
for each in "$@"; do case $each in state=*) state=${{each#state=}} ;; reason=*) reason=${{each#reason=}} ;; esac; done
sed -i "s/|idle|none$/|$state|$reason/; s/|drained|.*/|drained|$reason/" {nodes}""",
}
OURS = "mlfleet.hyperpod: repair: unfit"


class Slurm(BareNode):
    """A node with fake Slurm programs that print the contents of files."""

    def __init__(self, folder: Path, *nodes: str, jobs: str = "") -> None:
        super().__init__(folder)
        self.commands = folder / "commands"
        texts = {"nodes": "".join(f"{each}\n" for each in nodes), "jobs": jobs}
        for name, text in texts.items():
            (folder / name).write_text(text)
        for name, text in PROGRAMS.items():
            (folder / name).write_text("#!/bin/sh\n" + text.format(nodes=folder / "nodes", jobs=folder / "jobs", commands=self.commands) + "\n")
            (folder / name).chmod(0o755)

    def run(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        self._before = self.files()
        utils = "ansible_collections.mlfleet.hyperpod.plugins.module_utils._node"
        path = f"from {utils} import system\nsystem.SEARCH_PATH = '{self.folder}:' + system.SEARCH_PATH"
        return answer(self.etc, module, {**options, "_ansible_check_mode": check}, first=path)


WANTED: dict[str, t.Any] = {"state": "asked", "asks_for": "replace", "addresses": ["10.0.0.1", "10.0.0.2"], "reason": "repair: "}


def test_a_repair_is_requested_once_with_the_reason_that_hyperpod_expects(tmp_path):
    slurm = Slurm(tmp_path, "a|10.0.0.1|idle|none", f"b|10.0.0.2|drained|{OURS}", "c|10.0.0.3|idle|none")
    done = changes_once(slurm, "slurm_nodes", **WANTED)
    assert slurm.commands.read_text() == "update nodename=a,b state=fail reason=Action:Replace\n"
    assert [each["after"] for each in done["changes"]] == ["Action:Replace"] * 2
    assert [(each["name"], each["reason"], each["ours"]) for each in done["slurm_nodes"]["nodes"]] == [
        ("a", "Action:Replace", False),
        ("b", "Action:Replace", False),
    ]


@pytest.mark.parametrize(
    ("reason", "jobs", "message"),
    [("cooling", "", "which this collection did not set"), (OURS, "7|alice|RUNNING|b\n", "There are jobs on the nodes")],
)
def test_no_repair_is_requested_for_nodes_in_use(tmp_path, reason, jobs, message):
    slurm = Slurm(tmp_path, "a|10.0.0.1|idle|none", f"b|10.0.0.2|drained|{reason}", jobs=jobs)
    refused = slurm.run("slurm_nodes", **WANTED)
    assert refused["failed"] and message in refused["msg"] and not slurm.commands.exists(), refused
    assert bool(slurm.run("slurm_nodes", check=True, **WANTED).get("failed")) == (not jobs)


def test_bad_input_fails_with_a_message(node):
    result = node.run("slurm_nodes", state="drained", addresses=["10.0.0.1"])
    assert result["failed"] and "reason: missing" in result["msg"] and "exception" not in result, result
