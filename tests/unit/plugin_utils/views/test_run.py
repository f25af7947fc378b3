# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The beginning and end of a run on one cluster."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import run

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxpZXMgbGllcyBsaWVzIGxpZXMgbGllcyBsaWVzICEh"
LOCKED = {"owner": "ops@b", "expires": "then"}


def texts(findings: list[dict[str, str]]) -> str:
    return " ".join(each["text"] for each in findings)


@pytest.fixture
def variables() -> dict[str, t.Any]:
    return {
        "groups": {"cluster_ml": ["ml", "n1", "n2"], "instance_group_a": ["n1"], "instance_group_b": ["n2", "of-another"]},
        "hostvars": {"ml": {}, "n1": {}, "n2": {}, "of-another": {"hyperpod_usres": []}},
        "hyperpod_cluster_group": "cluster_ml",
        "hyperpod_cluster_key": "ml",
        "inventory_hostname": "ml",
        "run_operations_public_key": KEY,
        "run_operations_public_key_file": "/no/such.pub",
        "run_validated_roles": ["login_nodes"],
        "run_ordered_refusals": [],
    }


@pytest.mark.parametrize(("until", "live"), [("2099-01-01T00:00:00Z", True), ("2020-01-01T00:00:00Z", False)])
def test_a_hold_ends_at_its_time(variables: dict[str, t.Any], until: str, live: bool) -> None:
    hold = {"rollout": "keys", "wave": 2, "since": "2020-01-01T00:00:00Z", "until": until, "owner": "ops"}
    found = run.hold({**variables, "hyperpod_run": {"records": {"rollout": {"hold": hold}}}})
    assert found == run.Hold(live, {"rollout": "keys", "wave": 2, "since": "2020-01-01T00:00:00Z", "until": until})
    assert not run.hold({**variables, "hyperpod_run": {"records": {"rollout": {}}}}).live


@pytest.mark.parametrize("host", ["ml", "n1", "n2"])
def test_names_of_cluster_and_instance_groups_are_checked(variables: dict[str, t.Any], host: str) -> None:
    found = run.names(variables)
    assert (found.misspelt, found.unused) == ([], [])
    wrong = {"hyperpod_usres": [], "login_nodes_colour": "red"}
    variables["hostvars"][host].update(wrong)
    found = run.names({**variables, **(wrong if host == "ml" else {})})
    assert texts(found.misspelt).startswith("hyperpod_usres is not a variable of mlfleet.hyperpod; did you mean hyperpod_users?")
    assert [(each["kind"], each["code"]) for each in found.unused] == [("note", "variables-unused")]
    assert texts(found.unused).endswith(": login_nodes_colour")


def test_variables_are_checked_for_each_role(variables: dict[str, t.Any]) -> None:
    variables["hostvars"]["ml"]["hyperpod_gate_port"] = "many"
    (refusal,) = run.refusals(variables)
    assert (refusal["kind"], refusal["text"].split(":")[0]) == ("failure", "hyperpod_gate_port")
    assert run.refusals({**variables, "run_validated_roles": ["accounts"]}) == []


def test_a_misspelt_name_does_not_hide_invalid_values(variables: dict[str, t.Any]) -> None:
    wrong = {"hyperpod_usres": [], "hyperpod_gate_port": 600}
    variables["hostvars"]["ml"].update(wrong)
    found = run.refusals({**variables, **wrong})
    assert [each["text"].split()[0].strip(":") for each in found] == ["hyperpod_usres", "hyperpod_gate_port"]
    later = run.refusals({**variables, **wrong, "hyperpod_run": {"variables_validated": True}})
    assert [each["text"].split(":")[0] for each in later] == ["hyperpod_gate_port"]


def test_a_complete_controller_is_accepted(variables: dict[str, t.Any]) -> None:
    assert run.controller_refusals({**variables, "hyperpod_connection": "direct"}) == []
    assert run.controller_refusals(variables) == []


def test_a_controller_without_requirements_is_refused(
    variables: dict[str, t.Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    given = {"run_operations_public_key": "", "hyperpod_connection": "ssm"}
    key, program = run.controller_refusals({**variables, **given})
    assert "/no/such.pub does not exist" in key["text"]
    assert program["text"].startswith("Sessions with nodes need a program on the control node")
    variables["hostvars"]["ml"]["hyperpod_operations_public_key"] = "x"
    (key,) = run.controller_refusals({**variables, "run_operations_public_key": "x"})
    assert key["text"].startswith("hyperpod_operations_public_key: ")


@pytest.mark.parametrize(
    ("read", "message"),
    [
        ({"status": "InService"}, ""),
        ({"status": "Updating"}, ""),
        ({"status": "Creating"}, "Cluster ml is Creating; wait"),
        ({"status": "Deleting"}, "Cluster ml is Deleting; wait"),
        ({"status": "Failed"}, "Cluster ml is Failed; wait"),
        (None, "Cluster ml no longer exists; refresh"),
    ],
)
def test_a_cluster_is_refused_by_its_status(variables: dict[str, t.Any], read: dict[str, str] | None, message: str) -> None:
    found = run.cluster_refusals({**variables, "__run_read": {"cluster": read}})
    assert bool(found) == bool(message)
    assert texts(found).startswith(message)


@pytest.mark.parametrize(
    ("result", "outrun"),
    [
        ({"msg": "no"}, False),
        ({"msg": "no", "locked_by": LOCKED}, True),
        ({"msg": "no", "results": [{"msg": "a"}, {"msg": "b", "locked_by": LOCKED}]}, True),
        ({"msg": "no", "results": [{"msg": "a"}]}, False),
        ({"msg": 7, "results": 7}, False),
    ],
)
def test_a_lock_taken_by_another_run_is_recognised(result: dict[str, t.Any], outrun: bool) -> None:
    found = run.failure({"ansible_failed_result": result})
    assert (found.outrun, found.holder) == (outrun, LOCKED if outrun else {})


@pytest.mark.parametrize(
    ("result", "play", "expected"),
    [
        ({"msg": "no"}, {}, (False, False, [])),
        ({"msg": "no"}, {"hyperpod_isolates_nodes": True}, (False, True, [])),
        ({"msg": "no", "problems": ["users[a].uid"]}, {}, (True, False, [])),
        ({"msg": "no", "problems": "all"}, {}, (False, False, [])),
        ({"msg": "no", "locked_by": LOCKED}, {}, (False, False, [])),
        ({"msg": "no", "locked_by": LOCKED}, {"hyperpod_ordered": True}, (False, False, ["task-failed"])),
    ],
)
def test_the_reason_why_a_node_is_left_out_is_given(result: dict[str, t.Any], play: dict[str, bool], expected: tuple[t.Any, ...]) -> None:
    found = run.node_failure({"ansible_failed_result": result, **play})
    assert (found.conflict, found.isolated, [each["code"] for each in found.outrun]) == expected


def of_fleet(variables: dict[str, t.Any], **runs: dict[str, t.Any]) -> dict[str, t.Any]:
    """A cluster of login nodes n1, n2 and the given ones, with the run state of each."""
    names = sorted({"n1", "n2", *runs})
    access = {f"i-{node}": {"access": "ready", "status": "Running", "configured": True} for node in names}
    nodes = {node: {"hyperpod_instance_id": f"i-{node}", "hyperpod_run": runs.get(node, {})} for node in names}
    cluster = {"hyperpod_cluster_group": "cluster_ml", "hyperpod_run": {"node_access": access}}
    groups = {**variables["groups"], "hyperpod_clusters": ["ml"], "cluster_ml": ["ml", *names], "node_type_login": names}
    known = {"groups": groups, "group_names": ["cluster_ml"], "hostvars": {"ml": cluster, **nodes}}
    return {**variables, **known, "hyperpod_run": cluster["hyperpod_run"]}


CONFLICT = {"reached": True, "failed": True, "conflict": True}


def test_a_declaration_that_conflicts_with_most_nodes_is_refused(variables: dict[str, t.Any]) -> None:
    assert run.judgement_refusals(of_fleet(variables, n1=CONFLICT, n2={"reached": True})) == []
    (refusal,) = run.judgement_refusals(of_fleet(variables, n1=CONFLICT, n2=CONFLICT))
    assert (refusal["kind"], refusal["code"]) == ("failure", "plans-failed") and "conflict with several nodes: i-n1, i-n2." in refusal["text"]


def test_failed_login_nodes_are_removed_unless_all_failed(variables: dict[str, t.Any]) -> None:
    some = run.failed(of_fleet(variables, n1=CONFLICT, n2={"reached": True, "ready": True}))
    assert (some.login_nodes, some.failures) == (["i-n1"], [])
    every = run.failed(of_fleet(variables, n1=CONFLICT))
    assert (every.login_nodes, [each["code"] for each in every.failures]) == ([], ["login-nodes-failed"])


def test_nodes_outside_the_run_are_not_reported(variables: dict[str, t.Any]) -> None:
    assert run.failed({**of_fleet(variables), "hyperpod_internal_without_nodes": "true"}).failures == []
    assert run.failed(of_fleet(variables)).failures != []


def test_a_change_that_fails_on_most_login_nodes_fails_the_run(variables: dict[str, t.Any]) -> None:
    refused = {"reached": True, "failed": True, "in_turn": True}
    known = of_fleet(variables, n1=refused, n2=refused, n3={"reached": True, "dirty": True, "in_turn": False})
    found = run.failed(known)
    assert (found.login_nodes, [(each["kind"], each["code"]) for each in found.failures]) == ([], [("failure", "change-failed")])
    assert "i-n1, i-n2" in found.failures[0]["text"] and "i-n3" not in found.failures[0]["text"]


def test_a_failure_is_reported_with_its_reason() -> None:
    found = run.failure({"ansible_failed_result": {"msg": "AWS denied it"}})
    assert [(each["code"], each["text"]) for each in found.reasons] == [("task-failed", "AWS denied it")]


@pytest.mark.parametrize(("look", "looked"), [({"seen": {"a": 1}}, True), ({"seen": {}}, True), ({"seen": None}, False), ({}, False), (None, False)])
def test_a_started_full_look_is_recognised(look: t.Any, looked: bool) -> None:
    assert run.failure({"ansible_failed_result": {}, "hyperpod_look": look}).looked is looked


def test_the_state_folder_belongs_to_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ops")
    assert run.state_dir({"hyperpod_state_dir": "~/state"}) == "/home/ops/state"


def test_a_teardown_removes_drains_and_adoptions() -> None:
    known = {"drained": {"i-1": {}, "i-2": {}}, "adopted": {"balancer": {}}, "offboarded": {"mallory": {}}}
    assert run.records({"hyperpod_run": {"records": known}}) == [
        {"kind": "drained", "name": "i-1"},
        {"kind": "drained", "name": "i-2"},
        {"kind": "adopted", "name": "balancer"},
    ]
