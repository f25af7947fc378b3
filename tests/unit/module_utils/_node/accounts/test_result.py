# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of the module accounts if it fails."""

from __future__ import annotations

import os
import subprocess
import sys
import typing as t

import pytest
from simulated.bare_node import BareNode

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can edit account files and mount")

HOLD = "import fcntl, sys\nfile = open(sys.argv[1], 'w')\nfcntl.lockf(file, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()\n"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG0cI9hSJ1nDQe5cYEtbPpbHiYCMbVBhI8nK8pCFLbbH alice@laptop"


@pytest.fixture
def node(tmp_path_factory: pytest.TempPathFactory) -> BareNode:
    return BareNode(tmp_path_factory.mktemp("node"))


def alice(node: BareNode, **more: t.Any) -> dict[str, t.Any]:
    return {"name": "alice", "uid": 5001, "home": str(node.homes / "alice"), "authorized_keys": [{"key": KEY}], **more}


def run(node: BareNode, *users: dict[str, t.Any]) -> dict[str, t.Any]:
    """The result of the module, which also creates homes."""
    return node.run("accounts", users=list(users), shared_home_roots=[str(node.homes)], create_homes=True)


def test_account_files_locked_by_another_process_are_a_failure(node):
    before = node.files()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(node.etc / ".pwd.lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout.readline() == "held\n"
        refused = run(node, alice(node))
    finally:
        holder.communicate("")
    assert refused["failed"] and "Another process has held the lock of the account files, /etc/.pwd.lock," in refused["msg"]
    assert refused["hyperpod_failure"]["code"] == "module-failed" and node.files() == before
    assert run(node, alice(node))["changed"]


def test_all_problems_of_a_declaration_are_reported_together(node):
    before = node.files()
    refused = run(node, alice(node, uid=0), {"name": "bob", "uid": 5001, "shell": "bash"}, alice(node))
    assert refused["failed"] and len(refused["problems"]) > 1 and refused["hyperpod_failure"]["code"] == "option-refused"
    assert node.files() == before
