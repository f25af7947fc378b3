# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""accounts on a bare node: account files and homes."""

from __future__ import annotations

import os
import typing as t

import pytest
from simulated.bare_node import BareNode
from simulated.shape import one_shape

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root has account files, and mounts")

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG0cI9hSJ1nDQe5cYEtbPpbHiYCMbVBhI8nK8pCFLbbH alice@laptop"


def declared(node: BareNode, *users: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    return {"users": list(users), "shared_home_roots": [str(node.homes)], "create_homes": True, **more}


@pytest.fixture
def present(node: BareNode) -> dict[str, t.Any]:
    key = {"authorized_keys": [{"key": KEY}]}
    alice = {"name": "alice", "uid": 5001, "home": str(node.homes / "alice"), "groups": ["research"], **key}
    return declared(node, alice, groups=[{"name": "research", "gid": 7000}])


def test_a_person_is_added_kept_and_removed(node, present):
    removed = declared(node, {"name": "alice", "state": "absent"})
    made, left = one_shape(node, "accounts", present=present, absent=removed)
    (user,), (former,) = made["accounts"]["users"], left["accounts"]["users"]
    home = node.homes / "alice"
    assert (user["name"], user["state"], user["groups"], user["home"]) == ("alice", "present", ["research"], str(home))
    assert former["state"] in ("absent", "locked") and home.is_dir()


def test_sshd_and_login_find_the_account(node, present):
    assert node.run("accounts", **present)["changed"]
    home = str(node.homes / "alice")
    assert node.line("passwd", "alice") == f"alice:x:5001:5001::{home}:/bin/bash"
    assert node.line("shadow", "alice").startswith("alice:*:") and node.line("gshadow", "alice") == "alice:!::"
    assert (node.line("group", "alice"), node.line("group", "research")) == ("alice:x:5001:", "research:x:7000:alice")
    assert (os.stat(home).st_uid, os.stat(home).st_gid, os.stat(home).st_mode & 0o7777) == (5001, 5001, 0o750)
    assert (node.etc / "ssh/authorized_keys.d/alice").read_text().split("\n")[-2] == KEY
