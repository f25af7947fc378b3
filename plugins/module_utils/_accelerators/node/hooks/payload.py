# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The programs as one file that Python runs, with the check of ``accelerator_health``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from ...._core import program_archive
from .program import main as program


def archive(python: str) -> bytes:
    """
    :param python: the interpreter that runs the file.
    """
    return program_archive.archive(program.__name__, python=python)
