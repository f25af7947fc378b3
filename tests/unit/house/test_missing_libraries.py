# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules and inventory plugins can be imported without a library, so that they can report its absence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FILES = [*ROOT.glob("plugins/modules/*.py"), *ROOT.glob("plugins/inventory/*.py")]
OURS = "ansible_collections.mlfleet.hyperpod.plugins."
IMPORTS = """
import importlib, sys
for library in sys.argv[1].split(","):
    sys.modules[library] = None
for module in sys.argv[2:]:
    importlib.import_module(module)
"""


@pytest.mark.parametrize("libraries", ["boto3,botocore", "cryptography", "kubernetes", "paramiko"])
def test_modules_and_plugins_can_be_imported_without_a_library(libraries: str) -> None:
    assert len(FILES) > 30
    modules = [f"{OURS}{path.parent.name}.{path.stem}" for path in FILES]
    done = subprocess.run([sys.executable, "-c", IMPORTS, libraries, *modules], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
