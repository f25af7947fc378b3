# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a run."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.plays import end

WORKED = {"cluster": {"status": "InService"}}
SERVICE = {"kind": "failure", "code": "no-login-service", "text": "i-1 is closed."}


@pytest.fixture(autouse=True)
def extra(monkeypatch: pytest.MonkeyPatch) -> dict[str, t.Any]:
    """Variables given with -e."""
    given: dict[str, t.Any] = {}
    monkeypatch.setattr(end, "load_extra_vars", lambda _loader: given)
    return given
HOSTS: dict[str, t.Any] = {
    "ansible_play_hosts": ["a", "b", "c"],
    "hostvars": {"a": {"hyperpod_run": {"planned": "a:0a1b2c3d"}}, "b": {}, "c": {"hyperpod_run": {"planned": "c:4e5f6a7b"}}},
}


def failures(verdict: dict[str, t.Any] | None = None, *, tags: t.Sequence[str] = ("all",), skip: t.Sequence[str] = (), **given: t.Any) -> list[str]:
    found = {} if verdict is None else {"hyperpod_verdict": {"status": "unchanged", "pending": [], "locked": False, **verdict}}
    own = {"hyperpod_cluster_key": "ml", "hyperpod_run": WORKED, "ansible_run_tags": tags, "ansible_skip_tags": skip, "groups": {}}
    reported = end.failures({**own, **found, **given})
    assert {each["kind"] for each in reported} <= {"failure"}
    return [each["text"] for each in reported]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"tags": ["a", "b"]}, ["--tags a,b selects no task"]),
        ({"tags": ["a", "b"], "skip": ["c", "d"]}, ["--tags a,b --skip-tags c,d selects no task"]),
        ({"skip": ["c"]}, ["--tags all --skip-tags c selects no task"]),
        ({}, []),
        ({"tags": ["a"], "hyperpod_run": {"variables_validated": True}}, []),
        ({"tags": ["a"], "hyperpod_run": {"cluster": None}}, []),
        ({"tags": ["a"], "hyperpod_run": {"skipped": True}}, []),
        ({"tags": ["a"], "hyperpod_look": {"quiet": True}}, []),
    ],
)
def test_tags_that_select_nothing_are_a_failure(given: dict[str, t.Any], expected: list[str]) -> None:
    found = failures(**{"hyperpod_run": {}, **given})
    assert [text.startswith(words) for text, words in zip(found, expected)] == [True] * len(expected) and len(found) == len(expected)


@pytest.mark.parametrize(
    ("verdict", "given", "expected"),
    [
        (None, {}, []),
        ({}, {}, []),
        ({"status": "degraded", "pending": [["node-unreachable", "i-1"]]}, {}, []),
        ({"status": "skipped", "locked": True}, {}, []),
        ({"status": "skipped", "locked": True}, {"full_look_event_time": "2026-11-21T01:02:03Z"}, ["The event of this run is not handled"]),
        ({}, {"full_look_event_time": "2026-11-21T01:02:03Z"}, []),
        ({"status": "degraded", "pending": [["node-unreachable", "i-1"]]}, {"hyperpod_degraded_fails": "true"}, ["Cluster ml is degraded (1 pending"]),
        ({"status": "unchanged"}, {"hyperpod_degraded_fails": True}, []),
        ({"status": "failed"}, {}, ["Cluster ml failed; see the report."]),
        ({"status": "failed"}, {"hyperpod_run": {**WORKED, "login_service": {"finding": SERVICE}}}, [SERVICE["text"]]),
        ({}, {"hyperpod_run": {**WORKED, "login_service": {"finding": {**SERVICE, "kind": "pending"}}}}, []),
        ({}, {"hyperpod_run": {**WORKED, "login_service": {"finding": None}}}, []),
    ],
)
def test_failures_at_the_end_of_a_run_are_reported(verdict: dict[str, t.Any] | None, given: dict[str, t.Any], expected: list[str]) -> None:
    found = failures(verdict, **given)
    assert [text.startswith(words) for text, words in zip(found, expected)] == [True] * len(expected) and len(found) == len(expected)


def test_an_order_that_was_not_executed_fails_the_run(extra: dict[str, t.Any]) -> None:
    open_session = {"status": "degraded", "pending": [["sessions-open", "i-1"]]}
    assert failures(open_session) == []
    extra["drain_nodes"] = "i-1"
    (text,) = failures(open_session)
    assert text.startswith("drain_nodes was not carried out for ml, or only in part.")


def test_a_missing_node_of_a_drain_is_no_error(extra: dict[str, t.Any]) -> None:
    extra["drain_nodes"] = "i-1,i-2"
    given = {
        "hyperpod_run": {**WORKED, "chosen_nodes": ["ml-1", "ml-2"]},
        "groups": {"hyperpod_nodes": ["ml-1"]},
        "hostvars": {"ml-1": {"hyperpod_instance_id": "i-1"}},
    }
    closed = {"status": "degraded", "pending": [["gate-users", "i-1"]]}
    assert len(failures(closed, **given)) == 1 and failures({**closed, "pending": [["gate-users", "i-3"]]}, **given) == []


def test_an_approved_repair_that_was_not_made_fails_the_run(extra: dict[str, t.Any]) -> None:
    extra["remediation_approve"] = "ml:0a1b2c3d"
    waits = {"status": "degraded", "pending": [["remediation-waits", "i-1"]]}
    repairs = {**WORKED, "repairs": [{"node": "i-1"}, {"node": "i-2"}]}
    assert failures(waits, hyperpod_run={**repairs, "repaired": ["i-1", "i-2"]}) == []
    (text,) = failures(waits, hyperpod_run={**repairs, "repaired": ["i-2"]})
    assert text.startswith("remediation_approve was not carried out for ml")


def test_the_artifact_is_that_of_the_callback_with_the_plans_of_all_clusters() -> None:
    report = {"clusters": [{"a": 1}]}
    hosts = {**HOSTS["hostvars"], "b": {**HOSTS["hostvars"]["b"], "hyperpod_artifact": report}}
    assert end.statistics({**HOSTS, "hostvars": hosts}) == {"hyperpod": report, "planned_repairs": ["a:0a1b2c3d", "c:4e5f6a7b"]}
    assert end.statistics({"ansible_play_hosts": ["b"], "hostvars": hosts})["planned_repairs"] == [], "replaces what a node set"


def test_without_a_report_of_the_callback_nothing_is_recorded() -> None:
    assert end.statistics(HOSTS) == {}


def test_inventory_failures_are_reported() -> None:
    (finding,) = end.inventory_failures({"hyperpod_inventory_failures": ["account 1", "account 2"]})
    assert (finding["kind"], finding["code"]) == ("failure", "inventory-not-read")
    assert "did not include the missing parts: account 1; account 2." in finding["text"]


@pytest.mark.parametrize("variables", [{}, {"hyperpod_inventory_failures": []}])
def test_a_readable_inventory_is_no_failure(variables: dict[str, t.Any]) -> None:
    assert end.inventory_failures(variables) == []
