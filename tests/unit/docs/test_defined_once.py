# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No function or class is defined twice in a file, because the first definition would have no effect."""

from __future__ import annotations

import ast
import collections
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("plugins", "tests", "tools", "benchmarks")


def twice(path: Path) -> list[str]:
    found: list[str] = []
    for scope in ast.walk(ast.parse(path.read_text())):
        if isinstance(scope, (ast.Module, ast.ClassDef)):
            plain = (each for each in scope.body if isinstance(each, (ast.FunctionDef, ast.ClassDef)))
            names = collections.Counter(each.name for each in plain if not each.decorator_list)
            found += [name for name, count in names.items() if count > 1]
    return found


def test_nothing_is_defined_twice():
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 200
    assert {str(path.relative_to(ROOT)): twice(path) for path in files if twice(path)} == {}
