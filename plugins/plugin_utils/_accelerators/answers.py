# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates the result of ``accelerator_health``, which is untrusted because a node can return anything."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import (
    CONFIG,
    FABRIC,
    HARDWARE,
    SERVICE,
    UNKNOWN,
    VERDICTS,
    WORKLOAD,
    worst,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.codes import CODES, UNKNOWN as NO_CODE

from ..untrusted import Row, entries, line, rows

CAUSES = (HARDWARE, FABRIC, WORKLOAD, CONFIG, SERVICE)
MOST = 200
"""The maximum number of entries of a list. It bounds the report, which covers all nodes."""
LARGEST = 10_000
COUNTS = ("gpus", "efa_devices", "neuron_devices")
Health = dict[str, t.Any]


def health_of(value: t.Any) -> Health | None:
    """The result in the module's format; None if it has no valid verdict.

    The returned verdict is at least as bad as the verdict of every reported problem.
    """
    if not isinstance(value, t.Mapping) or value.get("verdict") not in VERDICTS:
        return None
    problems = [_problem(each) for each in _rows(value.get("problems"))]
    return {
        "verdict": worst([value["verdict"], *(each["verdict"] for each in problems)]),
        "problems": problems,
        "waived": [{**_problem(each), **_texts(each, "until", "why")} for each in _rows(value.get("waived"))],
        "gpus": [{**_texts(each, "part", "key"), "verdict": _verdict(each)} for each in _rows(value.get("gpus"))],
        "versions": _versions(value.get("versions")),
        "looked_at": _words(value.get("looked_at")),
        "not_looked_at": [_texts(each, "what", "why") for each in _rows(value.get("not_looked_at"))],
        "expected": _expected(value.get("expected")),
    }


def _problem(row: Row) -> dict[str, t.Any]:
    code, cause = row.get("code"), row.get("cause")
    return {
        **_texts(row, "part", "key", "text", "evidence"),
        "code": code if isinstance(code, str) and code in CODES else NO_CODE,
        "verdict": _verdict(row),
        "cause": cause if cause in CAUSES else SERVICE,
        "folded": _words(row.get("folded")),
    }


def _verdict(row: Row) -> str:
    return str(row["verdict"]) if row.get("verdict") in VERDICTS else UNKNOWN


def _versions(value: t.Any) -> dict[str, str]:
    found = value.items() if isinstance(value, t.Mapping) else ()
    return {line(name): line(version) for name, version in list(found)[:MOST]}


def _expected(value: t.Any) -> dict[str, t.Any]:
    answer = value if isinstance(value, t.Mapping) else {}
    counts = {name: answer.get(name) for name in COUNTS}
    return {
        **{name: count if _is_count(count) else None for name, count in counts.items()},
        "source": line(answer.get("source")),
    }


def _is_count(value: t.Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST


def _texts(row: Row, *names: str) -> dict[str, str]:
    return {name: line(row.get(name)) for name in names}


def _words(value: t.Any) -> list[str]:
    return [line(each) for each in entries(value, MOST)]


def _rows(value: t.Any) -> list[Row]:
    return rows(value, MOST)
