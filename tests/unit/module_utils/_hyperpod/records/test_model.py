# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stored records, parameters that are no records, and the result."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.model import BadRecord, Desired, State, is_name
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.result import result

NODE = "i-0123456789abcdef0"
PATH = "/mlfleet/hyperpod/abc123def456/records"


def bad(kind: str, name: str) -> BadRecord:
    return BadRecord(f"{PATH}/{kind}/{name}", kind, name, "it is not a JSON object", "us-west-2")


def test_a_record_is_kept_with_its_fields_in_order() -> None:
    desired = Desired(True, "drained", NODE, {"reason": "fans", "until": "later"}, "bob@two", "2026-11-21T00:00:00Z")
    assert desired.text == '{"owner": "bob@two", "reason": "fans", "since": "2026-11-21T00:00:00Z", "until": "later"}'
    assert desired.resource == f"record drained {NODE}"


def test_missing_fields_are_empty() -> None:
    desired = Desired(True)
    assert (desired.kind, desired.name, desired.value, desired.owner, desired.now) == ("", "", {}, "", "")
    assert (State().records, State().bad) == ({}, ())


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("drained", NODE, True),
        ("drained", "i-01234567", True),
        ("drained", "i-012345678", False),
        ("repaired", NODE, True),
        ("repaired", f"{NODE}0", False),
        ("offboarded", "a" * 32, True),
        ("offboarded", "a" * 33, False),
        ("offboarded", "_a-1", True),
        ("offboarded", "1a", False),
        ("adopted", "balancer", True),
        ("adopted", "host_keys", True),
        ("adopted", "host_keys2", False),
    ],
)
def test_names_are_checked_by_kind(kind: str, name: str, expected: bool) -> None:
    assert is_name(kind, name) is expected


@pytest.mark.parametrize(
    ("record", "guards", "kept", "then"),
    [
        (bad("drained", NODE), False, True, "The node stays drained until you undrain it."),
        (bad("drained", "web"), False, False, "It drains no node. Remove the parameter (aws ssm delete-parameter --region us-west-2 --name "),
        (bad("repaired", NODE), False, False, "It records no repair. Remove the parameter (aws ssm delete-parameter "),
        (bad("offboarded", "ann"), True, False, f"Repair it, or remove it (aws ssm delete-parameter --region us-west-2 --name '{PATH}/offboarded/ann')."),
        (bad("adopted", "balancer"), True, False, "Repair it, or remove it (aws ssm delete-parameter "),
    ],
)
def test_a_parameter_that_is_no_record_is_reported(record: BadRecord, guards: bool, kept: bool, then: str) -> None:
    assert (record.guards, record.kept) == (guards, kept)
    assert str(record).startswith(f"Parameter {record.path} is not a valid record: it is not a JSON object") and then in str(record)


def test_an_invalid_record_counts_as_present() -> None:
    state = State({"drained": {NODE: {"owner": "ann"}}}, (bad("drained", "web"),))
    for kind, name, there in (("drained", NODE, True), ("drained", "web", True), ("drained", "i-2", False), ("adopted", "web", False)):
        assert state.is_there(kind, name) is there
    assert state.record("drained", NODE) == {"owner": "ann"} and state.record("adopted", NODE) is None


def test_a_new_record_replaces_an_invalid_one() -> None:
    others = (bad("drained", "other"), bad("offboarded", "web"))
    state = State({"drained": {NODE: {"owner": "ann"}}, "adopted": {}}, (bad("drained", "web"), *others))
    assert state.with_record("drained", "web", {}) == State({"drained": {NODE: {"owner": "ann"}, "web": {}}, "adopted": {}}, others)
    assert state.with_record("drained", NODE, None) == State({"drained": {}, "adopted": {}}, state.bad)


@pytest.mark.parametrize("present", [True, False])
def test_the_result_contains_the_record_and_its_findings(present: bool) -> None:
    wrong = bad("drained", "web")
    found: dict[str, t.Any] = result(Desired(present), State({"drained": {}}, (wrong,)))
    findings = [(each["code"], each["severity"], each["subject"], each["text"]) for each in found["hyperpod_findings"]]
    assert found["records"] == {"drained": {}}
    assert findings == ([("record-not-readable", "warning", wrong.path, str(wrong))] if present else [])
