# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of a controller, as far as they can be parsed."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.answers import outcome


def test_a_completed_test_is_read() -> None:
    answer = {"verdict": "failed", "failure": "no-efa", "text": "Sockets.", "evidence": ["NET/Socket", "x"], "gpu_direct": False}
    found = outcome(["i-1", "i-2"], answer)
    assert (found.ids, found.verdict, found.failure, found.text, found.evidence, found.direct) == (
        ("i-1", "i-2"), "failed", "no-efa", "Sockets.", "NET/Socket", False
    )  # fmt: skip
    figures = outcome(["i-1", "i-2"], {**answer, "bandwidth": 201.4, "floor": 303}).to_report()
    assert figures == {"nodes": ["i-1", "i-2"], "verdict": "failed", "bandwidth": 201.4, "floor": 303.0, "text": "Sockets."}
    assert outcome(["i-1"], {**answer, "verdict": "slow", "failure": ""}).evidence == "", "the bandwidth shows that it is slow"
    by = outcome(["i-1"], {**answer, "bytes": 2**32, "carried_by": "sockets"})
    assert (by.bytes, by.carried_by) == (2**32, "sockets")


@pytest.mark.parametrize("answer", [None, "x", [], {}, {"verdict": "splendid"}, {"verdict": None}])
def test_invalid_answers_are_reported_as_no_answer(answer: t.Any) -> None:
    found = outcome(["i-1"], answer)
    assert (found.ids, found.verdict, found.failure) == (("i-1",), "not_run", "no-answer")


def test_untrusted_values_are_made_harmless() -> None:
    rude = {"verdict": "not_run", "failure": ["x"], "text": "\x1b[2J" + "x" * 9999 + "\n", "evidence": {"a": 1}, "gpu_direct": "yes"}
    found = outcome(["i-1"], {**rude, "ids": ["i-9"], "nodes": ["i-9"]})
    assert all(outcome(["i-1"], {**rude, "bandwidth": each}).bandwidth is None for each in ("x", True, -1, float("nan"), float("inf"), []))
    assert all(outcome(["i-1"], {**rude, "bytes": each}).bytes is None for each in ("x", True, 0, 2**80, 1.5, []))
    assert all(outcome(["i-1"], {**rude, "carried_by": each}).carried_by == "" for each in ("pigeons", ["EFA"], {}, None))
    assert found.ids == ("i-1",) and found.direct is None and found.evidence == ""
    assert all(each.isprintable() and len(each) <= 300 for each in (found.failure, found.text))
