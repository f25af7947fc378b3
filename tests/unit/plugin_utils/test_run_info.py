# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Information about the run in a report."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run_info import collection_version


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({}, None),
        ({"galaxy.yml": "version: 1.2.3"}, "1.2.3"),
        ({"galaxy.yml": "version: [1"}, None),
        ({"galaxy.yml": "name: hyperpod"}, None),
        ({"MANIFEST.json": '{"collection_info": {"version": "1.2.4"}}', "galaxy.yml": "version: 1.2.3"}, "1.2.4"),
        ({"MANIFEST.json": "{"}, None),
    ],
)
def test_the_version_is_read_from_the_archive_or_the_work_tree(tmp_path: Path, files: dict[str, str], version: str | None) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert collection_version(tmp_path) == version
