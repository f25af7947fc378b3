# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about changed scripts and other objects."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.model import (
    Desired,
    Place,
    Record,
    Script,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.result import Report, described, findings

PLACE, PATH = Place("sagemaker-x", "ml/"), "/mlfleet/hyperpod/abc123def456/lifecycle-scripts"
RECORD = Record(PLACE, {"a": "1", "b": "2"})
CHANGED = State({f"{PATH}/0": "…"}, RECORD, PLACE, {"a": "1", "b": "9"})
GONE = State({f"{PATH}/0": "…"}, RECORD, PLACE, {"a": "1"})
ONLY_COMPARE = Desired(path=PATH)


def wanted(**digests: str) -> Desired:
    return Desired(place=PLACE, scripts=tuple(Script(name, digest) for name, digest in digests.items()), path=PATH)


@pytest.mark.parametrize(
    ("state", "desired", "uploads", "expected"),
    [
        (CHANGED, ONLY_COMPARE, False, [("pending", "lifecycle-script-changed", "s3://sagemaker-x/ml/b")]),
        (GONE, ONLY_COMPARE, False, [("pending", "lifecycle-script-changed", "s3://sagemaker-x/ml/b")]),
        (CHANGED, wanted(a="1", b="2"), False, [("pending", "lifecycle-script-changed", "s3://sagemaker-x/ml/b")]),
        (CHANGED, wanted(a="1", b="2"), True, [("note", "lifecycle-script-changed", "s3://sagemaker-x/ml/b")]),
        (GONE, wanted(a="1", b="2"), True, [("note", "lifecycle-script-changed", "s3://sagemaker-x/ml/b")]),
        (CHANGED, wanted(a="1", b="9"), True, []),
        (CHANGED, wanted(a="1"), True, []),
        (State({f"{PATH}/0": "…"}, RECORD, PLACE, {"a": "1", "b": "2"}), ONLY_COMPARE, False, []),
        (State({f"{PATH}/0": "…"}, None), ONLY_COMPARE, False, [("pending", "lifecycle-digests-not-readable", PATH)]),
        (State({f"{PATH}/0": "…"}, None, PLACE), wanted(a="1"), True, []),
        (State(), ONLY_COMPARE, False, []),
        (State({}, None, PLACE, {}, ("x",)), wanted(a="1"), True, [("note", "lifecycle-object-unknown", "s3://sagemaker-x/ml/")]),
    ],
)
def test_findings_describe_changed_scripts_and_other_objects(state: State, desired: Desired, uploads: bool, expected: list[tuple[str, str, str]]) -> None:
    assert [(each.kind, each.code, each.subject) for each in findings(state, desired, uploads=uploads)] == expected


def test_a_message_describes_the_problem_and_the_next_step() -> None:
    (changed,) = findings(CHANGED, ONLY_COMPARE, uploads=False)
    assert changed.text == (
        "The lifecycle script s3://sagemaker-x/ml/b, which HyperPod runs as root on new nodes, was changed after its upload. "
        "Check the nodes that were created after the change, and run the playbook cluster to upload the script again."
    )
    (gone,) = findings(GONE, wanted(a="1", b="2"), uploads=True)
    assert " was removed after its upload. " in gone.text
    assert gone.text.endswith(" This run uploads the declared script. Check the nodes that were created after the change.")


def test_names_of_other_objects_are_printable_short_and_few() -> None:
    names = ("\x1b[31m", "x" * 1000, *(f"n{number}" for number in range(10)))
    (others,) = findings(State({}, None, PLACE, {}, names), ONLY_COMPARE, uploads=False)
    assert ": ?[31m, " + "x" * 100 + "…, n0, " in others.text
    assert "n7, and perhaps more." in others.text and "n8" not in others.text


def test_a_changed_script_is_reported_after_its_upload() -> None:
    report = Report(wanted(a="1", b="2"), uploads=True)
    assert report.noted(CHANGED) is CHANGED
    after = State(CHANGED.parameters, RECORD, PLACE, {"a": "1", "b": "2"})
    result = report.result(after)
    assert result["lifecycle_scripts"]["changed"] == [] and [each["code"] for each in result["hyperpod_findings"]] == ["lifecycle-script-changed"]


def test_nothing_is_described_without_a_record() -> None:
    assert described(State()) is None
    found = described(CHANGED)
    assert found is not None and (found["recorded"], found["changed"], found["bucket"]) == (True, ["b"], "sagemaker-x")
