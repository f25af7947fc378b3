# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The options that sbatch reads from a batch script. Standard library only, Python 3.9 syntax.

sbatch reads ``#SBATCH`` up to the first command. It also reads ``#PBS`` between commands, up to ``MOST_COMMANDS`` commands.
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
"""Beginnings of options that request an array or a heterogeneous job. Several short options can share a word, and long options
can be abbreviated."""
MOST_COMMANDS = 100
"""After this number of lines that are not comments, sbatch ignores ``#PBS``."""
_BLANKS = " \t\r\v\f"


class Found(t.NamedTuple):
    text: str
    """The word at the start of the line, and the option without its value."""
    line: int


def several(script: str) -> Found | None:
    """The first option with which a script requests several jobs."""
    for begin, number, text in _lines(script):
        matches = (SEVERAL[begin].match(word) for word in _words(text))
        option = next((found[0] for found in matches if found), None)
        if option is not None:
            return Found(f"{begin} {option}", number)
    return None


def _lines(script: str) -> t.Iterator[tuple[str, int, str]]:
    """The lines that sbatch reads: the word at the start, the line number, and the rest of the line."""
    begun, commands = False, 0
    for number, line in enumerate(script.split("\n"), start=1):
        begun = begun or line.strip(_BLANKS)[:1] not in ("", "#")
        commands += not line.startswith("#")
        if line.startswith(SBATCH) and not begun:
            yield SBATCH, number, line[len(SBATCH) :]
        if line.startswith(PBS) and commands <= MOST_COMMANDS:
            yield PBS, number, line[len(PBS) :]


def _words(text: str) -> list[str]:
    """The words, split as in a shell, up to a comment. If a quotation mark is not closed, the text is split at spaces."""
    reader = shlex.shlex(text, posix=True)
    reader.whitespace, reader.whitespace_split = _BLANKS, True
    try:
        return list(reader)
    except ValueError:
        return text.split()
