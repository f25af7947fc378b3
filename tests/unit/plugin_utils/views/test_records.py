# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manual removal of trust, drain and offboarding records, and of the lock."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import records

HOLDER = {"generation": 3, "owner": "ops@bastion", "acquired": "then", "expires": "soon", "pid": 7}
SHOWN = "ml:3:ops@bastion"


@pytest.fixture
def variables() -> dict[str, t.Any]:
    clusters = {key: {"hyperpod_cluster_key": key} for key in ("ml", "b")}
    return {
        "hyperpod_cluster_key": "ml",
        "hyperpod_cluster_arn": "arn:ml",
        "hyperpod_cluster_group": "cluster_ml",
        "ansible_check_mode": False,
        "ansible_play_hosts": ["ml", "b"],
        "ansible_play_hosts_all": ["ml", "b"],
        "groups": {"cluster_ml": ["ml", "ml-i-1"]},
        "hostvars": {**clusters, "ml-i-1": {"hyperpod_instance_id": "i-1"}},
        "records_evidence_dir": "/evidence",
        "records_forget_confirm": "",
        "records_forget_nodes": "",
        "records_forget_reason": "",
        "records_job": "ops",
        "records_readmit_name": "mallory",
        "records_readmit_reason": "back",
        "records_unlock_confirm": "",
        "records_unlock_running": "false",
    }


def known(variables: dict[str, t.Any], **of_ml: t.Any) -> dict[str, t.Any]:
    ml = {**variables["hostvars"]["ml"], **of_ml}
    return {**variables, **of_ml, "hostvars": {**variables["hostvars"], "ml": ml}}


def codes(findings: list[dict[str, str]]) -> list[str]:
    return [each["subject"] for each in findings]


@pytest.mark.parametrize(
    ("given", "ids", "names"),
    [
        ("", [], []),
        ("i-1, ml-i-1", ["i-1"], ["i-1", "ml-i-1"]),
        (["b-i-2", "a b"], ["b-i-2", "a b"], ["b-i-2"]),
    ],
)
def test_nodes_are_selected_by_host_or_id(variables: dict[str, t.Any], given: t.Any, ids: list[str], names: list[str]) -> None:
    found = records.forget({**variables, "records_forget_nodes": given})
    assert found.ids == ids and sorted(found.names) == names


def test_an_existing_node_stays_drained(variables: dict[str, t.Any]) -> None:
    results = [{"item": "i-1", "changes": [{}]}, {"item": "i-9", "changes": [{}]}, {"item": "i-8", "changes": []}]
    assert records.undrainable({**variables, "__records_drained": {"results": results}}) == ["i-9"]


@pytest.mark.parametrize(
    ("given", "refused"),
    [("", True), ("i-1", False), ("ml-i-9", False), ("i-1,i-2", True), ("xi-1", True), ("a b", True)],
)
def test_a_node_without_a_record_is_refused(variables: dict[str, t.Any], given: str, refused: bool) -> None:
    found = records.forgotten(known({**variables, "records_forget_nodes": given}, __records_forgettable=["i-1"], __records_undrainable=["i-9"]))
    assert codes(found.refusals) == (["forget_nodes"] if refused else [])


@pytest.mark.parametrize(("drained", "code"), [([], "forgotten"), (["i-1", "i-9"], "forgotten-with-drain")])
def test_removed_records_are_reported(variables: dict[str, t.Any], drained: list[str], code: str) -> None:
    given = known({**variables, "records_forget_nodes": "i-1"}, __records_forgettable=["i-1"], __records_undrainable=drained)
    found = records.forgotten(given)
    assert (found.nodes, found.done["says"], found.done["values"]["were"]) == (["i-1", *drained[1:]], code, "are")
    assert found.evidence["drained_records"] == drained and codes(found.unconfirmed) == ["forget_confirm"]
    assert records.forgotten({**given, "records_forget_confirm": "b, ml"}).unconfirmed == []


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({}, []),
        ({"records_readmit_name": ""}, ["readmit_name"]),
        ({"records_readmit_name": "a b"}, ["readmit_name"]),
        ({"records_readmit_reason": " "}, ["readmit_reason"]),
    ],
)
def test_a_readmission_needs_a_name_and_a_reason(variables: dict[str, t.Any], given: dict[str, t.Any], refused: list[str]) -> None:
    assert codes(records.readmit_refusals({**variables, **given})) == refused


def test_the_removed_record_is_part_of_the_evidence(variables: dict[str, t.Any]) -> None:
    read = {"records": {"offboarded": {"mallory": {}, "eve": {}}}, "changes": [{"before": {"uid": 20003}}]}
    taken = records.offboarded({**variables, "__records_person": read})
    assert (taken.names, taken.readmitted) == (["mallory", "eve"], [{"uid": 20003}])
    found = records.readmitted(known(variables, __records_readmitted=taken.readmitted, __records_offboarded=taken.names))
    assert (found.refusals, found.evidence["record"], found.done["values"]["uid"]) == ([], {"uid": 20003}, "UID 20003")


def test_a_user_who_was_never_offboarded_is_not_readmitted(variables: dict[str, t.Any]) -> None:
    found = records.readmitted(known(variables, __records_readmitted=[], __records_offboarded=["eve"]))
    assert [each["text"][-4:] for each in found.refusals] == ["eve."] and found.done["values"]["uid"] == "the previous UID"


@pytest.mark.parametrize(
    ("holder", "confirm", "held", "end", "refused"),
    [
        (None, "", False, False, 0),
        (HOLDER, "", True, False, 1),
        (HOLDER, SHOWN, True, True, 0),
        (HOLDER, "x:1:ops", True, False, 1),
        (HOLDER, "b:1:ops", True, False, 0),
    ],
)
def test_only_the_confirmed_lock_is_removed(
    variables: dict[str, t.Any], holder: t.Any, confirm: str, held: bool, end: bool, refused: int
) -> None:
    read = {"__records_held": {"holder": holder, "holder_run": "ended"}, "records_unlock_confirm": confirm}
    found = records.unlock({**variables, **read})
    assert (found.held, found.end, len(found.refusals)) == (held, end, refused)


@pytest.mark.parametrize(("check_mode", "file"), [(False, "The evidence is in /evidence/x"), (True, "Check mode writes no evidence")])
def test_the_evidence_contains_author_and_action(variables: dict[str, t.Any], check_mode: bool, file: str) -> None:
    given = {"__records_evidence": {"action": "unlock"}, "__records_evidence_file": "/evidence/x", "ansible_check_mode": check_mode}
    found = records.evidence({**variables, **given})
    assert found.path.startswith("/evidence/unlock-ml-2") and [each["text"] for each in found.files] == [file]
    written = json.loads(found.content)
    assert (written["by"], written["cluster"], written["arn"], written["action"]) == ("ops", "ml", "arn:ml", "unlock")
