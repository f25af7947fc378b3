# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook fleet_report: its files, findings and exit statuses with stores that are full, empty, broken or missing."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Folder
from simulated.fleet_store import add, finding, of_cluster
from simulated.limits import Run, cluster, inventory, playbook

HOSTS = {**cluster("ml"), **cluster("other", orchestrator="eks")}
SENTENCE = "profile research, region eu-west-1: access was denied"
pytestmark = pytest.mark.slow


def part(key: str, status: str = "unchanged", *findings: t.Mapping[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    """The report of a cluster of the inventory."""
    about = {name: HOSTS[key]["vars"][f"hyperpod_{name}"] for name in ("cluster_arn", "account_id")}
    return of_cluster(key, status, *findings, **{"key": key, "arn": about["cluster_arn"], "account": about["account_id"], **more})


def run(folder: Path, *arguments: str, store: str | None = None, **variables: t.Any) -> Run:
    stored = ("-e", f"hyperpod_report_store={folder / 'store' if store is None else store}")
    return playbook(folder, "fleet_report", *(stored if store != "" else ()), *arguments, source=inventory(HOSTS, variables=variables))


def written(folder: Path) -> tuple[dict[str, t.Any], str, dict[str, t.Any]]:
    """The JSON, the page, and the report of the run."""
    home = folder / "home/.mlfleet/hyperpod"
    made, report = (json.loads((home / name).read_text()) for name in ("fleet_report.json", "report-look.json"))
    return made, (home / "fleet_report.html").read_text(), report


def codes(report: dict[str, t.Any]) -> dict[str, list[tuple[str, str]]]:
    return {key: [(each["kind"], each["code"]) for each in found["findings"]] for key, found in report["clusters"].items()}


def test_the_files_and_findings(tmp_path: Path) -> None:
    """The run adds its own files to the store. It reads no cluster, so all clusters are skipped, or degraded by an unreadable report."""
    place, now = Folder(str(tmp_path / "store")), iso_now()
    add(place, now, "reconcile", part("ml", "failed", finding(text="{{ 1 + 1 }} \x1b[31m")))
    name = add(place, now, "verify", part("other"))
    (tmp_path / f"store/v1/clusters/other/verify/{name}.json").write_text('{"schema": 3,')
    done = run(tmp_path)
    assert done.rc == 0 and "1 of 2 clusters needs a person, 1 not known." in done.output, done.output
    made, page, report = written(tmp_path)
    assert {key: each["standing"] for key, each in made["clusters"].items()} == {"ml": "person", "other": "unknown"}
    assert made["clusters"]["ml"]["nodes"] == {"Running": 4} and made["clusters"]["ml"]["findings"][0]["text"] == "{{ 1 + 1 }} ?[31m"
    assert "{{ 1 + 1 }} ?[31m" in page and "1 of 2 clusters needs a person" in page
    assert codes(report) == {"ml": [("note", "fleet-report")], "other": [("pending", "report-not-read"), ("note", "fleet-report")]}
    assert {key: each["status"] for key, each in report["clusters"].items()} == {"ml": "skipped", "other": "degraded"}
    assert not done.called_aws and report["reads_only"] is True
    stored = {path.name for path in (tmp_path / "store/v1/runs").rglob("fleet_report.*")}
    assert stored == {"fleet_report.json", "fleet_report.html"}


@pytest.mark.parametrize("check", [(), ("--check",)], ids=["run", "check mode"])
def test_no_report_at_all_is_exit_2_with_a_page_that_says_so(tmp_path: Path, check: tuple[str, ...]) -> None:
    done = run(tmp_path, *check)
    assert done.rc == 2 and "has no report of the clusters of this run, so nothing is known about them." in done.output, done.output
    assert "Nothing is known about 2 clusters" in (tmp_path / "home/.mlfleet/hyperpod/fleet_report.html").read_text()
    again = run(tmp_path, *check)
    assert again.rc == 2, "the reports of the first run say nothing about clusters"


def test_a_store_that_cannot_be_listed_is_exit_2(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store/v1").write_text("")
    done = run(tmp_path)
    assert done.rc == 2 and "The report store could not be listed: " in done.output, done.output
    assert "Nothing is known: the report store could not be read." in written(tmp_path)[1]


def test_an_account_that_could_not_be_read_is_named_and_fails_the_run(tmp_path: Path) -> None:
    add(Folder(str(tmp_path / "store")), iso_now(), "reconcile", part("ml"), part("other"))
    done = run(tmp_path, hyperpod_inventory_failures=[SENTENCE])
    assert done.rc == 2, done.output
    made, page, _report = written(tmp_path)
    assert made["inventory_failures"] == [SENTENCE] and SENTENCE in page and 'data-v="unknown">2 clusters without open findings' in page


def test_one_cluster_is_selected_and_the_other_is_not_missing(tmp_path: Path) -> None:
    add(Folder(str(tmp_path / "store")), iso_now(), "reconcile", part("ml"), part("other"))
    done = run(tmp_path, "-e", "hyperpod_only=ml", "-e", "fleet_report_html=", "-e", "fleet_report_json=~/one/fleet.json")
    assert done.rc == 0, done.output
    made = json.loads((tmp_path / "home/one/fleet.json").read_text())
    assert list(made["clusters"]) == ["ml"] and made["not_in_inventory"] == []
    assert not (tmp_path / "home/.mlfleet/hyperpod/fleet_report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "store", "expected"),
    [
        ((), "", "hyperpod_report_store: missing. Allowed: s3://BUCKET, s3://BUCKET/PREFIX, or the absolute path of a folder."),
        (("-e", "fleet_report_old_hours=0"), None, "fleet_report_old_hours: 0 is not allowed. Allowed: 1 to 8760."),
    ],
)
def test_a_wrong_option_refuses_the_run(tmp_path: Path, arguments: tuple[str, ...], store: str | None, expected: str) -> None:
    done = run(tmp_path, *arguments, store=store)
    assert done.rc == 2 and expected in done.output, done.output
    assert not (tmp_path / "home/.mlfleet/hyperpod/fleet_report.json").exists()
