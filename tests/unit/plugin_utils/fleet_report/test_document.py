# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The document about the fleet: sources that are missing, foreign, old or broken are named, and never counted as good."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report import document as of_fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.sources import Sources
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.standing import Limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.documents import Document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.listing import DEPTH
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Folder
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.store import store
from simulated.accelerator_report import report as health
from simulated.fleet_store import NOW, add, arn, cluster, finding, fleet, inventory, of_cluster

AT, LATER = "2026-11-29T10:00:00Z", "2026-11-29T11:00:00Z"


def run(folder: Path, *clusters: dict[str, t.Any], started: str = AT, verb: str = "reconcile", **more: t.Any) -> str:
    return add(Folder(str(folder)), started, verb, *clusters, **more)


def standings(found: dict[str, t.Any]) -> dict[str, str]:
    return {key: each["standing"] for key, each in found["clusters"].items()}


def test_each_cluster_of_the_inventory_and_each_of_the_store_is_named(tmp_path: Path) -> None:
    run(tmp_path, of_cluster("a"), of_cluster("b", "failed", finding()), of_cluster("gone"))
    found = fleet(tmp_path, "a", "b", "new", not_read=["profile x, region y: denied"])
    assert standings(found) == {"a": "good", "b": "person", "new": "unknown"}
    assert found["standings"] == {"person": 1, "unknown": 1, "pending": 0, "old": 0, "good": 1}
    assert found["not_in_inventory"] == [{"cluster": "gone", "latest": AT}]
    assert found["inventory_failures"] == ["profile x, region y: denied"] and found["store"]["reports"] == 3


def test_clusters_outside_this_run_are_in_the_inventory(tmp_path: Path) -> None:
    run(tmp_path, of_cluster("a"), of_cluster("b"))
    read = of_fleet.Inventory([cluster("a")], ["a", "b"])
    found = of_fleet.document(read, Sources("/store"), Limits(NOW, 24))
    assert found["not_in_inventory"] == []


def test_a_report_of_another_account_or_a_recreated_cluster_is_named(tmp_path: Path) -> None:
    run(tmp_path, of_cluster("a", account="222222222222"), of_cluster("b", key="b", arn=arn("old-b")), of_cluster("c"))
    found = fleet(tmp_path, "a", "b", "c")
    assert standings(found) == {"a": "unknown", "b": "unknown", "c": "good"}
    assert [(each["cluster"], each["source"]) for each in found["problems"]] == [("a", "reconcile, real"), ("b", "reconcile, real")]
    assert "is of account 222222222222" in found["problems"][0]["why"] and "old-b" in found["problems"][1]["why"]
    assert found["clusters"]["a"]["findings"] == [] and found["clusters"]["a"]["certificates"]["ends"] == {}


def test_two_schemas(tmp_path: Path) -> None:
    run(tmp_path, of_cluster("a"))
    run(tmp_path, of_cluster("a"), started=LATER, schema=4)
    found = fleet(tmp_path, "a")
    assert standings(found) == {"a": "unknown"}
    assert {each["why"] for each in found["problems"]} == {"has schema 4, and this version reads 3"}
    real = found["clusters"]["a"]["verbs"]["reconcile"]["real"]
    assert (real["state"], real["started"]) == ("found", AT), "the earlier report is shown as the earlier one"


def test_a_store_that_could_not_be_listed(tmp_path: Path) -> None:
    (tmp_path / "v1").write_text("")
    found = fleet(tmp_path, "a")
    assert "could not be listed" in found["store"]["failure"] and standings(found) == {"a": "unknown"}
    assert found["clusters"]["a"]["why"] == "its reports could not be listed" and of_fleet.is_empty(found)


def test_foreign_keys_are_named(tmp_path: Path) -> None:
    run(tmp_path, of_cluster("a"))
    store(Folder(str(tmp_path)), [Document("v1/clusters/a/reconcile/notes.txt", "x")])
    found = fleet(tmp_path, "a")
    assert found["store"]["foreign"] == 1
    assert found["problems"] == [{"cluster": "", "source": "v1/clusters/a/reconcile/notes.txt", "why": "is not the key of a report"}]


def test_an_empty_store_is_empty_also_with_reports_of_this_playbook(tmp_path: Path) -> None:
    assert of_fleet.is_empty(fleet(tmp_path, "a"))
    run(tmp_path, of_cluster("a"), verb="fleet_report")
    assert of_fleet.is_empty(fleet(tmp_path, "a"))
    run(tmp_path, of_cluster("a"))
    assert not of_fleet.is_empty(fleet(tmp_path, "a"))


def test_open_findings_are_counted_by_code_with_their_age(tmp_path: Path) -> None:
    warning, info = {**finding("note", "vpn-certificate-ends"), "severity": "warning"}, finding("note", "fine")
    run(tmp_path, of_cluster("a", "failed", finding(node="i-1"), finding(node="i-2"), info), of_cluster("b", "unchanged", warning))
    run(tmp_path, of_cluster("b", "failed", finding()), started=LATER, verb="verify")
    found = fleet(tmp_path, "a", "b")["findings"]
    assert [(each["kind"], each["code"], each["count"], each["clusters"]) for each in found] == [
        ("failure", "no-login-service", 3, ["a", "b"]),
        ("note", "vpn-certificate-ends", 1, ["b"]),
    ]
    assert (found[0]["oldest"], found[0]["newest"], found[0]["verbs"]) == (AT, LATER, ["reconcile", "verify"])


@pytest.mark.parametrize(
    ("history", "since", "known"),
    [
        ("x", "06", True),
        ("-xx", "07", True),
        ("x-x", "08", True),
        ("xcx", "06", True),  # a check in between says nothing
        ("xbx", "08", False),  # a report that cannot be read may have it
        ("xfx", "08", True),  # an earlier cluster with the same key
    ],
)
def test_the_age_of_a_finding_is_the_time_of_consecutive_reports(tmp_path: Path, history: str, since: str, known: bool) -> None:
    """x: a run with the finding, c: a check without it, b: a broken report, f: the report of another cluster."""
    for hour, kind in enumerate(history, 6):
        other = {"arn": arn("another"), "key": "a"} if kind == "f" else {}
        own = of_cluster("a", "failed", finding(node="i-1"), **other) if kind in "xbf" else of_cluster("a")
        name = run(tmp_path, own, started=f"2026-11-29T{hour:02}:00:00Z", check=kind == "c")
        if kind == "b":
            (tmp_path / f"v1/clusters/a/reconcile/{name}.json").write_text("{")
    (found,) = fleet(tmp_path, "a")["findings"]
    assert (found["oldest"], found["oldest_is_known"]) == (f"2026-11-29T{since}:00:00Z", known)


def test_a_finding_older_than_the_reports_that_are_read_is_at_least_so_old(tmp_path: Path) -> None:
    for hour in range(DEPTH + 1):
        run(tmp_path, of_cluster("a", "failed", finding()), started=f"2026-11-29T{hour:02}:00:00Z")
    (found,) = fleet(tmp_path, "a")["findings"]
    assert (found["oldest"], found["oldest_is_known"]) == ("2026-11-29T01:00:00Z", False)


def test_a_finding_of_an_earlier_run_is_no_longer_open(tmp_path: Path) -> None:
    run(tmp_path, of_cluster("a", "failed", finding()))
    run(tmp_path, of_cluster("a"), started=LATER)
    found = fleet(tmp_path, "a")
    assert found["findings"] == [] and standings(found) == {"a": "good"}


def test_login_nodes_and_certificates_are_those_of_the_latest_report_that_has_them(tmp_path: Path) -> None:
    early, late = ({"vpn-ca": f"202{number}-01-01T00:00:00Z"} for number in (7, 8))
    run(tmp_path, of_cluster("a", login_nodes=3, login_nodes_in_service=1, certificates=early), verb="status")
    run(tmp_path, of_cluster("a", certificates=late), verb="client_vpn", started=LATER)
    found = fleet(tmp_path, "a")["clusters"]["a"]
    assert found["login"] == {"in_service": 1, "nodes": 3, "name": "", "started": AT}
    assert found["certificates"] == {"ends": late, "started": LATER}


def test_the_numbers_of_report_files(tmp_path: Path) -> None:
    document = health(8)
    key = next(iter(document["clusters"]))
    document["clusters"][key]["arn"] = arn(key)
    run(tmp_path, of_cluster(key), verb="verify", files={"accelerators.json": document, "other.json": {}})
    found = fleet(tmp_path, key)["clusters"][key]
    assert sum(found["health"]["found"]["verdicts"].values()) == len(document["clusters"][key]["nodes"])
    assert (found["health"]["started"], found["health"]["why"], found["health"]["old"]) == (AT, "", False)
    assert found["topology"] == {"found": None, "started": "", "why": "no real run of topology is known", "old": False}


def test_report_files_that_say_nothing_about_the_cluster(tmp_path: Path) -> None:
    document = health(8)
    key = next(iter(document["clusters"]))
    document["clusters"][key]["arn"] = arn("old")
    run(tmp_path, of_cluster(key), of_cluster("none"), verb="verify", files={"accelerators.json": document})
    found = fleet(tmp_path, key, "none")["clusters"]
    assert (found[key]["health"]["found"], found[key]["health"]["why"]) == (None, "the file is about another cluster with the same key")
    assert (found["none"]["health"]["found"], found["none"]["health"]["why"]) == (None, "the run of verify stored no JSON file about the cluster")


def test_a_broken_report_file_is_named(tmp_path: Path) -> None:
    name = run(tmp_path, of_cluster("a"), verb="verify", files={"accelerators.json": {}})
    (tmp_path / f"v1/runs/{name}/accelerators.json").write_text("{")
    found = fleet(tmp_path, "a")
    assert found["clusters"]["a"]["health"]["why"] == "the file accelerators.json is not JSON, for example because it is truncated"
    assert [each["source"] for each in found["problems"]] == [f"v1/runs/{name}/accelerators.json"]


def test_an_inventory_without_clusters(tmp_path: Path) -> None:
    found = of_fleet.document(inventory(), Sources(str(tmp_path)), Limits(NOW, 24))
    assert found["clusters"] == {} and of_fleet.is_empty(found)
