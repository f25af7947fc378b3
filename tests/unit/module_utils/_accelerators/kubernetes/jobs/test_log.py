# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs are untrusted: a hostile one fails no other check and adds no text outside its values."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.log import MOST, NoAnswer, health
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.pod.answer import BEGIN, END, text_of

FIT = {"verdict": "fit", "gpus": [{"part": "GPU 0"}], "expected": {"gpus": None}, "share": 0.5}


def between(text: str) -> str:
    return f"{BEGIN}\n{text}\n{END}\n"


@pytest.mark.parametrize(
    "log",
    [
        text_of({"health": FIT}),
        "noise\n" + text_of({"health": FIT}) + "more noise\n",
        text_of({"health": {}}) + text_of({"health": FIT}),
    ],
)
def test_the_last_result_in_the_log_counts(log: str) -> None:
    assert health(log) == FIT


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ("", "The last line of its output: nothing"),
        ("Traceback\nImportError: \x1b[2Jno\n", "The last line of its output: ImportError: ?[2Jno"),
        (between("{"), "The check printed no result."),
        (between("[" * 100_000), "The check printed no result."),
        (between('{"health": ' * 50_000), "The check printed no result."),
        (between("1" * 10_000), "The check printed no result."),
        (between("[]"), "The check printed no result."),
        (between('"\\ud800"'), "The check printed no result."),
        (f"{BEGIN}\n{{}}\n", "The last line of its output: {}"),
        (f"{BEGIN}\u2028{json.dumps({'health': FIT})}\u2028{END}", "The check printed no result."),
        (text_of({}), "The check's output has no verdict."),
        (text_of({"health": "fit"}), "The check's output has no verdict."),
        (text_of({"health": [FIT]}), "The check's output has no verdict."),
        (text_of({"error": "Refused: \x1b[2J\nno"}), "The node's accelerators could not be assessed: Refused: ?[2J?no."),
        (text_of({"error": {"a": 1}, "health": FIT}), "The node's accelerators could not be assessed: {'a': 1}."),
    ],
)
def test_logs_without_a_result_are_refused(log: str, why: str) -> None:
    with pytest.raises(NoAnswer) as refused:
        health(log)
    assert why in str(refused.value) and str(refused.value).isprintable()


def test_values_of_a_result_are_bounded_and_printable() -> None:
    deep: t.Any = "x"
    for _level in range(20):
        deep = {"a": deep}
    hostile = {
        "verdict": "fit\ud800\x1b]0;\u202e",
        "__ansible_type": "x",
        "_ansible_no_log": True,
        "A": 1,
        "a.b": 1,
        "many": list(range(10_000)),
        "long": "y" * 10_000,
        "deep": deep,
        "number": float("nan"),
        "all": {f"k{number}": 1 for number in range(10_000)},
    }
    found = health(between(json.dumps({"health": hostile})))
    assert set(found) == {"verdict", "many", "long", "deep", "number", "all"} and found["verdict"] == "fit??]0;?"
    assert (len(found["many"]), len(found["all"]), len(found["long"]), found["number"]) == (MOST, MOST, 2000, None)
    assert "x" not in json.dumps(found["deep"]) and json.dumps(found, allow_nan=False).encode()
