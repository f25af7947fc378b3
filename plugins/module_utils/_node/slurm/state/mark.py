# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The ID of the saved state on the disk that was saved. A blank disk has no ID. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os

from ... import files

PATH = "/var/lib/mlfleet-hyperpod/slurm-state-saved"


def read() -> str:
    found = files.read(PATH)
    return found.text.strip() if found else ""


def write(text: str) -> None:
    os.makedirs(os.path.dirname(PATH), mode=0o755, exist_ok=True)
    files.replace_text(PATH, text + "\n", mode=0o600)


def remove() -> None:
    files.remove(PATH)
