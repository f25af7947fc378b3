# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A log is what a stranger has printed: hostile ones neither fail the look at other nodes nor put words elsewhere."""

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
def test_the_last_answer_counts(log: str) -> None:
    assert health(log) == FIT


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ("", "Its last line: nothing"),
        ("Traceback\nImportError: \x1b[2Jno\n", "Its last line: ImportError: ?[2Jno"),
        (between("{"), "It printed no answer."),
        (between("[" * 100_000), "It printed no answer."),
        (between('{"health": ' * 50_000), "It printed no answer."),
        (between("1" * 10_000), "It printed no answer."),
        (between("[]"), "It printed no answer."),
        (between('"\\ud800"'), "It printed no answer."),
        (f"{BEGIN}\n{{}}\n", "Its last line: {}"),
        (f"{BEGIN}\u2028{json.dumps({'health': FIT})}\u2028{END}", "It printed no answer."),
        (text_of({}), "Its output has no verdict."),
        (text_of({"health": "fit"}), "Its output has no verdict."),
        (text_of({"health": [FIT]}), "Its output has no verdict."),
        (text_of({"error": "Refused: \x1b[2J\nno"}), "Its accelerators could not be judged: Refused: ?[2J?no."),
        (text_of({"error": {"a": 1}, "health": FIT}), "Its accelerators could not be judged: {'a': 1}."),
    ],
)
def test_what_is_no_answer(log: str, why: str) -> None:
    with pytest.raises(NoAnswer) as refused:
        health(log)
    assert why in str(refused.value) and str(refused.value).isprintable()


def test_what_is_taken_of_an_answer_is_safe_to_hand_on() -> None:
    deep: t.Any = "x"
    for _level in range(20):
        deep = {"a": deep}
    told = {
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
    found = health(between(json.dumps({"health": told})))
    assert set(found) == {"verdict", "many", "long", "deep", "number", "all"} and found["verdict"] == "fit??]0;?"
    assert (len(found["many"]), len(found["all"]), len(found["long"]), found["number"]) == (MOST, MOST, 2000, None)
    assert "x" not in json.dumps(found["deep"]) and json.dumps(found, allow_nan=False).encode()
