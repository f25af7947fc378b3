# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module accounts as a whole, on an /etc of its own: account files, homes and what it answers."""

from __future__ import annotations

import os
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
from simulated.bare_node import answer

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root has account files, and mounts")

ETC = {
    "passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "group": "root:x:0:\nnogroup:x:65534:\n",
    "shadow": "root:*:19000:0:99999:7:::\nnobody:*:19000:0:99999:7:::\n",
    "gshadow": "root:*::\nnogroup:*::\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\n",
}
NO_WAIT_TAKES_LONG = """import itertools, types
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import lock
seconds = itertools.count()
lock.time = types.SimpleNamespace(monotonic=lambda: next(seconds), sleep=lambda _seconds: None)
"""
HOLD = "import fcntl, sys\nfile = open(sys.argv[1], 'w')\nfcntl.lockf(file, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()\n"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG0cI9hSJ1nDQe5cYEtbPpbHiYCMbVBhI8nK8pCFLbbH alice@laptop"


class Node:
    """Files of a node below a folder."""

    def __init__(self, folder: Path) -> None:
        self.etc, self.homes = folder / "etc", folder / "homes"
        for each in (folder, self.etc, self.homes):
            each.mkdir(exist_ok=True)
            each.chmod(0o755)
        for name, text in ETC.items():
            (self.etc / name).write_text(text)

    def line(self, file: str, name: str) -> str:
        lines = (self.etc / file).read_text().split("\n")
        return next((line for line in lines if line.startswith(f"{name}:")), "")

    def alice(self, **more: t.Any) -> dict[str, t.Any]:
        return {"name": "alice", "uid": 5001, "home": str(self.homes / "alice"), "authorized_keys": [{"key": KEY}], **more}

    def run(self, *users: dict[str, t.Any], check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        """What the module answers; with the homes made here."""
        known = {"shared_home_roots": [str(self.homes)], "create_homes": True, "_ansible_check_mode": check}
        return answer(self.etc, "accounts", {"users": list(users), **known, **options}, first=NO_WAIT_TAKES_LONG)

    def files(self) -> dict[str, str]:
        return {name: (self.etc / name).read_text() for name in ETC}


@pytest.fixture
def node(tmp_path_factory: pytest.TempPathFactory) -> Node:
    folder = tmp_path_factory.mktemp("node")
    for above in [folder, *folder.parents]:
        if str(above).startswith("/tmp/"):
            above.chmod(0o755)  # people get to their homes
    return Node(folder)


def test_a_person_comes_stays_and_leaves(node):
    before = node.files()
    foreseen = node.run(node.alice(groups=["research"]), groups=[{"name": "research", "gid": 7000}], check=True)
    assert foreseen["changed"] and node.files() == before and not (node.homes / "alice").exists()
    made = node.run(node.alice(groups=["research"]), groups=[{"name": "research", "gid": 7000}])
    assert (made["changes"], made["accounts"]) == (foreseen["changes"], foreseen["accounts"])
    home = str(node.homes / "alice")
    assert node.line("passwd", "alice") == f"alice:x:5001:5001::{home}:/bin/bash"
    assert node.line("shadow", "alice").startswith("alice:*:") and node.line("gshadow", "alice") == "alice:!::"
    assert (node.line("group", "alice"), node.line("group", "research")) == ("alice:x:5001:", "research:x:7000:alice")
    assert (os.stat(home).st_uid, os.stat(home).st_gid, os.stat(home).st_mode & 0o7777) == (5001, 5001, 0o750)
    assert (node.etc / "ssh/authorized_keys.d/alice").read_text().split("\n")[-2] == KEY
    (user,) = made["accounts"]["users"]
    assert (user["name"], user["state"], user["groups"], user["home"]) == ("alice", "present", ["research"], home)
    assert not node.run(node.alice(groups=["research"]), groups=[{"name": "research", "gid": 7000}])["changed"]
    gone = node.run({"name": "alice", "state": "absent"})
    assert gone["accounts"]["users"][0]["state"] in ("absent", "locked") and os.path.isdir(home)
    assert not node.run({"name": "alice", "state": "absent"})["changed"]


def test_somebody_else_at_the_account_files_is_told_in_a_sentence(node):
    before = node.files()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(node.etc / ".pwd.lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout.readline() == "held\n"
        refused = node.run(node.alice())
    finally:
        holder.communicate("")
    assert refused["failed"] and "/etc/.pwd.lock is held by another process" in refused["msg"]
    assert refused["hyperpod_failure"]["text"] == refused["msg"] and node.files() == before
    assert node.run(node.alice())["changed"]


def test_all_that_is_wrong_with_a_declaration_is_told_at_once(node):
    before = node.files()
    refused = node.run(node.alice(uid=0), {"name": "bob", "uid": 5001, "shell": "bash"}, node.alice())
    assert refused["failed"] and len(refused["problems"]) > 1 and refused["hyperpod_failure"]["code"] == "option-refused"
    assert node.files() == before
