# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An IAM user keeps the permissions that a test gave it: later test files must not use the same user."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]


def test_each_test_creates_other_people() -> None:
    files = [*TESTS.glob("integration/test_*.py"), *TESTS.glob("campaign/test_*.py")]
    made = Counter(name for file in files for name in re.findall(r'\.person\("([^"]+)"\)', file.read_text(encoding="utf-8")))
    assert len(made) > 5
    assert [name for name, times in made.items() if times > 1] == []
