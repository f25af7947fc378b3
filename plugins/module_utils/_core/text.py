# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Untrusted text: splitting into lines as the system does, and making words safe to print.

Standard library only, Python 3.9 syntax: this file also runs on cluster nodes.
"""

from __future__ import annotations


def lines_of(text: str) -> list[str]:
    """The lines of a file or a program's output, split at line feeds only.

    ``str.splitlines`` also splits at form feeds, U+0085, U+2028 and others. For the system these are characters inside a
    line, so with ``splitlines`` a user who chooses a name could forge an additional line.
    """
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines


def printable(value: object) -> str:
    """Text from users or nodes as one line. Control characters, such as ESC and direction marks, become question marks."""
    return "".join(char if char.isprintable() else "?" for char in str(value))
