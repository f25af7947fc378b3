# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A lab that runs outdated code proves nothing, so these tests check the cache of compiled code."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from lab import python

HERE = python.FOLDERS[1]
# Prints whether the module was compiled, its file name and its content.
PROGRAM = """\
import sys, zipimport
compiled, plain = [], zipimport._compile_source
zipimport._compile_source = lambda path, source: compiled.append(path) or plain(path, source)
import kept_code
kept_code.keep(sys.argv[1])
sys.path.insert(0, sys.argv[2])
import packed
print(len(compiled), packed.where.__code__.co_filename, packed.VALUE)
"""


def pack(archive: Path, value: int) -> Path:
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("packed.py", f"VALUE = {value}\n\n\ndef where():\n    pass\n")
    return archive


def run(folder: Path, archive: Path) -> list[str]:
    env = {**os.environ, "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-c", PROGRAM, str(folder), str(archive)]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.split()


def test_code_is_compiled_once_and_named_after_its_archive(tmp_path):
    kept, first, second = tmp_path / "kept", pack(tmp_path / "a.zip", 1), pack(tmp_path / "b.zip", 1)
    assert run(kept, first) == ["1", f"{first}/packed.py", "1"]
    assert run(kept, second) == ["0", f"{second}/packed.py", "1"]


def test_other_code_under_the_same_name_is_compiled(tmp_path):
    archive = pack(tmp_path / "a.zip", 1)
    run(tmp_path / "kept", archive)
    assert run(tmp_path / "kept", pack(archive, 2)) == ["1", f"{archive}/packed.py", "2"]


@pytest.mark.parametrize("damaged", [b"", b"\xe3\x01", b"no code"])
def test_damaged_code_is_compiled_again_and_replaced(tmp_path, damaged):
    kept, archive = tmp_path / "kept", pack(tmp_path / "a.zip", 1)
    run(kept, archive)
    (file,) = kept.iterdir()
    file.write_bytes(damaged)
    assert run(kept, archive)[0] == "1"
    assert run(kept, archive)[0] == "0"


def test_a_missing_folder_is_no_error(tmp_path):
    (tmp_path / "kept").write_text("no folder")
    archive = pack(tmp_path / "a.zip", 1)
    assert run(tmp_path / "kept", archive)[1:] == [f"{archive}/packed.py", "1"]


# Compiles as Ansible's loader of collections does, then in other ways; prints how often the code was really compiled.
LOADER = """\
import ast, builtins, sys
compiled, plain = [], compile
builtins.compile = lambda *rest, **more: compiled.append(rest) or plain(*rest, **more)
import kept_code
kept_code.keep(sys.argv[1])
compiled.clear()
source = b"VALUE = 1\\ndef where(): pass"
scope = {}
exec(compile(source=source, filename=sys.argv[2], mode="exec", flags=0, dont_inherit=True), scope)
times = len(compiled)
tree = compile(source, "other", "exec", ast.PyCF_ONLY_AST)
print(times, scope["where"].__code__.co_filename, type(tree).__name__, len(compiled) - times)
"""


def test_code_of_collections_is_compiled_once_and_other_code_as_usual(tmp_path):
    def load(name: str) -> list[str]:
        command = [sys.executable, "-c", LOADER, str(tmp_path), name]
        env = {**os.environ, "PYTHONPATH": str(HERE)}
        return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.split()

    assert load("first") == ["1", "first", "Module", "1"]
    assert load("second") == ["0", "second", "Module", "1"]
