"""The outcome of an offboarding, and its evidence."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import offboarding

CHANGE = {"action": "delete", "resource": "user mallory", "field": None, "before": {"uid": 20003}, "after": None}
RESULT = {
    "at": "2026-11-21T06:00:00Z",
    "changes": [CHANGE],
    "jobs": [],
    "authorized_keys": [{"path": "/fsx/mallory/.ssh/authorized_keys", "keys": [{"fingerprint": "SHA256:abc"}]}],
    "pending": [],
    "notes": [],
}
JOB = {"id": "7", "state": "RUNNING", "partition": "dev", "nodes": "n", "name": "[x](http://evil) | `y`"}
PERSON = {"name": "mallory", "uids": [20003], "job": "AWX job 12", "reason": "left"}
RECORD = {"uid": 20003, "owner": "ops@bastion", "since": "2026-11-21T06:00:00Z"}


def node(number: int, **variables: object) -> dict:
    return {"hyperpod_instance_id": f"i-{number}", "hyperpod_run": {"reached": True}, **variables}


WAITS = {"kind": "pending", "code": "home-waits", "text": "It waits.", "node": "i-9"}
NOTED = {"kind": "note", "code": "home-keys-left", "text": "x"}


def done(number: int, **variables: object) -> dict:
    return node(number, __offboarding_outcome=RESULT, __offboarding_done=True, **variables)


def left(number: int, **result: object) -> dict:
    return node(number, __offboarding_done=True, __offboarding_outcome={**RESULT, **result})


def cluster(*instances: int, **variables: object) -> dict:
    access = {f"i-{number}": {"access": "ready", "group": "login", "status": "Running"} for number in instances}
    variables_of = {"hyperpod_cluster_key": "ml", "hyperpod_cluster_arn": "arn", "__offboarding_recorded": RECORD}
    return {**variables_of, "hyperpod_run": {"node_access": access}, **variables}


def skipped(variables: dict) -> dict:
    return {**variables, "hyperpod_run": {**variables["hyperpod_run"], "skipped": True}}


def access(state: str, reason: str = "", status: str = "Running") -> dict:
    return {"hyperpod_run": {"node_access": {"i-1": {"access": state, "reason": reason, "group": "g", "status": status}}}}


@pytest.mark.parametrize(
    ("variables", "hosts", "state", "failures"),
    [
        (cluster(1, 2), [done(1), done(2)], "done", []),
        (cluster(1, 2), [done(1)], "incomplete", ["node i-2: it is not in the inventory; refresh the inventory"]),
        (
            cluster(1, 2),
            [done(1), node(2, hyperpod_run={})],
            "incomplete",
            ["node i-2: it does not answer"],
        ),
        (cluster(1), [node(1, __offboarding_outcome=RESULT)], "incomplete", ["node i-1: the run ended before it checked the node"]),
        (
            cluster(1),
            [done(1, __offboarding_failed="It is LDAP's.")],
            "incomplete",
            ["node i-1: It is LDAP's."],
        ),
        ({**cluster(), **access("pending", "it is Pending")}, [node(1)], "incomplete", ["node i-1: it is Pending"]),
        ({**cluster(), **access("would_gain", "new")}, [node(1)], "incomplete", ["node i-1: new"]),
        (
            cluster(1, __offboarding_stopped="No."),
            [node(1)],
            "not reached",
            ["No.", "node i-1: the run ended before it checked the node"],
        ),
        (cluster(1, __offboarding_stopped="Hook."), [done(1)], "incomplete", ["Hook."]),
        (
            skipped(cluster(1)),
            [done(1)],
            "incomplete",
            ["another run holds the lock of the cluster"],
        ),
        (cluster(__offboarding_stopped="Wrong account."), [], "not reached", ["Wrong account."]),
        (cluster(), [], "not reached", ["the nodes of the cluster were not listed"]),
        (cluster(hyperpod_orchestrator="eks"), [], "left out", []),
        (cluster(1, 2), [done(1), left(2, findings=[WAITS])], "pending", []),
        (cluster(1), [left(1, jobs=[JOB])], "pending", []),
        (cluster(1), [left(1, jobs=[{**JOB, "state": "COMPLETING"}])], "done", []),
        (cluster(1), [left(1, held=True)], "pending", []),
        (cluster(1, 2), [left(1, held=True), node(2, hyperpod_run={})], "incomplete", ["node i-2: it does not answer"]),
        (
            cluster(1),
            [left(1, left=["sessions of mallory", "user mallory"], findings=[WAITS])],
            "incomplete",
            ["node i-1: the last check still found sessions of mallory, user mallory"],
        ),
    ],
)
def test_a_cluster_is_complete_only_when_all_its_nodes_are(variables, hosts, state, failures):
    summary = offboarding.summary(variables, [{"not": "a node"}, *hosts])
    assert (summary["state"], offboarding.failures(summary)) == (state, failures)


def test_evidence_lists_what_was_removed_and_what_was_not():
    summaries = [
        offboarding.summary(cluster(1), [done(1)]),
        offboarding.summary({**cluster(2), "hyperpod_cluster_key": "far"}, []),
    ]
    found = offboarding.evidence(PERSON, summaries, "2026-11-21T06:01:00Z")
    assert found["complete"] is False
    assert found["not_finished"] == ["far: node i-2: it is not in the inventory; refresh the inventory"]
    assert [each["cluster"] for each in found["clusters"]] == ["far", "ml"]
    text = offboarding.markdown(found)
    assert "- By: AWX job 12\n" in text and "- Complete: no\n" in text
    assert '| i-1 | 2026-11-21T06:00:00Z | delete user mallory | {"uid": 20003} |' in text
    assert "- far: node i-2: it is not in the inventory; refresh the inventory" in text
    assert "The name and UID 20003 must never be reused (recorded by ops@bastion on 2026-11-21T06:00:00Z)." in text
    assert "- /fsx/mallory/.ssh/authorized\\_keys: SHA256:abc" in text and "Not part of this run" not in text


def test_evidence_lists_clusters_outside_the_run():
    clean = offboarding.summary(cluster(1), [node(1, __offboarding_done=True, __offboarding_outcome={**RESULT, "changes": []})])
    evidence = offboarding.evidence(PERSON, [clean], "now", not_in_run=["other", "far"])
    assert (evidence["complete"], evidence["not_in_run"]) == (True, ["far", "other"])
    assert "- Complete: yes\n- Not part of this run: far, other\n" in offboarding.markdown(evidence)
    failed = offboarding.evidence(PERSON, [clean], "now", lost=["far"])
    assert (failed["complete"], failed["not_finished"]) == (False, ["far: the run failed before it checked this cluster for the user"])


def test_evidence_gives_the_reason_for_an_unreached_cluster():
    nothing = node(1, __offboarding_done=True, __offboarding_outcome={**RESULT, "changes": []})
    summaries = [
        offboarding.summary(cluster(__offboarding_stopped="Wrong account."), []),
        offboarding.summary({**cluster(1), "hyperpod_cluster_key": "clean"}, [nothing]),
    ]
    clean, left = offboarding.markdown(offboarding.evidence(PERSON, summaries, "now")).split("## Cluster ")[1:]
    assert "\nNothing had to be removed from the nodes in this run.\n" in clean
    assert "not reached\n\n`arn`\n\nWrong account.\n" in left and "Nothing had" not in left


def test_names_of_jobs_are_escaped_for_markdown():
    text = markdown_of(left(1, jobs=[JOB]))
    assert r"- 7 RUNNING in dev: \[x\](http://evil) \| \`y\`" in text


def test_names_of_jobs_are_printable():
    text = markdown_of(left(1, jobs=[{**JOB, "name": "x\x1b[2K\u202ey"}]))
    assert r"x?\[2K?y" in text and all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize(
    ("result", "not_finished"),
    [
        ({}, []),
        ({"findings": [{**WAITS, "text": "Processes of mallory go on."}]}, ["ml: node i-1: Processes of mallory go on."]),
        ({"jobs": [JOB]}, ["ml: job 7 is running"]),
        ({"held": True}, ["ml: node i-1: the account stays locked while the user's jobs run on the node"]),
        ({"left": ["user mallory"]}, ["ml: node i-1: the last check still found user mallory"]),
        ({"jobs": [{**JOB, "state": "COMPLETING"}]}, []),
    ],
)
def test_an_offboarding_is_complete_if_nothing_remains(result, not_finished):
    found = offboarding.evidence(PERSON, [offboarding.summary(cluster(1), [left(1, **result)])], "now")
    assert (found["complete"], found["not_finished"]) == (not not_finished, not_finished)
    assert f"- Complete: {'no' if not_finished else 'yes'}\n" in offboarding.markdown(found)


def test_findings_of_nodes_are_assigned_to_their_node():
    waits, lies = left(1, findings=[WAITS, NOTED]), left(2, findings=[WAITS, {**NOTED, "text": "node i-1: all is well"}])
    found = offboarding.summary(cluster(1, 2), [waits, lies])
    assert found["pending"] == ["node i-1: It waits.", "node i-2: It waits."]
    assert found["notes"] == ["node i-1: x", "node i-2: node i-1: all is well"]
    assert [(each["code"], each["node"], each["brief"]) for each in found["findings"] if each["kind"] == "pending"] == [
        ("home-waits", "i-1", "It waits."),
        ("home-waits", "i-2", "It waits."),
    ]


def test_a_malformed_answer_does_not_prevent_the_evidence():
    nonsense = ["text", None, {"action": "create"}, {"path": "/a", "keys": "text"}, {"path": "/b", "keys": [{}, {"fingerprint": 7}]}]
    text = markdown_of(left(1, changes=nonsense, jobs=nonsense, authorized_keys=nonsense, findings=nonsense))
    assert "- /b: 7" in text and "create" not in text


def markdown_of(*hosts: dict) -> str:
    return offboarding.markdown(offboarding.evidence(PERSON, [offboarding.summary(cluster(1), hosts)], "now"))


def test_headings_and_lists_follow_an_empty_line():
    """Otherwise Markdown does not recognise them."""
    summaries = [offboarding.summary(cluster(1, 2), [left(1, findings=[WAITS]), node(2, hyperpod_run={})])]
    lines = offboarding.markdown(offboarding.evidence(PERSON, summaries, "now")).split("\n")
    for before, line, after in zip(lines, lines[1:], lines[2:]):
        if line.startswith("#"):
            assert (before, after) == ("", ""), line
        if line.startswith(("- ", "| ")):
            assert before == "" or before[:2] in ("- ", "| ", "|-"), line
    assert "## Not finished" in lines and "Pending:" in lines and lines[1] == ""


@pytest.mark.parametrize(
    ("revoked", "expected"),
    [
        ({"serials": ["7"]}, ["certificate 7 was revoked, and the endpoint has the CRL"]),
        ({"serials": ["7", "8"], "waiting": ["It waits."]}, ["certificate 7 was revoked", "certificate 8 was revoked"]),
        ({"without_certificate": True}, ["the user has no known valid certificate, so none was revoked"]),
        ({"connections": 2}, ["2 connections ended"]),
    ],
)
def test_revocations_are_part_of_the_evidence(revoked, expected):
    vpn = {"vpc": "vpc-1", "serials": [], "without_certificate": False, "connections": 0, "waiting": [], **revoked}
    with_vpn = cluster(1)
    with_vpn["hyperpod_run"]["vpn_revoked"] = vpn
    assert offboarding.summary(with_vpn, [done(1)])["vpn"] == [f"Client VPN of vpc-1: {each}" for each in expected]
    assert offboarding.summary(cluster(1), [done(1)])["vpn"] == []


@pytest.mark.parametrize(
    ("variables", "code", "text"),
    [
        ({"__offboarding_stopped": "Hook."}, "user-may-have-access", "mallory may still have access to ml: Hook. Run again."),
        ({"__offboarding_stopped": "offboard_name: no.", "__offboarding_refused": True}, "option-refused", "offboard_name: no."),
    ],
)
def test_an_incomplete_cluster_is_one_failure(variables, code, text):
    (found,) = offboarding.verdict(offboarding.summary(cluster(1, **variables), [done(1)]), "mallory")
    assert (found["kind"], found["code"], found["text"]) == ("failure", code, text)
    assert offboarding.verdict(offboarding.summary(cluster(1), [done(1)]), "mallory") == []
