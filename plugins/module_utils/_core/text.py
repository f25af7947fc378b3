# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Untrusted text: lines as the system splits them, and words that are safe to show.

Standard library only, Python 3.9 syntax: this file also runs on cluster nodes.
"""

from __future__ import annotations


def lines_of(text: str) -> list[str]:
    """The lines of a file or an answer, split at line feeds only.

    ``str.splitlines`` also splits at form feeds, U+0085, U+2028 and others, which the system takes for characters of a
    line: who may write a name could write a line of their own.
    """
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines


def printable(value: object) -> str:
    """What users or nodes wrote, as one line without control characters (no escape sequences, no direction marks)."""
    return "".join(char if char.isprintable() else "?" for char in str(value))
