# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No file names a host of a package registry, because apt and pip of the machine are configured for its mirrors."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HOSTS = re.compile(r"(?:deb|security|snapshot)\.debian\.org|pypi\.org|python[h]osted|npm[j]s\.org|archive\.ubuntu\.com")


def test_no_file_names_a_host_of_a_registry():
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, stdout=subprocess.PIPE, text=True).stdout
    files = [ROOT / name for name in listed.split("\0") if name and not (ROOT / name).is_symlink()]
    assert len(files) > 300
    named = [str(path.relative_to(ROOT)) for path in files if path.exists() and HOSTS.search(path.read_text(errors="replace"))]
    assert named == []
