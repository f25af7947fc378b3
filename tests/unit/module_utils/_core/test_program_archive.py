# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program archive contains the program and all modules of the collection that it imports, and is reproducible."""

from __future__ import annotations

import io
import zipfile

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program import main
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import program_archive

PROGRAM = main.__name__


def test_the_same_sources_give_the_same_file() -> None:
    made = program_archive.archive(PROGRAM, python="/usr/bin/python3")
    assert made == program_archive.archive(PROGRAM, python="/usr/bin/python3")
    assert made.startswith(b"#!/usr/bin/python3 -I\nPK") and program_archive.archive(PROGRAM).startswith(b"PK")


def test_it_contains_the_imported_modules_and_their_packages() -> None:
    names = zipfile.ZipFile(io.BytesIO(program_archive.archive(PROGRAM))).namelist()
    assert {"__main__.py", "mlfleet_hyperpod/__init__.py", "mlfleet_hyperpod/_accelerators/node/health/judge.py"} <= set(names)
    assert PROGRAM in program_archive.sources(PROGRAM)


def test_relative_imports_are_found() -> None:
    package = PROGRAM.rpartition(".")[0]
    text = "import os\nfrom typing import Any\nfrom . import here, check as other\nfrom .verdict import Verdict\nfrom ...nodes.model import OURS\n"
    nodes = package.rpartition(".hooks")[0] + ".nodes"
    expected = [f"{package}.here", f"{package}.check", f"{package}.verdict", f"{nodes}.model"]
    assert list(program_archive.imported(text, package)) == expected
