# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds the images that a Containerfile refers to. Other instructions are not checked; the builder does this."""

from __future__ import annotations

import re
import shlex
import typing as t

from ..._core.failure import refuse_option
from ..._core.text import lines_of, printable

SCRATCH = "scratch"
"""The name of the empty image."""
_DIRECTIVE = re.compile(r"#\s*(\w+)\s*=\s*(\S+)\s*")
_HEREDOC = re.compile(r"<<-?[\"']?([A-Za-z_]\w*)[\"']?")
_VARIABLE = re.compile(r"\$(?:(?P<plain>\w+)|\{(?P<name>\w+)(?:(?P<sign>:?[-+])(?P<word>[^}]*))?\})")
_OPTION = "containerfile"


def base_images(text: str, build_args: t.Mapping[str, str], platform: str) -> tuple[str, ...]:
    """References of all images that the build pulls, without duplicates, in order.

    :raises Refused: for a variable without a value in ``FROM``, and without any ``FROM``.
    """
    known = _Known(build_args, platform)
    for word, rest in _instructions(text):
        known.read(word, rest)
    if not known.has_from:
        refuse_option(_OPTION, "a file without FROM", "a file with the instruction FROM")
    return tuple(dict.fromkeys(known.found))


class _Known:
    """The variables, stages and images so far."""

    def __init__(self, build_args: t.Mapping[str, str], platform: str) -> None:
        system, _slash, architecture = platform.partition("/")
        self.build_args = build_args
        self.variables: dict[str, str] = {"TARGETPLATFORM": platform, "TARGETOS": system, "TARGETARCH": architecture}
        self.stages: set[str] = set()
        self.found: list[str] = []
        self.has_from = False

    def read(self, word: str, rest: str) -> None:
        if word == "ARG" and not self.has_from:
            self._declare(rest)
        elif word == "FROM":
            self._begin(rest)
        elif word in ("COPY", "ADD"):
            self._refer(re.findall(r"(?:^|\s)--from=(\S+)", _flags(rest)))
        elif word == "RUN":
            self._refer(re.findall(r"--mount=(?:\S*,)?from=([^\s,]+)", _flags(rest)))

    def _declare(self, rest: str) -> None:
        for each in _words(rest):
            name, equals, value = each.partition("=")
            if name in self.build_args:
                self.variables[name] = self.build_args[name]
            elif equals:
                self.variables[name] = self._value(value)

    def _begin(self, rest: str) -> None:
        self.has_from = True
        words = [each for each in rest.split() if not each.startswith("--")]
        if not words:
            refuse_option(_OPTION, f"FROM {rest}", "FROM with an image")
        image = self._value(words[0].strip("\"'"))
        if image.lower() not in self.stages and image != SCRATCH:
            self.found.append(image)
        if len(words) == 3 and words[1].upper() == "AS":
            self.stages.add(words[2].lower())

    def _refer(self, names: t.Iterable[str]) -> None:
        """Images of ``--from``. Numbers and names of stages are no images, and variables are not replaced there."""
        self.found += [name for name in names if not name.isdigit() and name.lower() not in self.stages and "$" not in name]

    def _value(self, text: str) -> str:
        def replaced(match: t.Match[str]) -> str:
            name = match["plain"] or match["name"]
            value, sign, word = self.variables.get(name), match["sign"] or "", match["word"] or ""
            given = bool(value) if sign.startswith(":") else value is not None
            if sign.endswith("+"):
                return word if given else ""
            if sign.endswith("-") and not given:
                return word
            if value is None:
                allowed = f"variables with a value: set build_args.{name}, or a default in ARG before FROM"
                refuse_option(_OPTION, f"${name}", allowed)
            return value

        return _VARIABLE.sub(replaced, text)


def _words(rest: str) -> list[str]:
    try:
        return shlex.split(rest)
    except ValueError as error:
        refuse_option(_OPTION, printable(f"ARG {rest}"), "ARG NAME=VALUE", str(error))


def _flags(rest: str) -> str:
    """The flags at the beginning of an instruction."""
    words = rest.split()
    end = next((place for place, each in enumerate(words) if not each.startswith("--")), len(words))
    return " ".join(words[:end])


def _instructions(text: str) -> t.Iterator[tuple[str, str]]:
    """Name and arguments of each instruction, without comments, continuations and here-documents."""
    lines = [line.rstrip("\r") for line in lines_of(text.removeprefix("\ufeff"))]
    escape = _escape(lines)
    place = 0
    while place < len(lines):
        parts: list[str] = []
        goes_on = True
        while goes_on and place < len(lines):
            line = lines[place].strip()
            place += 1
            if line.startswith("#") or (not line and parts):
                continue
            goes_on = line.endswith(escape)
            parts.append(line[:-1] if goes_on else line)
        word, _space, rest = "".join(parts).strip().partition(" ")
        if word:
            yield word.upper(), rest.strip()
        if word.upper() in ("RUN", "COPY", "ADD"):
            place = _after_heredocs(lines, place, rest)


def _escape(lines: t.Iterable[str]) -> str:
    """The character at the end of a line that continues on the next one. A directive in the first lines can set it."""
    for line in lines:
        match = _DIRECTIVE.fullmatch(line.strip())
        if match is None:
            break
        if match[1].lower() == "escape":
            return match[2]
    return "\\"


def _after_heredocs(lines: t.Sequence[str], place: int, rest: str) -> int:
    for end in _HEREDOC.findall(rest):
        ends = [number for number in range(place, len(lines)) if lines[number].strip("\t") == end]
        place = ends[0] + 1 if ends else place
    return place
