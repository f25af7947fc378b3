# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads YAML of users, nodes or other programs, and limits its size before use.

A few hundred bytes with aliases can expand to gigabytes, and some valid YAML makes PyYAML raise built-in errors of Python.
Values have the types of JSON, as in ``kubectl``. Plain PyYAML would turn times into dates, and ``12:30:45`` into 45045.
"""

from __future__ import annotations

import functools
import typing as t

try:
    import yaml

    HAS_YAML = True
except ImportError:  # the package kubernetes brings it
    HAS_YAML = False

from .._core.json_text import NAMELESS, NotJson, RepeatedKey, shortened, value_of
from .._core.text import printable

LARGEST_TEXT, LARGEST_LIST = 256 * 1024, 1024 * 1024
"""The maximum size of a text, and of a text that lists all nodes or people, in bytes."""
UNFOLDED = 4
"""The limit after aliases are expanded: this number times the maximum size, in characters of all values together."""


_STANDARD = "tag:yaml.org,2002:"
_NUMBERS = (f"{_STANDARD}int", f"{_STANDARD}float")
_NO_TYPES = (f"{_STANDARD}timestamp", f"{_STANDARD}value")
"""Types of YAML 1.1 only. Such values are strings in JSON and YAML 1.2."""
_MERGE = f"{_STANDARD}merge"
_TAGS = frozenset((*_NUMBERS, *(f"{_STANDARD}{name}" for name in ("bool", "map", "null", "seq", "str"))))


class NotYaml(ValueError):
    """The message refers to the document as ``it``, so the caller first names the document."""


class AsWritten:
    """Mixin for a SafeLoader. Times stay strings as written, and tags for which JSON has no value are refused."""

    def resolve(self, kind: t.Any, value: t.Any, implicit: t.Any) -> t.Any:
        tag = t.cast(t.Any, super()).resolve(kind, value, implicit)
        return f"{_STANDARD}str" if tag in _NO_TYPES or _is_time(tag, value) else tag

    def construct_object(self, node: t.Any, deep: bool = False) -> t.Any:
        if node.tag not in _TAGS or _is_time(node.tag, node.value):
            tag = printable(node.tag.replace(_STANDARD, "!!"))
            raise NotYaml(f"it has the tag {tag} (line {node.start_mark.line + 1}), for which JSON has no value")
        return t.cast(t.Any, super()).construct_object(node, deep)


def _is_time(tag: str, value: t.Any) -> bool:
    """Whether the value is a number to the base of 60, as in YAML 1.1."""
    return tag in _NUMBERS and ":" in value


def written(text: str, name: str) -> list[t.Any]:
    """The documents of a file in JSON or YAML. A file that is named ``*.json`` must be JSON.

    JSON is tried first, because YAML does not accept JSON that is indented with tabs. Keys of a mapping must be unique: people
    write these files, and a repeated key is a mistake.

    :raises NotJson: if a file that is named ``*.json`` is invalid.
    :raises NotYaml: if any other file is invalid.
    """
    try:
        return [each for each in (value_of(text),) if each is not None]
    except NotJson as error:
        if name.lower().endswith(".json"):
            raise
        if isinstance(error, RepeatedKey):
            raise _twice(error.path, error.line) from None
    return documents(text, unique=True)


def documents(text: str, *, largest: int = LARGEST_TEXT, loader: t.Any = None, unique: bool = False) -> list[t.Any]:
    """The documents that are not empty.

    :param largest: the maximum size, in bytes.
    :param loader: a class that inherits from ``AsWritten`` and then from a SafeLoader.
    :param unique: whether to refuse a repeated key in a mapping. If not, the last value of the key counts, as in other programs.
    :raises NotYaml: also for a document that is too large, or nested too deeply.
    """
    if len(text.encode(errors="replace")) > largest:
        raise NotYaml(f"it is larger than {largest // 1024} KiB")
    try:
        reader = (loader or _loader())(text)
        return [each for each in _loaded(reader, UNFOLDED * largest, unique) if each is not None]
    except RecursionError:
        raise NotYaml("it is nested too deeply") from None
    except yaml.YAMLError as error:
        raise NotYaml(f"it is not YAML{_where(error, text)}: {_problem(error)}") from None
    except NotYaml:
        raise
    except (ValueError, OverflowError) as error:  # such as the 30th of February
        raise NotYaml(f"it has an invalid value: {printable(error)}") from None


def document(text: str, *, largest: int = LARGEST_TEXT, loader: t.Any = None, unique: bool = False) -> t.Any:
    """The only document; None if the text is empty.

    :raises NotYaml: as ``documents``, and for several documents.
    """
    return only(documents(text, largest=largest, loader=loader, unique=unique))


def only(found: t.Sequence[t.Any]) -> t.Any:
    """The only document; None without a document.

    :raises NotYaml: for several documents.
    """
    if len(found) > 1:
        raise NotYaml(f"it has {len(found)} documents")
    return found[0] if found else None


@functools.cache
def _loader() -> t.Any:
    return type("Loader", (AsWritten, yaml.SafeLoader), {})


def _loaded(reader: t.Any, unfolded: int, unique: bool) -> t.Iterator[t.Any]:
    try:
        while reader.check_node():
            node = reader.get_node()
            if _size(node, {}) > unfolded:
                raise NotYaml(f"it is larger than {unfolded // 1024} KiB after its aliases are expanded")
            if unique:
                _check_keys(reader, node, "", set())
            yield reader.construct_document(node)
    finally:
        reader.dispose()


def _size(node: t.Any, known: dict[int, int | None]) -> int:
    """The size of a node: the number of its characters and values.

    :param known: the sizes of nodes, keyed by their identity; None while a node is being counted.
    """
    if id(node) in known:
        size = known[id(node)]
        if size is None:
            raise NotYaml("one of its aliases contains itself")
        return size
    known[id(node)] = None
    parts = node.value if not isinstance(node.value, str) else ()
    inner = sum(_size(each, known) for part in parts for each in (part if isinstance(part, tuple) else (part,)))
    size = 1 + inner + (len(node.value) if isinstance(node.value, str) else 0)
    known[id(node)] = size
    return size


def _check_keys(reader: t.Any, node: t.Any, path: str, known: set[int]) -> None:
    """Check nodes before they are converted, because a mapping's own values may override merged ones.

    :param known: the identities of checked nodes.
    """
    if id(node) in known or isinstance(node.value, str):
        return
    known.add(id(node))
    names = set()
    for number, part in enumerate(node.value):
        key, value = part if isinstance(part, tuple) else (None, part)
        inside = f"{path}[{number}]"
        if key is not None and isinstance(key.value, str):
            inside = shortened(f"{path}.{printable(key.value)}".removeprefix("."))
            name = key if key.tag == _MERGE else reader.construct_object(key)
            if name in names:
                raise _twice(inside, key.start_mark.line + 1)
            names.add(name)
        _check_keys(reader, value, inside, known)


def _twice(path: str, line: int) -> NotYaml:
    return NotYaml(f"it has the key {path or NAMELESS} twice (line {line})")


def _problem(error: t.Any) -> str:
    if isinstance(error, yaml.reader.ReaderError):
        return f"it has the character U+{error.character:04X}, which YAML does not allow"
    return printable(getattr(error, "problem", None) or "it ends too early")


def _where(error: t.Any, text: str) -> str:
    if isinstance(error, yaml.reader.ReaderError):
        before = text[: error.position].count("\n")
        return f" (line {before + 1})"
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1})" if mark else ""
