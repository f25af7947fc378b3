# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""offboarded_home on a bare node: keys are removed, and the home is moved."""

from __future__ import annotations

import os

import pytest
from simulated.shape import changes_once, reads

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG m@laptop"


@pytest.fixture
def home(node):
    """Home of a former user."""
    folder = node.homes / "mallory"
    (folder / ".ssh").mkdir(parents=True)
    (folder / ".ssh" / "authorized_keys").write_text(KEY + "\n")
    node.homes.chmod(0o777)  # as on storage with root squash
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 20003, 20003)
    return folder


@pytest.fixture
def options(node, home):
    return {"name": "mallory", "uid": 20003, "home": str(home), "shared_home_roots": []}


def test_keys_are_listed_and_kept(node, home, options):
    for check in (True, False):
        found = reads(node, "offboarded_home", check=check, **options)["offboarded_home"]
        assert [key["comment"] for file in found["authorized_keys"] for key in file["keys"]] == ["m@laptop"]


def test_keys_are_removed_and_the_home_is_moved(node, home, options):
    changes_once(node, "offboarded_home", keys="remove", archive=True, **options)
    aside = node.homes / "mallory.offboarded"
    assert not home.exists() and os.listdir(aside / ".ssh") == []
