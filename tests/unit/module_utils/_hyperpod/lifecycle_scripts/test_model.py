# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded digests: their size in parameters, and unreadable ones."""

from __future__ import annotations

import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.model import (
    LARGEST,
    Place,
    Record,
    Script,
    State,
)

PLACE = Place("sagemaker-x", "ml/src/")
DIGEST = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="


@pytest.mark.parametrize(("count", "parameters"), [(0, 1), (1, 1), (47, 1), (200, 4)])
def test_a_record_is_read_back_from_its_parameters(count: int, parameters: int) -> None:
    record = Record(PLACE, {f"utils/script-{number}.sh": DIGEST for number in range(count)})
    texts = record.texts()
    assert all(len(text) <= LARGEST for text in texts) and len(texts) == parameters
    assert Record.of_texts(texts) == record


GOOD = json.dumps({"version": 1, "bucket": "b", "prefix": "p/", "digests": {"a": DIGEST}})
OTHER = json.dumps({"version": 1, "bucket": "c", "prefix": "p/", "digests": {"b": DIGEST}})


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["no json"],
        ["[]"],
        ["null"],
        ['{"version": 1}'],
        [GOOD.replace("1", "2", 1)],
        [GOOD.replace('"b"', "7")],
        [GOOD.replace(f'"{DIGEST}"', "7")],
        ['{"version": 1, "bucket": "b", "prefix": "", "digests": ["a"]}'],
        [GOOD, "no json"],
        [GOOD, OTHER],
        ["[" * 100_000],
    ],
)
def test_unreadable_records_are_recognised(texts: list[str]) -> None:
    assert Record.of_texts(texts) is None


def test_scripts_that_differ_from_the_record_are_listed() -> None:
    record = Record(PLACE, {"a": "1", "b": "2", "c": "3", "d": "4"})
    state = State({"p": ""}, record, PLACE, {"a": "1", "b": "9", "c": ""}, ())
    assert state.changed() == ("b", "c", "d") and not state.unreadable
    assert State({"p": ""}, record, Place("sagemaker-y", ""), {}, ()).changed() == (), "another place was recorded"
    assert State({"p": ""}, None).unreadable and not State().unreadable


def test_an_upload_and_a_record_change_the_state() -> None:
    state = State({}, None, PLACE, {"old": "1"}, ("other",)).with_object(Script("new", "2"))
    assert state.digests == {"old": "1", "new": "2"}
    after = state.with_record(Record(PLACE, {"new": "2"}), {"p/0": "text"})
    assert (after.digests, after.others, after.parameters) == ({"new": "2"}, ("old", "other"), {"p/0": "text"})
    assert PLACE.uri("a") == "s3://sagemaker-x/ml/src/a" and Place("sagemaker-x", "").key("a") == "a"
