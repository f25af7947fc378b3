# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which scripts are uploaded and recorded."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.model import (
    Desired,
    Place,
    Record,
    Script,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.plan import plan

PLACE, PATH = Place("sagemaker-x", "ml/"), "/mlfleet/hyperpod/abc123def456/lifecycle-scripts"
A, B = Script("a", "1"), Script("b", "2")


def recorded(place: Place = PLACE, **digests: str) -> State:
    record = Record(place, digests)
    return State({f"{PATH}/{number}": text for number, text in enumerate(record.texts())}, record, PLACE)


def wanted(*scripts: Script, path: str = PATH) -> Desired:
    return Desired(place=PLACE, scripts=scripts, path=path)


def with_objects(state: State, **digests: str) -> State:
    return State(state.parameters, state.record, PLACE, digests)


NOTHING = State(place=PLACE)
PUT_A, PUT_B = ("create", "object s3://sagemaker-x/ml/a"), ("create", "object s3://sagemaker-x/ml/b")
AGAIN_B = ("update", "object s3://sagemaker-x/ml/b")
CREATE, UPDATE = ("create", f"parameters {PATH}"), ("update", f"parameters {PATH}")
ROWS: list[tuple[Desired, State, list[tuple[str, str]]]] = [
    (wanted(A, B), NOTHING, [PUT_A, PUT_B, CREATE]),
    (wanted(A, B, path=""), NOTHING, [PUT_A, PUT_B]),
    (wanted(A, B), with_objects(NOTHING, a="1", b="2"), [CREATE]),
    (wanted(A, B), with_objects(recorded(a="1", b="2"), a="1", b="2"), []),
    (wanted(A, B), with_objects(recorded(a="1", b="2"), a="1", b="9"), [AGAIN_B]),
    (wanted(A, B), with_objects(recorded(a="1", b="2"), a="1", b=""), [AGAIN_B]),
    (wanted(A, B), with_objects(recorded(a="1", b="2"), a="1"), [PUT_B]),
    (wanted(A, B), with_objects(recorded(a="1", b="9"), a="1", b="9"), [AGAIN_B, UPDATE]),
    (wanted(A), with_objects(recorded(a="1", b="2"), a="1", b="2"), [UPDATE]),
    (wanted(A, B), with_objects(recorded(Place("sagemaker-y", ""), a="1", b="2"), a="1", b="2"), [UPDATE]),
    (wanted(A), State({f"{PATH}/0": "no json"}, None, PLACE, {"a": "1"}), [UPDATE]),
    (Desired(present=False, path=PATH), recorded(a="1"), [("delete", f"parameters {PATH}")]),
    (Desired(present=False, path=PATH), State(), []),
    (Desired(path=PATH), with_objects(recorded(a="1"), a="9"), []),
]


@pytest.mark.parametrize(("desired", "state", "changes"), ROWS)
def test_the_plan_has_the_expected_changes(desired: Desired, state: State, changes: list[tuple[str, str]]) -> None:
    found = plan(desired, state)
    assert [(change.action, change.resource) for change in found.changes] == changes
    after = found.after(state)
    assert after.changed() == () or desired == Desired(path=PATH)
    assert not plan(desired, after), "the next run has nothing to do"


def test_an_upload_contains_its_digests() -> None:
    (upload,) = plan(wanted(A, path=""), with_objects(NOTHING, a="9")).steps
    assert (upload.operation, upload.arguments) == ("PutObject", {"place": PLACE, "script": A})
    assert [(change.before, change.after) for change in upload.changes] == [("9", "1")]


def test_only_differing_parameters_are_written_and_surplus_ones_removed() -> None:
    many = {f"utils/script-{number:03}.sh": "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=" for number in range(120)}
    before = with_objects(recorded(**many), **many)
    assert len(before.parameters) == 3

    def step(digests: dict[str, str]) -> t.Mapping[str, t.Any]:
        scripts = tuple(Script(name, digest) for name, digest in digests.items())
        return plan(wanted(*scripts), with_objects(before, **digests)).steps[-1].arguments

    last = max(many)
    changed = step({**many, last: many[last].replace("n4", "n5")})
    assert ([*changed["texts"]], changed["surplus"], len(changed["there"])) == ([f"{PATH}/2"], (), 3)
    less = step(dict(list(many.items())[:10]))
    assert ([*less["texts"]], less["surplus"]) == ([f"{PATH}/0"], (f"{PATH}/1", f"{PATH}/2"))
