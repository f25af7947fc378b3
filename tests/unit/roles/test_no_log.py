# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No task uses no_log, which would hide errors in its arguments from the report.

Modules hide their secret options themselves.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HIDES = re.compile(r"^\s*no_log:", re.M)


def test_no_task_uses_no_log() -> None:
    files = [*(ROOT / "roles").rglob("tasks/**/*.yml"), *(ROOT / "playbooks").rglob("*.yml")]
    assert len(files) > 100
    assert [file.relative_to(ROOT).as_posix() for file in files if HIDES.search(file.read_text())] == []
