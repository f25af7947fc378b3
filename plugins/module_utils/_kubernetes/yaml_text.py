# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""YAML that users, nodes or other programs wrote: bounded before anything is made of it.

A few hundred bytes with aliases can stand for gigabytes once somebody walks them, and some valid YAML makes PyYAML raise errors of
Python's own.
"""

from __future__ import annotations

import typing as t

try:
    import yaml

    HAS_YAML = True
except ImportError:  # the package kubernetes brings it
    HAS_YAML = False

from .._core.text import printable

LARGEST_TEXT, LARGEST_LIST = 256 * 1024, 1024 * 1024
"""Bytes of a text, and of one that lists all nodes or people."""
UNFOLDED = 4
"""As many times the bytes of the largest text may be what aliases make of it, in characters of all values."""


class NotYaml(ValueError):
    """Its text continues the name of the document: ``it is ...``."""


def documents(text: str, *, largest: int = LARGEST_TEXT, loader: t.Any = None) -> list[t.Any]:
    """What is in each document that is not empty.

    :param largest: bytes.
    :param loader: a SafeLoader of another kind.
    :raises NotYaml: also for a document that is too large, or nested too deeply.
    """
    if len(text.encode(errors="replace")) > largest:
        raise NotYaml(f"it is larger than {largest // 1024} KiB")
    try:
        return [each for each in _loaded((loader or yaml.SafeLoader)(text), UNFOLDED * largest) if each is not None]
    except RecursionError:
        raise NotYaml("it is nested too deeply") from None
    except yaml.YAMLError as error:
        raise NotYaml(f"it is not YAML{_where(error)}: {_problem(error)}") from None
    except NotYaml:
        raise
    except (ValueError, OverflowError) as error:  # such as the 30th of February
        raise NotYaml(f"it has an invalid value: {printable(error)}") from None


def document(text: str, *, largest: int = LARGEST_TEXT, loader: t.Any = None) -> t.Any:
    """What is in the only document, or None.

    :raises NotYaml: as ``documents``, and for several of them.
    """
    found = documents(text, largest=largest, loader=loader)
    if len(found) > 1:
        raise NotYaml(f"it has {len(found)} documents")
    return found[0] if found else None


def _loaded(reader: t.Any, unfolded: int) -> t.Iterator[t.Any]:
    try:
        while reader.check_node():
            node = reader.get_node()
            if _size(node, {}) > unfolded:
                raise NotYaml(f"its aliases repeat more than {unfolded // 1024} KiB")
            yield reader.construct_document(node)
    finally:
        reader.dispose()


def _size(node: t.Any, known: dict[int, int | None]) -> int:
    """Characters, and one for each value.

    :param known: sizes of nodes by their identity; None while a node is counted.
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


def _problem(error: t.Any) -> str:
    return printable(getattr(error, "problem", None) or "it ends too early")


def _where(error: t.Any) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1})" if mark else ""
