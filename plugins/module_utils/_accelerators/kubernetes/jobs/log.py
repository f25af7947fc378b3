# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Parses the untrusted log of a Pod."""

from __future__ import annotations

import json
import math
import re
import typing as t

from ...._core.text import lines_of, printable
from ...node.pod.answer import BEGIN, END, ERROR, HEALTH

LARGEST = 256 * 1024
"""The maximum size of a log, in bytes."""
DEEPEST, MOST, LONGEST = 6, 500, 2000
"""Limits for the document in a log: nested levels, entries of an object or list, and characters of a text."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
"""The allowed names of fields. In the result of a module, names such as ``_ansible_...`` have a meaning for Ansible."""


class NoAnswer(Exception):
    """The log has no valid result. The message is a sentence with the reason."""


def health(log: str) -> dict[str, t.Any]:
    """The health, from the document between the last two marker lines. All other output is ignored.

    :raises NoAnswer: if there is no valid document, or if the document has an error instead of the health.
    """
    found = _document(lines_of(log))
    if ERROR in found:
        raise NoAnswer(f"The node's accelerators could not be assessed: {printable(found[ERROR])[:LONGEST]}.")
    answer = plain(found.get(HEALTH))
    if not isinstance(answer, dict):
        raise NoAnswer("The check's output has no verdict.")
    return answer


def _document(lines: t.Sequence[str]) -> dict[str, t.Any]:
    for end in range(len(lines) - 1, 1, -1):
        if lines[end] == END and lines[end - 2] == BEGIN:
            try:
                found = json.loads(lines[end - 1])
            except (ValueError, RecursionError):
                break
            if isinstance(found, dict):
                return found
            break
    last = printable(lines[-1])[:LONGEST] if lines else "nothing"
    raise NoAnswer(f"The check printed no result. The last line of its output: {last}")


def plain(value: t.Any, depth: int = 0) -> t.Any:
    """The value with only safe names and texts, within the limits."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth < DEEPEST and isinstance(value, dict):
        return {name: plain(each, depth + 1) for name, each in list(value.items())[:MOST] if _NAME.fullmatch(name)}
    if depth < DEEPEST and isinstance(value, list):
        return [plain(each, depth + 1) for each in value[:MOST]]
    return printable(value)[:LONGEST] if isinstance(value, str) else None
