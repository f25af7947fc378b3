# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Parses ``dcgmi diag -r LEVEL -j``, in the layouts of DCGM 2 to 4. Standard library only, Python 3.9 syntax.

Level 1 checks the software and the state that GPUs report, and starts no work on GPUs. The other levels start work (``load.py``).
The exit status is ignored, because it adds no information to the document.
"""

from __future__ import annotations

import json
import typing as t

from .model import DcgmResult

PASSED = ("pass", "skip", "not run")
_ROOTS = ("DCGM Diagnostic", "DCGM GPU Diagnostic")


class Unreadable(Exception):
    """The output is invalid; the message gives the reason."""


def results(text: str) -> tuple[DcgmResult, ...]:
    """The results of tests that did not pass."""
    root = _root(text)
    if root.get("runtime_error"):
        raise Unreadable(f"the diagnostic did not run: {root['runtime_error']}")
    tests = [test for category in _dicts(root.get("test_categories")) for test in _dicts(category.get("tests"))]
    if not tests:
        raise Unreadable("the output has no tests")
    named = [(str(test.get("name", "")), result) for test in tests for result in _of_test(test)]
    return tuple(dict.fromkeys(each for name, result in named for each in _results(name, result)))


def _root(text: str) -> dict[str, t.Any]:
    """The diagnostic in the output, which may have text before and after the document."""
    begin, end = text.find("{"), text.rfind("}")
    try:
        document = json.loads(text[begin : end + 1], strict=False)  # warnings may contain control characters
    except (ValueError, RecursionError):
        raise Unreadable("the output is not a JSON document") from None
    root = next((document[name] for name in _ROOTS if isinstance(document.get(name), dict)), None)
    if root is None:
        raise Unreadable("the output is not a DCGM diagnostic")
    return dict(root)


def _of_test(test: t.Mapping[str, t.Any]) -> list[dict[str, t.Any]]:
    """The results of a test. DCGM 4 adds a summary to them, which counts only if no result has the summary's status."""
    results = _dicts(test.get("results"))
    summary = test.get("test_summary")
    if isinstance(summary, dict) and _status(summary) not in map(_status, results):
        return [*results, {**summary, "entity_group": ""}]
    return results or [{"entity_group": ""}]


def _status(result: t.Mapping[str, t.Any]) -> str:
    return str(result.get("status", "")).lower().replace("_", " ")


def _results(test: str, result: t.Mapping[str, t.Any]) -> t.Iterator[DcgmResult]:
    status = _status(result)
    if status in PASSED:
        return
    for gpu in _gpus(result):
        for warning in _warnings(result.get("warnings")) or [("", None)]:
            yield DcgmResult(test, gpu, status, *warning)


def _gpus(result: t.Mapping[str, t.Any]) -> list[int | None]:
    """The indexes of the GPUs that a result is about. The only element is None if the result is about the whole node."""
    if result.get("entity_group", "GPU") != "GPU":
        return [None]
    ids = result.get("entity_id", result.get("gpu_id", result.get("gpu_ids", "")))
    numbers = [word.strip() for word in str(ids).split(",")]
    return [int(word) for word in numbers if word.isdecimal()] or [None]


def _warnings(value: t.Any) -> list[tuple[str, int | None]]:
    """The texts of warnings with their severity. DCGM 2 and 3 have only texts, or objects with a text."""
    found = []
    for each in value if isinstance(value, list) else [value] if value else []:
        if isinstance(each, dict):
            severity = each.get("error_severity")
            found.append((str(each.get("warning", each.get("warnings", ""))), severity if isinstance(severity, int) else None))
        else:
            found.append((str(each), None))
    return found


def _dicts(value: t.Any) -> list[dict[str, t.Any]]:
    """The objects in a list, which may also contain null."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
