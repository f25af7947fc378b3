from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verdict import Verdict

CHANGE = {"action": "create", "resource": "target group a", "field": None, "before": None, "after": None}


def verdict_of(*events):
    verdict = Verdict()
    for kind, *arguments in events:
        getattr(verdict, kind)(*arguments)
    return verdict


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([("ok", "ml", "ml", {"changed": False})], "unchanged"),
        ([("ok", "ml", "ml", {"changed": True, "changes": [CHANGE]})], "changed"),
        ([("ok", "ml", "i-1", {"results": [{"changed": False}, {"changed": True}]})], "changed"),
        ([("ok", "ml", "ml", {"changed": True, "hyperpod_report": {"pending": ["i-1 is Pending"]}})], "degraded"),
        ([("unreachable", "ml", "i-1", {"msg": "Failed to connect\nPermission denied"})], "degraded"),
        ([("ok", "ml", "ml", {"ansible_facts": {"hyperpod_report": {"skipped": "locked by a"}}})], "skipped"),
        ([("failed", "ml", "i-1", "Accounts", {"msg": "no"}), ("unreachable", "ml", "i-2", {"msg": "x"})], "failed"),
        ([("ok", None, "localhost", {"changed": True})], "unchanged"),
    ],
)
def test_status(events, status):
    assert verdict_of(*events).status == status


def test_the_worst_cluster_is_the_verdict_and_hosts_without_a_cluster_do_not_count():
    verdict = verdict_of(
        ("ok", "a", "a", {"changed": True}),
        ("unreachable", "b", "i-2", {"msg": "gone"}),
        ("failed", None, "localhost", "t", {"msg": "x"}),
    )
    report = verdict.to_report()
    assert report["status"] == "degraded"
    assert {key: value["status"] for key, value in report["clusters"].items()} == {"a": "changed", "b": "degraded"}


def test_lines_name_what_is_pending_once():
    event = ("unreachable", "ml", "i-1", {"msg": "Failed to connect\nHost key verification failed."})
    lines = verdict_of(event, event).to_lines()
    assert lines == ["ml  degraded", "    - pending: i-1 is unreachable: Host key verification failed."]


def test_a_failed_loop_names_every_reason():
    failed = {"results": [{"failed": True, "msg": "one"}, {"failed": False}, {"failed": True, "msg": "two"}]}
    assert verdict_of(("failed", "ml", "ml", "T", failed)).clusters["ml"].failures == ["ml: T: one", "ml: T: two"]


def test_a_run_that_lost_the_race_for_the_lock_is_skipped_and_a_rescue_does_not_tell_twice():
    lost = {"failed": True, "msg": "locked", "locked_by": {"owner": "a", "expires": "then"}}
    for result in (lost, {"msg": "One or more items failed", "results": [{"changed": False}, lost]}):
        verdict = verdict_of(("failed", "ml", "ml", "T", result))
        assert (verdict.status, verdict.clusters["ml"].skipped) == ("skipped", "skipped, locked by a until then")
    twice = [("failed", "ml", "ml", "Register", {"msg": "no"}), ("failed", "ml", "ml", "Stop this cluster", {"msg": "no"})]
    assert verdict_of(*twice).clusters["ml"].failures == ["ml: Register: no"]


def test_an_ended_proxy_is_told_in_the_words_of_the_proxy():
    ended = {"msg": "kex_exchange_identification: x\nConnection closed by UNKNOWN port 65535"}
    lines = verdict_of(("unreachable", "ml", "i-1", ended, "t: AccessDeniedException: no")).to_lines()
    assert lines == ["ml  degraded", "    - pending: i-1 is unreachable: t: AccessDeniedException: no"]
    denied = {"msg": "Permission denied"}
    assert verdict_of(("unreachable", "ml", "i-1", denied, "earlier")).to_lines()[1].endswith(": Permission denied")
