# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from lab.hosts import rootfs


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
