# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Options that sbatch reads in a batch script itself. Standard library only, Python 3.9 syntax.

``#SBATCH`` counts up to the first command, ``#PBS`` between commands as well, up to a number of them.
"""

from __future__ import annotations

import re
import shlex
import typing as t

SBATCH, PBS = "#SBATCH", "#PBS"
SEVERAL = {
    SBATCH: re.compile(r"-[hsvHOQVW]*a|--ar(?:r(?:ay?)?)?(?==|\Z)|(?:hetjob|packjob)\Z"),
    PBS: re.compile(r"-[hIVz]*[Jt]|(?:--ar(?:r(?:ay?)?)?|--job_a(?:r(?:r(?:ay?)?)?)?)(?==|\Z)"),
}
"""Prefixes of options that request an array or a heterogeneous job. Short options can share a word, and long ones can be
abbreviated."""
MOST_COMMANDS = 100
"""Lines that are not comments; after this number of them sbatch ignores ``#PBS``."""
_BLANKS = " \t\r\v\f"


class Found(t.NamedTuple):
    text: str
    """The option without its value, after the word that its line begins with."""
    line: int


def several(script: str) -> Found | None:
    """The first option that makes several jobs of a script."""
    for begin, number, text in _lines(script):
        matches = (SEVERAL[begin].match(word) for word in _words(text))
        option = next((found[0] for found in matches if found), None)
        if option is not None:
            return Found(f"{begin} {option}", number)
    return None


def _lines(script: str) -> t.Iterator[tuple[str, int, str]]:
    """Those that sbatch reads: the word that each begins with, its number, and what follows."""
    begun, commands = False, 0
    for number, line in enumerate(script.split("\n"), start=1):
        begun = begun or line.strip(_BLANKS)[:1] not in ("", "#")
        commands += not line.startswith("#")
        if line.startswith(SBATCH) and not begun:
            yield SBATCH, number, line[len(SBATCH) :]
        if line.startswith(PBS) and commands <= MOST_COMMANDS:
            yield PBS, number, line[len(PBS) :]


def _words(text: str) -> list[str]:
    """As a shell would split them, up to a comment; of quotation marks without a pair, the words between blanks."""
    reader = shlex.shlex(text, posix=True)
    reader.whitespace, reader.whitespace_split = _BLANKS, True
    try:
        return list(reader)
    except ValueError:
        return text.split()
