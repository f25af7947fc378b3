# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of the inventory that could not be read appear in every result and exit status; other clusters are still processed."""

from __future__ import annotations

import csv
import json
import typing as t

import pytest
import reported
import yaml
from simulated import hostile

pytestmark = pytest.mark.slow

SENTENCE = "profile nosuch, region eu-west-1: The config profile (nosuch) could not be found"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[hostile.World]:
    with hostile.world(tmp_path_factory.mktemp("not-read")) as here:
        yield here


@pytest.fixture(scope="module")
def partial(world: hostile.World) -> tuple[str, str]:
    """Arguments for an inventory with a part that could not be read."""
    found = yaml.safe_load(world.inventory.read_text())
    for variables in hostile._hosts(found).values():
        del variables["hyperpod_inventory_failures"]  # ansible-inventory writes variables of all to each host
    found["all"]["vars"] = {"hyperpod_inventory_failures": [SENTENCE]}
    path = world.folder / "partial.yml"
    path.write_text(yaml.safe_dump(found))
    return "-i", str(path)


def report_of(world: hostile.World) -> dict[str, t.Any]:
    found: dict[str, t.Any] = json.loads((world.home / ".mlfleet/hyperpod/report-look.json").read_text())
    return found


def test_a_source_with_an_unreadable_part_fails_the_run(world: hostile.World) -> None:
    """The whole way from the source to the exit status."""
    source = world.folder / "real.hyperpod.yml"
    accounts = [{"clusters": ["ml"]}, {"profile": "nosuch"}]
    source.write_text(yaml.safe_dump({"plugin": "mlfleet.hyperpod.hyperpod", "regions": ["us-west-2"], "accounts": accounts}))
    run = world.playbook("mlfleet.hyperpod.vpn_report", "-i", str(source), "-e", "client_vpn_client_cidr=172.20.0.0/20", ANSIBLE_INVENTORY="")
    assert run.rc == 2 and "this run did not include the missing parts: profile nosuch, region us-west-2: " in run.output, run.output
    assert "(inventory)  failed\n             - failure: not read: profile nosuch, region us-west-2: " in run.report


def test_the_readable_clusters_are_still_processed(world: hostile.World, partial: tuple[str, ...]) -> None:
    path = world.folder / "not/there/access.csv"
    run = world.playbook("mlfleet.hyperpod.access_report", *partial, "--limit", "cluster_ml", "-e", f"access_report_csv={path}")
    assert run.rc == 2, run.output
    report = report_of(world)
    assert (report["status"], report["inventory_failures"]) == ("failed", [SENTENCE])
    assert reported.cluster(report)["failures"] == [], "the failure is not the cluster's"
    folder = world.home / ".mlfleet/hyperpod"
    found = json.loads((folder / "access_report.json").read_text())
    assert found["inventory_failures"] == [SENTENCE] and found["people"], "the report must have the people of the readable clusters"
    rows = list(csv.DictReader(path.read_text().split("\n")))
    assert [row["source"] for row in rows if row["status"] == "not read"] == [SENTENCE]
    assert f"not read: {SENTENCE}" in " ".join(run.output.split())


EVIDENCE = """
- hosts: hyperpod_clusters
  gather_facts: false
  tasks:
    - ansible.builtin.ping:
    - {ansible.builtin.fail: {msg: "as where its variables are refused"}, when: inventory_hostname == "other"}
    - ansible.builtin.set_fact: {hyperpod_run: {vpn_access: {vpc_id: vpc-1, rows: []}}}
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.client_vpn_access, tasks_from: cluster/report_files}
      vars: {client_vpn_report_json: ~/there/not/yet/vpn.json, client_vpn_report_csv: ~/there/vpn.csv}
    - ansible.builtin.include_role: # the verdict on nodes that were not listed is not what this is about
        name: mlfleet.hyperpod.offboarding
        tasks_from: cluster/report
        apply: {ignore_errors: true}
- ansible.builtin.import_playbook: mlfleet.hyperpod.end
"""


def test_evidence_of_an_offboarding_names_the_part_that_was_not_read(world: hostile.World, partial: tuple[str, ...]) -> None:
    """The report on access by VPN does so as well; missing folders are created."""
    play = world.folder / "evidence.yml"
    play.write_text(EVIDENCE)
    there = world.home / "there"
    there.mkdir(mode=0o755)
    run = world.playbook(str(play), *partial, "-e", "offboard_name=mallory")
    assert run.rc == 2 and "The inventory could not be read completely, and this run" in run.output, run.output
    (evidence,) = (world.home / ".mlfleet/hyperpod").rglob("mallory-*.json")
    found = json.loads(evidence.read_text())
    assert found["inventory_failures"] == [SENTENCE] and not found["complete"]
    assert found["not_finished"][:2] == [f"not read: {SENTENCE}", "other: the run failed before it checked this cluster for the user"]
    assert [each["cluster"] for each in found["clusters"]] == ["ml"] and found["not_in_run"] == []
    assert "not read: profile nosuch" in evidence.with_suffix(".md").read_text()
    assert json.loads((there / "not/yet/vpn.json").read_text())["inventory_failures"] == [SENTENCE]
    (row,) = csv.DictReader((there / "vpn.csv").read_text().split("\n"))
    assert (row["vpc"], row["state"]) == (SENTENCE, "not read") and f"not read: {SENTENCE}" in " ".join(run.output.split())
    assert [folder.stat().st_mode & 0o777 for folder in (there, there / "not/yet")] == [0o755, 0o700]


def test_drift_reports_that_it_could_not_tell(world: hostile.World, partial: tuple[str, ...]) -> None:
    """The readable clusters are in sync: they have no VPN, and no node is checked."""
    play = world.folder / "look.yml"
    play.write_text(
        yaml.safe_dump([
            {
                "hosts": "hyperpod_clusters",
                "gather_facts": False,
                "vars": {"hyperpod_drift": "reported"},
                "tasks": [{"ansible.builtin.ping": {}}],
            }
        ])
    )
    fine = world.playbook(str(play), "--check")
    assert fine.rc == 0 and "drift: in sync; 2 clusters checked\n" in fine.output, fine.output
    metrics = (world.home / ".mlfleet/hyperpod/drift.prom").read_text()
    assert "\nmlfleet_hyperpod_drift_inventory_failures 0\n" in metrics
    run = world.playbook(str(play), *partial, "--check")
    assert run.rc == 1 and f"drift: could not tell; 2 clusters checked; not read: {SENTENCE}" in run.output, run.output
    found = json.loads((world.home / ".mlfleet/hyperpod/drift.json").read_text())
    assert (found["status"], found["inventory_failures"]) == ("could not tell", [SENTENCE])
    metrics = (world.home / ".mlfleet/hyperpod/drift.prom").read_text()
    assert "\nmlfleet_hyperpod_drift_inventory_failures 1\n" in metrics


@pytest.mark.parametrize("name", ["reconcile", "drift"])
def test_both_halves_of_a_playbook_run_before_the_failure(world: hostile.World, partial: tuple[str, ...], name: str) -> None:
    """A failure at the end of the first half would exclude the cluster's host from the second half."""
    run = world.playbook(f"mlfleet.hyperpod.{name}", *partial, "--check", "-e", json.dumps({"hyperpod_run": {"skipped": True}}))
    assert run.rc == (1 if name == "drift" else 2), run.output
    assert run.output.count("fatal: ") == 1, run.output
    assert run.output.index("PLAY [Ensure the Client VPN is configured]") < run.output.index("The inventory could not be read completely"), run.output
