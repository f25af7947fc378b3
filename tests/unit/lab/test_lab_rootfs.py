# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from lab import rootfs

DEB822 = "Types: deb\n# http://snapshot.debian.org/archive/debian/2025\nURIs: http://mirror.example/debian\nSuites: x\n"


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ([], rootfs.MIRROR),
        ([DEB822], "http://mirror.example/debian"),
        (["deb [signed-by=/k.gpg] https://mirror.example/debian/ bookworm main\n"], "https://mirror.example/debian"),
        (["deb http://mirror.example/debian-security bookworm-security main\n"], rootfs.MIRROR),
        (["deb http://archive.ubuntu.com/ubuntu jammy main\n"], rootfs.MIRROR),
        (["# deb http://old.example/debian x main\n"], rootfs.MIRROR),
        (["deb https://other.example/apt x main\n", DEB822], "http://mirror.example/debian"),
    ],
)
def test_mirror_of_the_machine(sources, expected):
    assert rootfs.find_mirror(sources) == expected


def test_recipe_follows_the_files_of_the_image(tmp_path, monkeypatch):
    monkeypatch.setattr(rootfs, "IMAGE", tmp_path)
    seen = {rootfs.recipe_hash()}
    (tmp_path / "customise").write_text("true")
    seen.add(rootfs.recipe_hash())
    (tmp_path / "customise").write_text("false")
    seen.add(rootfs.recipe_hash())
    (tmp_path / "customise").chmod(0o755)
    seen.add(rootfs.recipe_hash())
    assert len(seen) == 4
    assert rootfs.recipe_hash() in seen
