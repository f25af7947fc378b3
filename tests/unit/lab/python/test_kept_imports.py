# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module that is sent without its current imports fails on nodes, or worse, so these tests check the cache of imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lab import python

# Prints how often ansible-core searched for imports, and the imports of each text.
PROGRAM = """\
import json, sys
import kept_imports
kept_imports.keep(sys.argv[1])
import ansible.executor.module_common as builder
looked, parse = [], builder._compile_module_ast
builder._compile_module_ast = lambda *text: looked.append(1) or parse(*text)
made = [builder.ModuleDepFinder(name, text.encode(), is_package) for name, text, is_package in json.loads(sys.argv[2])]
print(json.dumps([len(looked), [sorted(each.submodules) for each in made], [sorted(each.optional_imports) for each in made]]))
"""
NAME = "ansible_collections.a.b.plugins.module_utils.c"
PLAIN = (NAME, "from ansible.module_utils.basic import env_fallback\n", False)
BASIC = ["ansible", "module_utils", "basic", "env_fallback"]


def found(kept: Path, *modules: tuple[str, str, bool]) -> list[object]:
    env = {**os.environ, "PYTHONPATH": ":".join(map(str, python.FOLDERS))}
    command = [sys.executable, "-c", PROGRAM, str(kept), json.dumps(modules)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: list[object] = json.loads(done.stdout)
    return answer


def test_the_same_text_is_parsed_once(tmp_path):
    assert found(tmp_path / "kept", PLAIN) == [1, [[BASIC]], [[]]]
    assert found(tmp_path / "kept", PLAIN) == [0, [[BASIC]], [[]]]


def test_optional_imports_stay_optional(tmp_path):
    optional = (NAME, "try:\n    from ..module_utils.d import e\nexcept ImportError:\n    pass\n", False)
    before = found(tmp_path / "kept", optional)
    assert before[0] == 1 and before[2][0] == before[1][0] != []
    assert found(tmp_path / "kept", optional) == [0, *before[1:]]


@pytest.mark.parametrize(
    "other",
    [
        (NAME, "from ansible.module_utils.common.text import converters\n", False),
        (NAME.replace(".c", ".d.e"), "from . import f\n", False),
        (NAME, "from . import f\n", True),
    ],
    ids=["another text", "another place", "a package"],
)
def test_any_other_text_is_parsed(tmp_path, other):
    first = (NAME, "from . import f\n", False)
    _one, before, _optional = found(tmp_path / "kept", first)
    count, after, _optional = found(tmp_path / "kept", other)
    assert count == 1 and before != after


def test_damaged_entries_are_parsed_again_and_replaced(tmp_path):
    found(tmp_path / "kept", PLAIN)
    (file,) = (tmp_path / "kept").glob("*.imports")
    file.write_text("[[")
    assert found(tmp_path / "kept", PLAIN)[0] == 1
    assert found(tmp_path / "kept", PLAIN)[0] == 0
