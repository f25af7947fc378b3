# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks sudo rules with visudo before they are installed, because one invalid file disables sudo for all users."""

# The callers have no module object, so run_command is not available.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import typing as t

from ..._core.text import lines_of, printable
from .model import SUDOERS_FOLDER

_PATH = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin"


def installed() -> bool:
    return os.path.isdir(SUDOERS_FOLDER)


def errors(texts: t.Mapping[str, str]) -> dict[str, str]:
    """Errors of visudo, keyed by name. One call checks all texts; only if it fails, each text is checked in its own call."""
    visudo = shutil.which("visudo", path=_PATH)
    if not texts or visudo is None or _error(visudo, "".join(texts.values())) is None:
        return {}
    found = {name: _error(visudo, text) for name, text in texts.items()}
    return {name: error for name, error in found.items() if error is not None}


def _error(visudo: str, text: str) -> str | None:
    with tempfile.NamedTemporaryFile("w", prefix="mlfleet-", suffix=".sudoers", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        done = subprocess.run(
            [visudo, "-c", "-f", stream.name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={"PATH": _PATH, "LC_ALL": "C"},
            cwd="/",
            timeout=30,
            check=False,
        )
        if done.returncode == 0:
            return None
        output = lines_of(done.stdout.decode(errors="replace"))
        lines = [line.replace(f"{stream.name}:", "line ") for line in output]
    return next((printable(line.strip()) for line in lines if line.strip()), f"exit status {done.returncode}")
