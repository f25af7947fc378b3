# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a rollout is stored and read back completely. Anything else in its parameters is refused."""

from __future__ import annotations

import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.model import (
    ABORTED,
    WAITING,
    Decision,
    Head,
    Member,
    Record,
    Wave,
)

TIME = "2026-11-30T12:00:00Z"
HEAD = Head("reconcile", "v", "1.0.0", TIME, "ops@bastion", TIME, 2, {"2": {"by": "ops", "at": TIME, "plan": "p"}})
WAVE = Wave({"a": Member("1", "done"), "b": Member("2")}, 30, True, TIME)


def test_a_record_is_read_as_it_was_written() -> None:
    assert Head.from_json("p", HEAD.to_json()) == HEAD
    assert Wave.from_json("p", WAVE.to_json()) == WAVE


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"members": {"a": ["1", "excellent"]}},
        {"members": {"a": "1"}},
        {"members": ["a"]},
        {"started": "yesterday"},
        {"started": "2026-11-30T12:00:00"},
        {"soak_minutes": "x"},
    ],
)
def test_an_invalid_wave_is_refused_with_the_name_of_its_parameter(change: dict[str, object]) -> None:
    with pytest.raises(Refused, match=r"Parameter /r/waves/1 is not a valid record of a rollout\. Check it, or delete it"):
        Wave.from_json("/r/waves/1", json.dumps({**json.loads(WAVE.to_json()), **change}))


@pytest.mark.parametrize(
    "change", [{"version_of_record": 2}, {"waves": 0}, {"approvals": {"2": "yes"}}, {"hold_until": ""}, {"created": 3}, {"aborted": ["x"]}, {"version": {}}]
)
def test_an_invalid_head_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(Refused, match="Parameter /r/head is not a valid record"):
        Head.from_json("/r/head", json.dumps({**json.loads(HEAD.to_json()), **change}))


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '"x"'])
def test_texts_that_are_no_records_are_refused(text: str) -> None:
    for kind in (Head, Wave):
        with pytest.raises(Refused):
            kind.from_json("p", text)


def test_clusters_of_waves_that_have_not_started_are_held() -> None:
    later = Wave({"c": Member("3"), "d": Member("4", "gone")})
    record = Record(HEAD, (WAVE, later))
    assert Decision(record, WAITING, "").hold == ("c",)
    assert Decision(record, ABORTED, "").hold == ()
