# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sync of a project: a copy of the local folder that replaces its repository."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

_PLAY = re.compile(r"^\s*-?\s*[\"']?(hosts|(ansible\.builtin\.)?import_playbook)[\"']?\s*:", re.MULTILINE)
_NO_PLAYBOOKS = ("collections", "group_vars", "host_vars", "roles", "tasks")


def synced(repository: Path, copy: Path) -> str:
    """Copy a repository.

    :return: the revision, which depends on its files only.
    """
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(repository, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    digest = hashlib.sha1(usedforsecurity=False)
    for path in sorted(copy.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(copy)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def playbooks(copy: Path) -> list[str]:
    """The paths of the YAML files with plays, as AWX finds them."""
    found = [path for pattern in ("*.yml", "*.yaml") for path in copy.rglob(pattern)]
    names = [path.relative_to(copy) for path in found if _PLAY.search(path.read_text(encoding="utf-8", errors="replace"))]
    return sorted(str(name) for name in names if not any(part in _NO_PLAYBOOKS or part.startswith(".") for part in name.parts))
