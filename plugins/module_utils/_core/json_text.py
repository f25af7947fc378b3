# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""JSON written by people. Errors name the line and the path of the value, such as ``worker_groups[0].partition_name``."""

from __future__ import annotations

import json
import re
import typing as t

from .text import printable

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}:,]', re.DOTALL)
_MARK = "\ufeff"
"""The byte order mark, which some editors write at the start of a file."""
DEEPEST = 100
"""Maximum depth of nested objects and lists. Python raises RecursionError only at a greater depth."""


LONGEST_PATH = 200
"""Maximum number of characters of a path in a message."""
NAMELESS = '""'
"""What a message shows for an empty path."""


class NotJson(ValueError):
    """The text is not valid JSON. The message is ``LINE, PATH: ERROR``, or a sentence without a period that begins with "it"."""


class RepeatedKey(NotJson):
    """An object has a key twice. Most programs would silently use the last value."""

    def __init__(self, path: str, line: int) -> None:
        super().__init__(f"line {line}, {path or NAMELESS}: the key is not unique")
        self.path = path
        self.line = line


class _Repeated(Exception):
    """An object has a key twice; its line and path are not known yet."""


def value_of(text: str) -> t.Any:
    """Parse JSON.

    :raises NotJson: if the text is not valid JSON. This includes values that only Python accepts, such as NaN, and values that
        are nested too deeply.
    :raises RepeatedKey: if an object has a key twice.
    """
    found = text[1:] if text.startswith(_MARK) else text
    try:
        value = json.loads(found, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except _Repeated:
        raise _repeated(found) from None
    except json.JSONDecodeError as error:
        path = _path(found[: error.pos])
        raise NotJson(f"line {error.lineno}{path and ', '}{path}: {error.msg}") from None
    except RecursionError:
        raise NotJson("it is nested too deeply") from None
    except NotJson:
        raise
    except ValueError:  # the only other one: Python reads numbers of at most 4,300 digits
        raise NotJson("it has a number that is too long") from None
    if _is_deeper(value, DEEPEST):
        raise NotJson("it is nested too deeply")
    return value


def _is_deeper(value: t.Any, most: int) -> bool:
    level = [value]
    for _depth in range(most + 1):
        level = [inner for each in level for inner in _inside(each)]
    return bool(level)


def _inside(value: t.Any) -> t.Iterable[t.Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _object(pairs: list[tuple[str, t.Any]]) -> dict[str, t.Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Repeated
    return made


def _refuse_constant(word: str) -> t.NoReturn:
    raise NotJson(f"it has the value {word}, which JSON does not define")


def _repeated(text: str) -> RepeatedKey:
    """The error for the first repeated key. ``text`` must have one."""
    known: list[set[str]] = []
    name = ""
    for token in _TOKEN.finditer(text):
        if token[0] in "{[":
            known.append(set())
        elif token[0] in "}]":
            known.pop()
        elif token[0] == ":":
            if name in known[-1]:
                break
            known[-1].add(name)
        elif token[0] != ",":
            name = _text_of(token[0])
    return RepeatedKey(_path(text[: token.end()]), text.count("\n", 0, token.start()) + 1)


def shortened(path: str) -> str:
    """The path, or only its end if the path is too long for a message."""
    return path if len(path) <= LONGEST_PATH else f"…{path[-LONGEST_PATH:]}"


def _path(text: str) -> str:
    """The path at the end of ``text``: the key in each unclosed object, and the index in each unclosed list."""
    places: list[str | int] = []
    name = ""
    for token in _TOKEN.findall(text):
        place = places[-1] if places else None
        if token in "{[":
            places.append("" if token == "{" else 0)
        elif place is None:
            continue
        elif token in "}]":
            places.pop()
        elif token == ",":
            places[-1] = place + 1 if isinstance(place, int) else ""
        elif token == ":":
            places[-1] = name
        else:
            name = _text_of(token)
    steps = (f"[{place}]" if isinstance(place, int) else f".{printable(place)}" for place in places if place != "")
    return shortened("".join(steps).removeprefix("."))


def _text_of(token: str) -> str:
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        return token
