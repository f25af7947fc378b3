# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The file ``.dockerignore``: which files of a build context are not sent to the builder.

The rules are those of Docker, Podman and Buildah: patterns as in Go's ``filepath.Match`` with ``**`` for any number of folders. The
last pattern that matches a path or one of its folders decides, and ``!`` includes the path again.
"""

from __future__ import annotations

import posixpath
import re
import typing as t
from dataclasses import dataclass

from ..._core.failure import refuse_option
from ..._core.text import lines_of

NAME = ".dockerignore"


@dataclass(frozen=True)
class _Pattern:
    expression: t.Pattern[str]
    includes: bool
    """Whether matching paths are included again."""


@dataclass(frozen=True)
class Ignored:
    patterns: tuple[_Pattern, ...] = ()

    def __call__(self, path: str) -> bool:
        """Whether the file or folder is ignored. The path is relative to the context."""
        ignored = False
        paths = [path]
        while "/" in paths[-1]:
            paths.append(paths[-1].rpartition("/")[0])
        for pattern in self.patterns:
            if any(pattern.expression.fullmatch(each) for each in paths):
                ignored = not pattern.includes
        return ignored

    @property
    def includes_again(self) -> bool:
        """Whether an ignored folder may have files that are not ignored."""
        return any(pattern.includes for pattern in self.patterns)


def parsed(text: str) -> Ignored:
    """:raises Refused: for a pattern that is not valid."""
    return Ignored(tuple(_patterns(text)))


def _patterns(text: str) -> t.Iterator[_Pattern]:
    for line in lines_of(text.removeprefix("\ufeff")):
        pattern = line.strip()
        if line.startswith("#") or not pattern:
            continue
        includes = pattern.startswith("!")
        path = posixpath.normpath(pattern.removeprefix("!").strip() or ".").lstrip("/")
        if path in ("", "."):
            continue
        try:
            yield _Pattern(re.compile(_expression(path), re.DOTALL), includes)
        except re.error as error:
            refuse_option(NAME, pattern, "patterns such as data/*.bin", str(error))


def _expression(pattern: str) -> str:
    parts: list[str] = []
    place = 0
    while place < len(pattern):
        sign = pattern[place]
        place += 1
        if sign == "*" and pattern[place : place + 1] == "*":
            place += 1
            if pattern[place : place + 1] == "/":
                place += 1
            parts.append(".*" if place >= len(pattern) else "(?:.*/)?")
        elif sign == "\\" and place < len(pattern):
            parts.append(re.escape(pattern[place]))
            place += 1
        elif sign == "[":
            end = pattern.find("]", place + 1)
            parts.append("[" if end < 0 else f"[{pattern[place:end]}]".replace("[[", "[\\["))
            place = len(pattern) if end < 0 else end + 1
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(sign) or re.escape(sign))
    return "".join(parts)
