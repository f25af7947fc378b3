from __future__ import annotations

import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told import Teller
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verdict import Verdict

ML = Teller("ml", "ml", "ml", trusted=True)
NODE = Teller("ml", "i-1", "ml-i-1", trusted=False)
NEXT = Teller("ml", "i-2", "ml-i-2", trusted=False)
NOBODY = Teller(None, "localhost", "localhost", trusted=True)
A, B = Teller("a", "a", "a", trusted=True), Teller("b", "i-2", "b-i-2", trusted=False)
CHANGE = {"action": "create", "resource": "target group a", "field": None, "before": None, "after": None}


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
        ([("ok", ML, {"changed": True, "hyperpod_report": {"pending": ["i-1 is Pending"]}})], "degraded"),
        ([("unreachable", NODE, {"msg": "Failed to connect\nPermission denied"})], "degraded"),
        ([("ok", ML, {"ansible_facts": {"hyperpod_report": {"skipped": "locked by a"}}})], "skipped"),
        ([("failed", NODE, "Accounts", {"msg": "no"}), ("unreachable", NEXT, {"msg": "x"})], "failed"),
        ([("ok", NOBODY, {"changed": True})], "unchanged"),
    ],
)
def test_status(events, status):
    assert verdict_of(*events).status == status


def test_the_worst_cluster_is_the_verdict_and_hosts_without_a_cluster_do_not_count():
    verdict = verdict_of(
        ("ok", A, {"changed": True}),
        ("unreachable", B, {"msg": "gone"}),
        ("failed", NOBODY, "t", {"msg": "x"}),
    )
    report = verdict.to_report()
    assert report["status"] == "degraded"
    assert {key: value["status"] for key, value in report["clusters"].items()} == {"a": "changed", "b": "degraded"}


def test_a_look_at_aws_alone_is_told_and_no_node_can_tell_of_one():
    told = {"ansible_facts": {"hyperpod_report": {"full_look": "2026-11-22T08:00:00Z"}}}
    quiet = verdict_of(("ok", ML, told))
    assert quiet.to_lines() == ["ml  unchanged (AWS only, full look 2026-11-22T08:00:00Z)"]
    assert quiet.to_report()["clusters"]["ml"]["full_look"] == "2026-11-22T08:00:00Z"
    assert verdict_of(("ok", NODE, told)).to_report()["clusters"]["ml"]["full_look"] is None


def test_a_cluster_that_nothing_was_asked_about_is_never_unchanged():
    verdict = Verdict()
    verdict.ok(A, {"changed": False})
    assert (verdict.status, verdict.clusters["a"].status) == ("skipped", "skipped")
    assert verdict.to_lines() == ["a  skipped", "   - note: nothing was looked at"]
    verdict.ok(ML, {"changed": False})
    verdict.looked_at(ML)
    assert {key: each.status for key, each in verdict.clusters.items()} == {"a": "skipped", "ml": "unchanged"}
    assert verdict.status == "unchanged"  # the run was not about the other one


def test_lines_name_what_is_pending_once():
    event = ("unreachable", NODE, {"msg": "Failed to connect\nHost key verification failed."})
    lines = verdict_of(event, event).to_lines()
    assert lines == ["ml  degraded", "    - pending: i-1 is unreachable: Host key verification failed."]


def test_what_the_controller_tells_of_a_node_is_told_once():
    told = {"hyperpod_report": {"pending": ["It  waits."]}}
    again = {"ansible_facts": {"hyperpod_report": {"pending": ["node i-1: It waits."]}}}
    pending = verdict_of(("ok", NODE, told), ("ok", NEXT, told), ("ok", ML, again)).to_report()["clusters"]["ml"]["pending"]
    assert pending == ["i-2: It waits.", "node i-1: It waits."]


def test_a_failed_loop_names_every_reason():
    failed = {"results": [{"failed": True, "msg": "one"}, {"failed": False}, {"failed": True, "msg": "two"}]}
    assert verdict_of(("failed", ML, "T", failed)).to_report()["clusters"]["ml"]["failures"] == ["ml: T: one", "ml: T: two"]


def test_a_run_that_lost_the_race_for_the_lock_is_skipped_and_a_rescue_does_not_tell_twice():
    lost = {"failed": True, "msg": "locked", "locked_by": {"owner": "a", "expires": "then"}}
    for result in (lost, {"msg": "One or more items failed", "results": [{"changed": False}, lost]}):
        verdict = verdict_of(("failed", ML, "T", result))
        assert (verdict.status, verdict.clusters["ml"].skipped) == ("skipped", "skipped, locked by a until then")
    twice = [("failed", ML, "Register", {"msg": "no"}), ("failed", ML, "Report the failure of this cluster", {"msg": "no"})]
    assert verdict_of(*twice).to_report()["clusters"]["ml"]["failures"] == ["ml: Register: no"]


def test_an_ended_proxy_is_told_in_the_words_of_the_proxy():
    ended = {"msg": "kex_exchange_identification: x\nConnection closed by UNKNOWN port 65535"}
    lines = verdict_of(("unreachable", NODE, ended, "t: AccessDeniedException: no")).to_lines()
    assert lines == ["ml  degraded", "    - pending: i-1 is unreachable: t: AccessDeniedException: no"]
    denied = {"msg": "Permission denied"}
    assert verdict_of(("unreachable", NODE, denied, "earlier")).to_lines()[1].endswith(": Permission denied")


ESCAPES = "\x1b[2K\x1b[1A\x1b]52;c;x\x07all\ndone\u2028i-2: fine"


def test_a_node_tells_of_itself_alone():
    lies = {
        "changed": True,
        "locked_by": {"owner": "a", "expires": "then"},
        "hyperpod_report": {"skipped": "locked", "pending": ["i-2 is broken", "i-1 is slow"], "failures": "a text"},
        "ansible_facts": {"hyperpod_report": {"skipped": "locked", "drift": {"json": "/a"}, "notes": [ESCAPES, ""]}},
    }
    verdict = verdict_of(("ok", NODE, lies), ("failed", NODE, "T", {"msg": ESCAPES, **lies}))
    cluster = verdict.clusters["ml"]
    assert (verdict.status, cluster.skipped) == ("failed", "")
    report = cluster.to_report()
    assert report["pending"] == ["i-1: i-2 is broken", "i-1 is slow"]
    assert report["notes"] == ["i-1: ?[2K?[1A?]52;c;x?all done i-2: fine"]
    assert report["failures"] == ["i-1: T: ?[2K?[1A?]52;c;x?all done i-2: fine"]
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
def test_what_is_no_change_is_left_out(changes):
    verdict = verdict_of(("ok", NODE, {"changed": True, "changes": changes}))
    assert (verdict.status, verdict.clusters["ml"].changes) == ("changed", [])


def test_changes_are_printable_and_are_those_of_the_host_that_told_them():
    change = {**CHANGE, "resource": "a\x1b\nb", "before": "one\ntwo\x1b", "after": {"k\x1b": ["\x1b", 1]}, "host": "i-2", "x": 1}
    verdict = verdict_of(("ok", NODE, {"changed": True, "changes": [change]}))
    (told,) = verdict.to_report()["clusters"]["ml"]["changes"]
    assert told == {**CHANGE, "resource": "a? b", "before": "one\ntwo?", "after": {"k?": ["?", 1]}, "host": "i-1"}


@pytest.mark.parametrize("result", [{"results": "text"}, {"results": ["text", None]}, {"hyperpod_report": "x"}, {"ansible_facts": []}])
def test_results_of_any_shape_are_survived(result):
    verdict = verdict_of(("ok", NODE, result), ("failed", NODE, "T", result))
    json.dumps(verdict.to_report())
    assert verdict.status == "failed"


def test_what_a_node_says_at_great_length_keeps_no_run_from_its_report():
    """Nor does what a report can't hold: else the one of the run before stays, and drift ends as in sync."""
    deep: list = []
    for _level in range(500):
        deep = [deep]
    change = {**CHANGE, "before": deep, "after": [float("nan"), float("inf"), 1.5]}
    many = {"changed": True, "changes": [change], "hyperpod_report": {"notes": [f"note {number}" for number in range(40_000)]}}
    verdict = verdict_of(("ok", NODE, many), ("failed", NODE, "T", {"msg": "x" * 10_000_000}))
    report = verdict.to_report()
    json.dumps(report, indent=2, allow_nan=False)
    assert report["clusters"]["ml"]["changes"][0]["after"] == ["nan", "inf", 1.5]
    (failure,) = report["clusters"]["ml"]["failures"]
    assert failure.startswith("i-1: T: xxx") and len(failure) < 3000


def test_what_the_controller_says_too_a_node_need_not_say():
    told = {"hyperpod_report": {"pending": ["Jobs go on"]}}
    assert verdict_of(("ok", NODE, told), ("ok", ML, told)).to_report()["clusters"]["ml"]["pending"] == ["Jobs go on"]
    assert verdict_of(("ok", NODE, told)).to_report()["clusters"]["ml"]["pending"] == ["i-1: Jobs go on"]


def test_what_the_inventory_could_not_read_fails_the_run_and_no_cluster():
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


def test_where_people_log_in_and_how_many_nodes_serve_is_the_controllers_to_tell():
    told = {"login_name": "hp\x1b", "people_files": ["/a"], "login_nodes": 2, "login_nodes_in_service": 0, "arn": "x"}
    lie = {"login_name": "evil", "login_nodes": 9}
    report = verdict_of(("ok", ML, {"hyperpod_report": told}), ("ok", NODE, {"hyperpod_report": lie})).to_report()
    cluster = report["clusters"]["ml"]
    assert (cluster["login_name"], cluster["people_files"], cluster["login_nodes"]) == ("hp?", None, 2)
    assert cluster["login_nodes_in_service"] == 0 and "arn" not in cluster


def test_nodes_that_answered_are_counted_and_the_controller_is_none():
    verdict = verdict_of(("looked_at", NODE), ("looked_at", NODE), ("looked_at", NEXT), ("looked_at", ML), ("looked_at", NOBODY))
    assert verdict.to_report()["clusters"]["ml"]["nodes_looked_at"] == 2
