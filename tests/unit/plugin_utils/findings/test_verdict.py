from __future__ import annotations

import json

import pytest
import reported
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import LONGEST, Source
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import Verdict

ML = Source("ml", "ml", "ml", trusted=True)
NODE = Source("ml", "i-1", "ml-i-1", trusted=False)
NEXT = Source("ml", "i-2", "ml-i-2", trusted=False)
NO_CLUSTER = Source(None, "localhost", "localhost", trusted=True)
A, B = Source("a", "a", "a", trusted=True), Source("b", "i-2", "b-i-2", trusted=False)
WAITS = {"kind": "pending", "code": "home-waits", "subject": "alice", "severity": "warning", "text": "It  waits."}
LOCKED = {"kind": "note", "code": "lock-held", "text": "locked by a"}
CHANGE = {"action": "create", "resource": "target group a", "field": None, "before": None, "after": None}


def texts_of(*events, kind):
    return reported.texts(verdict_of(*events).to_report()["clusters"]["ml"], kind)


def verdict_of(*events):
    verdict = Verdict()
    for kind, *arguments in events:
        verdict.looked_at(arguments[0])
        getattr(verdict, kind)(*arguments)
    return verdict


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([("ok", ML, {"changed": False})], "unchanged"),
        ([("ok", ML, {"changed": True, "changes": [CHANGE]})], "changed"),
        ([("ok", NODE, {"results": [{"changed": False}, {"changed": True}]})], "changed"),
        ([("ok", ML, {"changed": True, "hyperpod_findings": [WAITS]})], "degraded"),
        ([("unreachable", NODE, {"msg": "Failed to connect\nPermission denied"})], "degraded"),
        ([("ok", ML, {"hyperpod_findings": [LOCKED]})], "skipped"),
        ([("failed", NODE, "Accounts", {"msg": "no"}), ("unreachable", NEXT, {"msg": "x"})], "failed"),
        ([("ok", NO_CLUSTER, {"changed": True})], "unchanged"),
    ],
)
def test_the_status_of_a_run_is_derived(events, status):
    assert verdict_of(*events).status == status


def test_the_worst_cluster_determines_the_verdict():
    verdict = verdict_of(
        ("ok", A, {"changed": True}),
        ("unreachable", B, {"msg": "gone"}),
        ("failed", NO_CLUSTER, "t", {"msg": "x"}),
    )
    report = verdict.to_report()
    assert report["status"] == "degraded"
    assert {key: value["status"] for key, value in report["clusters"].items()} == {"a": "changed", "b": "degraded"}


def test_a_run_against_aws_only_is_reported_by_the_controller_only():
    facts = {"ansible_facts": {"hyperpod_report": {"full_look": "2026-11-22T08:00:00Z"}}}
    quiet = verdict_of(("ok", ML, facts))
    assert quiet.to_lines() == ["ml  unchanged (AWS only, full look 2026-11-22T08:00:00Z)"]
    assert quiet.to_report()["clusters"]["ml"]["full_look"] == "2026-11-22T08:00:00Z"
    assert verdict_of(("ok", NODE, facts)).to_report()["clusters"]["ml"]["full_look"] is None


def test_the_report_has_the_expiry_of_known_certificates():
    ends = {"vpn-ca": "2036-11-22T08:00:00Z", "host": 5, "other": "2036-11-22T08:00:00Z", "vpn-crl": "a\nb"}
    facts = {"ansible_facts": {"hyperpod_report": {"certificates": ends}}}
    clusters = verdict_of(("ok", ML, facts), ("ok", ML, {"ansible_facts": {"hyperpod_report": {}}})).to_report()["clusters"]
    assert clusters["ml"]["certificates"] == {"vpn-ca": "2036-11-22T08:00:00Z", "vpn-crl": "a b"}
    assert verdict_of(("ok", NODE, facts)).to_report()["clusters"]["ml"]["certificates"] is None


def test_an_unchecked_cluster_is_never_unchanged():
    verdict = Verdict()
    verdict.ok(A, {"changed": False})
    assert (verdict.status, verdict.clusters["a"].status) == ("skipped", "skipped")
    assert verdict.to_lines() == ["a  skipped", "   - note: nothing was checked"]
    assert [each.trusted for each in verdict.clusters["a"].shown()] == [True]  # it does not come from a node
    verdict.ok(ML, {"changed": False})
    verdict.looked_at(ML)
    assert {key: each.status for key, each in verdict.clusters.items()} == {"a": "skipped", "ml": "unchanged"}
    assert verdict.status == "unchanged"  # the run did not cover the other one


def test_pending_findings_are_printed_once():
    event = ("unreachable", NODE, {"msg": "Failed to connect\nHost key verification failed."})
    lines = verdict_of(event, event).to_lines()
    assert lines == ["ml  degraded", "    - pending: i-1 is unreachable: Host key verification failed."]


def test_a_finding_of_controller_and_node_is_reported_once():
    given = {"hyperpod_findings": [WAITS]}
    again = {"hyperpod_findings": [{**WAITS, "node": "i-1", "text": "node i-1: Alice's home waits."}]}
    pending = texts_of(("ok", NODE, given), ("ok", NEXT, given), ("ok", ML, again), kind="pending")
    assert pending == ["i-2: It waits.", "node i-1: Alice's home waits."]


def test_the_last_finding_about_a_subject_counts():
    two = {"hyperpod_findings": [WAITS, {**WAITS, "text": "It waits again."}, {**WAITS, "subject": "bob"}]}
    later = {"hyperpod_findings": [{**WAITS, "text": "The mount is there."}]}
    assert texts_of(("ok", NODE, two), kind="pending") == ["i-1: It waits.", "i-1: It waits again.", "i-1: It waits."]
    assert texts_of(("ok", NODE, two), ("ok", NODE, later), kind="pending") == ["i-1: The mount is there.", "i-1: It waits."]


def test_a_finding_is_complete_in_the_report():
    (found,) = verdict_of(("ok", NODE, {"hyperpod_findings": [{**WAITS, "next_step": "Mount it.", "extra": 1}]})).to_report()[
        "clusters"
    ]["ml"]["findings"]
    assert found == {
        "kind": "pending",
        "code": "home-waits",
        "severity": "warning",
        "node": "i-1",
        "subject": "alice",
        "text": "i-1: It waits.",
        "next_step": "Mount it.",
    }


def test_a_failure_has_the_code_of_its_module():
    why = {"kind": "failure", "code": "option-refused", "subject": "port", "severity": "error", "text": "no"}
    report = verdict_of(
        ("failed", ML, "T", {"msg": "port: no", "hyperpod_failure": why}), ("failed", ML, "U", {"msg": "x"})
    ).to_report()
    found = report["clusters"]["ml"]["findings"]
    assert [(each["code"], each["subject"], each["text"]) for each in found] == [
        ("option-refused", "port", "ml: T: port: no"),
        ("task-failed", "", "ml: U: x"),
    ]


@pytest.mark.parametrize(
    "lie",
    [
        "text",
        {"kind": "pending", "text": ""},
        {"kind": ["pending"], "text": "x"},
        {"kind": "skipped", "text": "x"},
        {"text": "x"},
    ],
)
def test_invalid_findings_are_left_out(lie):
    found = verdict_of(("ok", NODE, {"hyperpod_findings": [lie]}), ("ok", NEXT, {"hyperpod_findings": lie})).to_report()
    assert found["clusters"]["ml"]["findings"] == []


@pytest.mark.parametrize("code", ["evil{}", ["home-waits"], None, 7])
def test_a_node_cannot_report_unknown_codes_or_other_nodes(code):
    lie = {**WAITS, "code": code, "severity": {}, "node": "i-2"}
    (found,) = verdict_of(("ok", NODE, {"hyperpod_findings": [lie]})).to_report()["clusters"]["ml"]["findings"]
    assert (found["code"], found["severity"], found["node"]) == ("unknown", "warning", "i-1")


def test_a_failed_loop_names_every_reason():
    failed = {"results": [{"failed": True, "msg": "one"}, {"failed": False}, {"failed": True, "msg": "two"}]}
    assert texts_of(("failed", ML, "T", failed), kind="failure") == ["ml: T: one", "ml: T: two"]


def test_a_run_without_the_lock_is_skipped_and_a_rescue_is_reported_once():
    lost = {"failed": True, "msg": "locked", "locked_by": {"owner": "a", "expires": "then"}}
    for result in (lost, {"msg": "One or more items failed", "results": [{"changed": False}, lost]}):
        verdict = verdict_of(("failed", ML, "T", result))
        assert (verdict.status, verdict.clusters["ml"].skipped) == ("skipped", "skipped, locked by a until then")
    twice = [("failed", ML, "Register", {"msg": "no"}), ("failed", ML, "Report that the run failed for this cluster", {"msg": "no"})]
    assert texts_of(*twice, kind="failure") == ["ml: Register: no"]


def test_a_failed_proxy_is_reported_with_its_own_message():
    ended = {"msg": "kex_exchange_identification: x\nConnection closed by UNKNOWN port 65535"}
    lines = verdict_of(("unreachable", NODE, ended, "t: AccessDeniedException: no")).to_lines()
    assert lines == ["ml  degraded", "    - pending: i-1 is unreachable: t: AccessDeniedException: no"]
    denied = {"msg": "Permission denied"}
    assert verdict_of(("unreachable", NODE, denied, "earlier")).to_lines()[1].endswith(": Permission denied")


ESCAPES = "\x1b[2K\x1b[1A\x1b]52;c;x\x07all\ndone\u2028i-2: fine"


def test_a_node_reports_only_about_itself():
    lies = {
        "changed": True,
        "locked_by": {"owner": "a", "expires": "then"},
        "hyperpod_findings": [LOCKED, {**WAITS, "text": "i-2 is broken"}, {"kind": "note", "code": "key-shared", "text": ESCAPES}],
        "ansible_facts": {"hyperpod_findings": [WAITS], "hyperpod_report": {"skipped": "locked", "drift": {"json": "/a"}}},
    }
    verdict = verdict_of(("ok", NODE, lies), ("failed", NODE, "T", {"msg": ESCAPES, **lies}))
    cluster = verdict.clusters["ml"]
    assert (verdict.status, cluster.skipped) == ("failed", "")
    report = cluster.to_report()
    assert reported.texts(report, "pending") == ["i-1: i-2 is broken"]
    assert reported.texts(report, "note") == ["i-1: ?[2K?[1A?]52;c;x?all done i-2: fine"]
    assert reported.texts(report, "failure") == ["i-1: T: ?[2K?[1A?]52;c;x?all done i-2: fine"]
    assert all(line.isprintable() for line in verdict.to_lines())


@pytest.mark.parametrize(
    "changes",
    [
        "text",
        ["text"],
        [{"action": "create"}],
        [{**CHANGE, "action": "run"}],
        [{**CHANGE, "resource": ["a"]}],
        [{**CHANGE, "field": {}}],
        {"action": "create"},
    ],
)
def test_invalid_changes_are_left_out(changes):
    verdict = verdict_of(("ok", NODE, {"changed": True, "changes": changes}))
    assert (verdict.status, verdict.clusters["ml"].changes) == ("changed", [])


def test_changes_are_printable_and_assigned_to_their_host():
    given = {**CHANGE, "resource": "a\x1b\nb", "before": "one\ntwo\x1b", "after": {"k\x1b": ["\x1b", 1]}, "host": "i-2", "x": 1}
    verdict = verdict_of(("ok", NODE, {"changed": True, "changes": [given]}))
    (found,) = verdict.to_report()["clusters"]["ml"]["changes"]
    assert found == {**CHANGE, "resource": "a? b", "before": "one\ntwo?", "after": {"k?": ["?", 1]}, "host": "i-1"}


@pytest.mark.parametrize(
    "result",
    [
        {"results": "text"},
        {"results": ["text", None]},
        {"hyperpod_report": "x"},
        {"hyperpod_findings": 1},
        {"hyperpod_failure": []},
        {"ansible_facts": []},
    ],
)
def test_results_of_any_form_are_tolerated(result):
    verdict = verdict_of(("ok", NODE, result), ("failed", NODE, "T", result))
    json.dumps(verdict.to_report())
    assert verdict.status == "failed"


def test_long_texts_of_a_node_do_not_prevent_the_report():
    """Nor may a value that a report cannot contain: the previous report would remain, and a drift would end as in sync."""
    deep: list = []
    for _level in range(500):
        deep = [deep]
    change = {**CHANGE, "before": deep, "after": [float("nan"), float("inf"), 1.5]}
    notes = [{"kind": "note", "code": "key-shared", "subject": str(number), "text": f"note {number}"} for number in range(40_000)]
    many = {"changed": True, "changes": [change], "hyperpod_findings": notes}
    verdict = verdict_of(("ok", NODE, many), ("failed", NODE, "T", {"msg": "x" * 10_000_000}))
    report = verdict.to_report()
    json.dumps(report, indent=2, allow_nan=False)
    assert report["clusters"]["ml"]["changes"][0]["after"] == ["nan", "inf", 1.5]
    (failure,) = reported.texts(report["clusters"]["ml"], "failure")
    assert failure.startswith("i-1: T: xxx") and len(failure) < 3000


def test_a_finding_of_the_controller_replaces_that_of_the_node():
    given, again = {"hyperpod_findings": [WAITS]}, {"hyperpod_findings": [{**WAITS, "node": "i-1"}]}
    assert texts_of(("ok", NODE, given), ("ok", ML, again), kind="pending") == ["It waits."]
    assert texts_of(("ok", NODE, given), ("ok", ML, given), kind="pending") == ["i-1: It waits.", "It waits."]


def test_inventory_failures_fail_the_run_and_no_cluster():
    verdict = verdict_of(("ok", ML, {"changed": False}))
    verdict.not_read = ("profile a, region b: no",)
    report = verdict.to_report()
    assert (report["status"], report["inventory_failures"]) == ("failed", ["profile a, region b: no"])
    assert report["clusters"]["ml"]["status"] == "unchanged"
    assert verdict.to_lines() == [
        "(inventory)  failed",
        "             - failure: not read: profile a, region b: no",
        "ml           unchanged",
    ]


def test_only_the_controller_reports_login_names_and_nodes():
    facts = {"login_name": "hp\x1b", "people_files": ["/a"], "login_nodes": 2, "login_nodes_in_service": 0, "other": "x"}
    lie = {"login_name": "evil", "login_nodes": 9}
    report = verdict_of(
        ("ok", ML, {"ansible_facts": {"hyperpod_report": facts}}), ("ok", NODE, {"ansible_facts": {"hyperpod_report": lie}})
    ).to_report()
    cluster = report["clusters"]["ml"]
    assert (cluster["login_name"], cluster["people_files"], cluster["login_nodes"]) == ("hp?", None, 2)
    assert cluster["login_nodes_in_service"] == 0 and "other" not in cluster


def test_nodes_that_answered_are_counted_without_the_controller():
    verdict = verdict_of(("looked_at", NODE), ("looked_at", NODE), ("looked_at", NEXT), ("looked_at", ML), ("looked_at", NO_CLUSTER))
    assert verdict.to_report()["clusters"]["ml"]["nodes_looked_at"] == 2


def test_texts_of_a_node_are_truncated():
    long = dict.fromkeys(("text", "subject", "next_step"), "x" * 2 * LONGEST)
    (found,) = verdict_of(("ok", NODE, {"hyperpod_findings": [{**WAITS, **long}]})).to_report()["clusters"]["ml"]["findings"]
    assert [len(found[name]) for name in ("subject", "next_step")] == [LONGEST + 1, LONGEST + 1]
    assert found["text"] == f"i-1: {'x' * LONGEST}…"
