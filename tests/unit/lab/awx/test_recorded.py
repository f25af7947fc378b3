# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-in of AWX gives a real AWX's answers to the recorded requests: the status, and the names of the fields."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from lab.awx.api import ROOT, Awx
from lab.awx.kinds import REFERENCES

RECORDED = [json.loads(line) for line in Path(__file__).with_name("requests.jsonl").read_text().splitlines()]
"""Requests to a real AWX (development state of October 2024), and its answers."""
ANONYMOUS = 401


class Replay:
    """Sends recorded requests, with the ids of the stand-in in place of the recorded ones."""

    def __init__(self) -> None:
        self.awx = Awx()
        self.ids: dict[tuple[str, int], int] = {}

    def send(self, recorded: dict[str, t.Any]) -> tuple[int, t.Any]:
        status, answer = self.awx.call(recorded["method"], self._path(recorded["path"]), self._body(recorded["body"]))
        if recorded["status"] == 201 and status == 201:
            plural = answer["url"].removeprefix(ROOT).partition("/")[0]
            self.ids[(plural, recorded["answer"]["id"])] = answer["id"]
        return status, answer

    def _path(self, path: str) -> str:
        plural, slash, rest = path.partition("/")
        number, more, below = rest.partition("/")
        return f"{plural}/{self._id(plural, int(number))}{more}{below}" if number.isdigit() else f"{plural}{slash}{rest}"

    def _body(self, body: t.Any) -> t.Any:
        if not isinstance(body, dict):
            return body
        return {name: self._id(REFERENCES[name], value) if name in REFERENCES and isinstance(value, int) else value for name, value in body.items()}

    def _id(self, plural: str, number: int) -> int:
        return self.ids.get((plural, number), number)


@pytest.fixture(scope="module")
def answers() -> list[tuple[int, t.Any]]:
    replay = Replay()
    return [replay.send(each) if each["status"] != ANONYMOUS else (ANONYMOUS, each["answer"]) for each in RECORDED]


@pytest.mark.parametrize("number", range(len(RECORDED)), ids=[f"{n}-{each['method']}-{each['path']}" for n, each in enumerate(RECORDED)])
def test_the_answer_is_that_of_a_real_awx(answers: list[tuple[int, t.Any]], number: int) -> None:
    recorded, (status, answer) = RECORDED[number], answers[number]
    assert status == recorded["status"], answer
    if status >= 400:
        assert answer == _with_own_ids(recorded["answer"], answer)
    else:
        assert _names(answer) == _names(recorded["answer"])


def _with_own_ids(recorded: t.Any, answer: t.Any) -> t.Any:
    """Ids differ, because the recorded AWX had other objects before."""
    if isinstance(recorded, dict) and "active_jobs" in recorded:
        return {**recorded, "active_jobs": answer["active_jobs"]}
    return recorded


def _names(answer: t.Any) -> t.Any:
    if isinstance(answer, dict) and "results" in answer:
        return {"page": sorted(answer), "results": sorted({name for each in answer["results"] for name in each})}
    return sorted(answer) if isinstance(answer, dict) else answer
