# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the records of a cluster, ten parameters per call, and finds invalid ones."""

from __future__ import annotations

import json
import typing as t

from ..._aws.parameters import Parameters
from ..._core.arn import ClusterArn
from ..._core.text import printable
from ..._core.times import moment_of
from .model import ADOPTED, KINDS, NAMES, OFFBOARDED, ROLLOUT, BadRecord, Record, State, is_name, path_of


class Observer:
    def __init__(self, parameters: Parameters, arn: ClusterArn) -> None:
        self._parameters = parameters
        self._arn = arn

    def __call__(self) -> State:
        path = path_of(self._arn)
        records: dict[str, dict[str, Record]] = {kind: {} for kind in KINDS}
        bad = []
        for full_name, text in self._parameters.below(path, about=f"records {path}", recursive=True).items():
            kind, _slash, name = full_name[len(path) + 1 :].partition("/")
            if kind not in records:
                continue
            value, why = _read(kind, name, text)
            if why:
                bad.append(BadRecord(full_name, kind, name, why, self._arn.region))
            if not why or bad[-1].kept:
                records[kind][name] = value
        return State(records, tuple(bad))


def _read(kind: str, name: str, text: str) -> tuple[Record, str]:
    """The record, and the reason why it is invalid; the reason is empty for a valid record."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return {}, "it is not a JSON object"
    if kind != ADOPTED and not is_name(kind, name):
        return value, f"'{printable(name)}' is not {NAMES[kind][1]}"
    numbers = [value.get("uid", 0), *_as_list(value.get("other_uids"))]
    if kind == OFFBOARDED and not all(str(number).isdigit() for number in numbers):
        return value, "uid and other_uids must be whole numbers"
    if kind == ROLLOUT and not _is_time(value.get("until")):
        return value, "until must be a time with a time zone"
    return value, ""


def _is_time(value: t.Any) -> bool:
    try:
        return moment_of(str(value)).tzinfo is not None
    except ValueError:
        return False


def _as_list(value: t.Any) -> list[t.Any]:
    return [] if value is None else value if isinstance(value, list) else [value]
