# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""States from controllers, which may have any form."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import NOTHING, State, names, states
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import entries, line, rows

HELD = {"features": ["a"], "partitions": ["b", "c"], "reservations": ["d"]}
NODE = {"name": "n1", "address": "10.0.0.1", "state": "drained", "reason": "cooling", **HELD}


def job(number: int, *nodes: str) -> dict[str, t.Any]:
    return {"id": str(number), "user": "alice", "nodes": list(nodes)}


def test_a_node_is_read_with_its_jobs() -> None:
    answer = {"nodes": [NODE], "jobs": [job(7, "n1", "n2"), job(8, "n2"), job(9, "n1")]}
    expected = State("drained", "cooling", ("7 of alice", "9 of alice"), ("a",), ("b", "c"), ("d",))
    assert states(answer)["10.0.0.1"] == expected
    assert names(answer) == {"10.0.0.1": "n1", "n1": "n1"}


def test_a_node_is_found_by_name_as_well() -> None:
    answer = {"nodes": [{"name": "ip-10-0-0-2", "address": "head", "state": "idle"}]}
    assert states(answer) == {"head": State("idle"), "10.0.0.2": State("idle")}
    assert names(answer) == {"head": "ip-10-0-0-2", "10.0.0.2": "ip-10-0-0-2"}


def test_the_jobs_of_a_node_are_bounded() -> None:
    answer = {"nodes": [NODE], "jobs": [job(number, "n1") for number in range(30)]}
    assert states(answer)["10.0.0.1"].jobs == tuple(f"{number} of alice" for number in range(20))


@pytest.mark.parametrize("answer", [None, "x", [], {}, {"nodes": "x"}, {"nodes": [None, "x"]}])
def test_invalid_answers_have_no_states(answer: t.Any) -> None:
    assert states(answer) == {} == names(answer)


def test_an_unreported_node_has_no_state() -> None:
    assert State("", "", (), (), (), ()) == NOTHING


@pytest.mark.parametrize(("value", "expected"), [(None, ""), ("", ""), (0, ""), (7, "7"), ("a\nb", "a b"), ("x" * 3000, "x" * 2000)])
def test_a_state_is_formatted(value: t.Any, expected: str) -> None:
    assert line(value) == expected


@pytest.mark.parametrize(("value", "expected"), [([1, 2, 3], [1, 2]), ((1,), (1,)), ("abc", ()), ({"a": 1}, ()), (None, ())])
def test_entries_of_a_list_are_validated(value: t.Any, expected: t.Any) -> None:
    assert entries(value, 2) == expected


def test_rows_must_be_objects() -> None:
    assert rows([{"a": 1}, "x", None, {"b": 2}], 3) == [{"a": 1}] and rows("x", 3) == []
