# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node whose sshd can be changed, with stand-ins for sshd and systemctl in its own folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import rollback as rollback_units

SYSTEMCTL = """#!/bin/sh
echo "$@" >>{node}/calls
case "$1 $2" in
"is-active --quiet") grep -qx "$3" {node}/active ;;
"start mlfleet-sshd-rollback.service") sh {node}/rollback/restore ;;
"reload "*) [ ! -e {node}/reload-fails ] ;;
esac
"""
SSHD = """#!/bin/sh
if grep -q wrong {node}/etc/*; then
    echo "{node}/etc/changed: line 1: Bad configuration option: wrong" >&2
    exit 255
fi
"""


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tools, folder, etc, unit_files = (tmp_path / name for name in ("bin", "rollback", "etc", "units"))
    for each in (tools, etc, unit_files):
        each.mkdir()
    for name, text in {"systemctl": SYSTEMCTL, "sshd": SSHD}.items():
        (tools / name).write_text(text.format(node=tmp_path))
        (tools / name).chmod(0o755)
    (tmp_path / "active").write_text(f"ssh.service\n{rollback_units.TIMER}\n")
    (etc / "changed").write_text("old\n")
    script = rollback_units.RESTORE.replace(rollback_units.FOLDER, str(folder)).replace("PATH=", f"PATH={tools}:")
    monkeypatch.setattr(system, "SEARCH_PATH", f"{tools}:/usr/bin:/bin")
    for name in ("PENDING", "ROLLING", "OUTCOME", "SCRIPT"):
        place = getattr(rollback_units, name).replace(rollback_units.FOLDER, str(folder))
        monkeypatch.setattr(rollback_units, name, place)
    monkeypatch.setattr(rollback_units, "STATE_FOLDER", str(tmp_path))
    monkeypatch.setattr(rollback_units, "FOLDER", str(folder))
    monkeypatch.setattr(rollback_units, "RESTORE", script)
    monkeypatch.setattr(rollback_units, "_UNIT_FOLDER", str(unit_files))
    return tmp_path
