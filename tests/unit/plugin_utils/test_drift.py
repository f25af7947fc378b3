from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import drift
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import Source
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import Verdict


def node(instance_id):
    return Source("ml", instance_id, f"ml-{instance_id}", trusted=False)


WAITS = {"kind": "pending", "code": "home-waits"}
ML = Source("ml", "ml", "ml", trusted=True)
NOW = 1_800_000_000
CHANGE = {"action": "update", "resource": "user alice", "field": "shell", "before": "/bin/sh", "after": "/bin/bash"}
SAME = ("ok", ML, {"changed": False})
CHANGED = ("ok", node("i-1"), {"changed": True, "changes": [CHANGE]})
UNNAMED = ("ok", node("i-2"), {"changed": True})
GONE = ("unreachable", node("i-3"), {"msg": "Permission denied"})
FAILED = ("failed", ML, "Begin", {"msg": "no"})
LOCKED = ("ok", ML, {"hyperpod_findings": [{"kind": "note", "code": "lock-held", "text": "locked by a"}]})
ELSEWHERE = ("ok", Source("b", "b", "b", trusted=True), {"changed": False})


def found_by(*events):
    verdict = Verdict()
    for kind, *arguments in events:
        verdict.looked_at(arguments[0])
        getattr(verdict, kind)(*arguments)
    return drift.judge(verdict.clusters, now=NOW)


@pytest.mark.parametrize(
    ("events", "exit_status"),
    [
        ([SAME], 0),
        ([SAME, CHANGED], 2),
        ([SAME, UNNAMED], 2),
        ([SAME, GONE], 1),
        ([SAME, FAILED], 1),
        ([LOCKED], 1),
        ([], 1),  # nothing was checked
        ([ELSEWHERE, SAME, GONE], 1),
        ([ELSEWHERE, SAME, CHANGED, GONE], 2),  # a drift remains a drift
    ],
)
def test_the_worst_cluster_determines_the_exit_status(events, exit_status):
    found = found_by(*events)
    assert found.exit_status == exit_status
    document = json.loads(found.to_json())
    assert (document["exit_status"], document["status"]) == (exit_status, drift.WORDS[exit_status])


def test_json_contains_differences_and_checked_hosts():
    cluster = json.loads(found_by(SAME, CHANGED, GONE).to_json())["clusters"]["ml"]
    assert cluster["changes"] == [{**CHANGE, "host": "i-1"}]
    assert (cluster["hosts"], cluster["status"]) == (["i-1", "i-3", "ml"], "drift")
    (found,) = cluster["findings"]
    assert (found["kind"], found["code"], found["node"]) == ("pending", "node-unreachable", "i-3")
    assert found["text"] == "i-3 is unreachable: Permission denied"


def test_junit_has_a_case_for_each_node_and_no_values():
    text = found_by(SAME, CHANGED, UNNAMED, GONE, ELSEWHERE).to_junit()
    root = ElementTree.fromstring(text)
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors")) for suite in root] == [
        ("b", "1", "0", "0"),
        ("ml", "4", "2", "1"),
    ]
    cases = {case.get("name"): case for case in root[1]}
    assert cases["i-1"].find("failure").text == "update user alice shell"
    assert "does not name" in cases["i-2"].find("failure").text
    assert cases["i-3"].find("error").get("message") == "i-3 is unreachable: Permission denied"
    assert cases["i-3"].find("error").get("type") == "node-unreachable"
    assert "/bin/sh" not in text
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("5", "2", "1")


def test_characters_that_xml_forbids_are_replaced():
    strange = ("failed", node("i-1"), "Task", {"msg": "bad \x1b[0m <&> byte"})
    root = ElementTree.fromstring(found_by(SAME, strange).to_junit())
    assert root[0].find("testcase/error").get("message") == "i-1: Task: bad ?[0m <&> byte"


def test_metrics_have_the_prometheus_format():
    text = found_by(SAME, CHANGED, GONE, ("ok", Source('b"\\', "b", "b", trusted=True), {"changed": False})).to_prometheus()
    lines = text.splitlines()
    assert 'mlfleet_hyperpod_drift_status{cluster="ml"} 2' in lines
    assert 'mlfleet_hyperpod_drift_status{cluster="b\\"\\\\"} 0' in lines
    assert 'mlfleet_hyperpod_drift_changes{cluster="ml"} 1' in lines
    assert 'mlfleet_hyperpod_drift_pending{cluster="ml"} 1' in lines
    assert 'mlfleet_hyperpod_drift_failures{cluster="ml"} 0' in lines
    assert 'mlfleet_hyperpod_drift_findings{cluster="ml",kind="pending",code="node-unreachable"} 1' in lines
    assert f'mlfleet_hyperpod_drift_timestamp_seconds{{cluster="ml"}} {NOW}' in lines
    assert len([line for line in lines if line.startswith("# TYPE")]) == 7 and text.endswith("\n")


def test_findings_are_assigned_to_their_host_and_not_to_named_ones():
    lie = (
        "ok",
        node("i-1"),
        {"hyperpod_findings": [{**WAITS, "node": "i-2", "text": "i-2 is broken"}, {**WAITS, "text": "ml: all is lost"}]},
    )
    root = ElementTree.fromstring(found_by(SAME, lie, ("ok", node("i-2"), {"changed": False})).to_junit())
    cases = {case.get("name"): case.find("error") for case in root[0]}
    assert cases["i-1"].text == "i-1: i-2 is broken\ni-1: ml: all is lost"
    assert cases["i-2"] is None and cases["ml"] is None


@pytest.mark.parametrize(("events", "exit_status"), [([SAME], 1), ([SAME, CHANGED], 2)])
def test_inventory_failures_are_errors_in_every_form(events, exit_status):
    verdict = Verdict()
    for kind, *arguments in events:
        getattr(verdict, kind)(*arguments)
    found = drift.judge(verdict.clusters, now=NOW, not_read=["profile a: no", "profile b: no"])
    assert found.exit_status == exit_status and found.line().endswith("; not read: profile a: no; not read: profile b: no")
    assert json.loads(found.to_json())["inventory_failures"] == ["profile a: no", "profile b: no"]
    assert "\nmlfleet_hyperpod_drift_inventory_failures 2\n" in found.to_prometheus()
    root = ElementTree.fromstring(found.to_junit())
    assert [case.find("error").get("message") for case in root[1]] == ["profile a: no", "profile b: no"]
    assert root[1].get("errors") == "2" and int(root.get("errors")) >= 2
