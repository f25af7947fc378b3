# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of real runs for monitoring, AWX and people: files, the custom statistic, and the printed report."""

from __future__ import annotations

import datetime
import json
import re
import stat
from pathlib import Path

import pytest
import reported
import yaml
from ansible.release import __version__
from simulated.verdict_runs import ACCOUNT, NODES, Bench

pytestmark = pytest.mark.slow

GALAXY = Path(__file__).resolve().parents[3] / "galaxy.yml"
DOCS = Path(__file__).resolve().parents[3] / "docs/reference/report-json.md"
STORY = """
- hosts: cluster_ml
  gather_facts: false
  tasks:
    - mlfleet.hyperpod.finding:
        findings: [{kind: note, code: home-waits, subject: "{{ inventory_hostname }}", text: "waits for {{ inventory_hostname[-4:] }}"}]
      when: hyperpod_instance_id is defined
      tags: [nodes]
    - mlfleet.hyperpod.finding:
        findings: [{kind: note, code: node-would-gain-access, node: "{{ item }}", brief: "{{ reason }}", text: "node {{ item }} (compute): {{ reason }}"}]
      loop: "{{ groups['cluster_ml'] | select('match', 'ml-.*') | map('regex_replace', '^ml-', '') }}"
      vars: {reason: 'would gain access (no trust record); changes are predicted only on nodes with access'}
      when: hyperpod_instance_id is not defined
    - mlfleet.hyperpod.finding:
        code: cluster-not-in-service
        texts: ["ml is not right"]
      when: hyperpod_instance_id is not defined
    - ansible.builtin.set_fact:
        hyperpod_report:
          login_name: "hp-ml.example"
          people_files: /srv/people/ml
          login_nodes: 2
          login_nodes_in_service: 0
      when: hyperpod_instance_id is not defined
    - ansible.builtin.ping:
      when: inventory_hostname[-1] in '123'
"""

PEOPLE = """
- hosts: ml
  gather_facts: false
  tasks:
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.login_nodes, tasks_from: cluster/people}
      vars:
        hyperpod_run:
          login_name: "{{ connect_to }}"
          login_addresses: []
          host_keys: [ssh-ed25519 AAAA]
          next_host_keys: []
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.node_access, tasks_from: cluster/unreached}
      vars:
        hyperpod_run:
          node_access:
            i-00000000000000001: {access: ready, reason: ""}
            i-00000000000000002: {access: would_gain, reason: no trust record}
            i-00000000000000003: {access: pending, reason: the node is Pending}
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("report"))


def test_the_report_identifies_the_run_and_its_results(bench: Bench) -> None:
    run = bench.run(STORY, "--limit", "cluster_ml", "--skip-tags", "nodes", "-e", "awx_job_id=17", "-e", "hyperpod_only=ml")
    report = run.report
    times = [datetime.datetime.strptime(report[name], "%Y-%m-%dT%H:%M:%SZ") for name in ("started", "ended")]  # noqa: DTZ007
    assert (run.rc, times) == (0, sorted(times)), run.output
    version = yaml.safe_load(GALAXY.read_text())["version"]
    assert {name: value for name, value in report.items() if name not in ("started", "ended", "clusters")} == {
        "schema": 3,
        "status": "degraded",
        "inventory_failures": [],
        "refused": [],
        "playbook": "story",
        "check_mode": False,
        "reads_only": False,
        "interrupted": False,
        "limit": "cluster_ml",
        "hyperpod_only": "ml",
        "tags": ["all"],
        "skip_tags": ["nodes"],
        "controller": report["controller"],
        "awx_job": "17",
        "versions": {"mlfleet.hyperpod": version, "ansible-core": __version__},
    }
    assert report["controller"].startswith("operator@")
    assert {name: value for name, value in run.cluster().items() if name not in ("notes", "changes", "findings")} == {
        "status": "degraded",
        "arn": f"arn:aws:sagemaker:us-west-2:{ACCOUNT}:cluster/ml",
        "account": ACCOUNT,
        "region": "us-west-2",
        "nodes": len(NODES),
        "nodes_looked_at": 3,
        "login_name": "hp-ml.example",
        "people_files": "/srv/people/ml",
        "login_nodes": 2,
        "login_nodes_in_service": 0,
        "full_look": None,
        "certificates": None,
        "pending": ["ml is not right"],
        "failures": [],
    }
    table = set(re.findall(r"^\| `([a-z_.KEY, `]+)` \|", DOCS.read_text(), re.M))
    raw = run.report["clusters"]["ml"]
    documented = {name.strip(" `").removeprefix("clusters.KEY.") for row in table for name in row.split(",")}
    assert {*report, *raw, "hyperpod_only"} - documented == set()


def test_a_run_for_one_node_reports_the_number_of_all_nodes(bench: Bench) -> None:
    run = bench.run(STORY, "--limit", f"ml-{NODES[0]}")
    assert (run.cluster()["nodes_looked_at"], run.cluster()["nodes"]) == (1, len(NODES)), run.output


def test_equal_findings_of_many_nodes_are_one_line_and_the_file_has_each(bench: Bench) -> None:
    run = bench.run(STORY)
    assert run.lines[:3] == [
        "ml  degraded",
        "    - users log in at hp-ml.example; files for users are in /srv/people/ml",
        "    - pending: ml is not right",
    ]
    assert sorted(run.lines[3:]) == [
        "    - note: 8 nodes: would gain access (no trust record); changes are predicted only on nodes with access; the list is in report.json",
        *[f"    - note: {node}: waits for {node[-4:]}" for node in NODES],
    ]
    notes = run.cluster()["notes"]
    assert len(notes) == 2 * len(NODES)
    assert all(f"node {node} (compute): would gain access (no trust record); changes are predicted only on nodes with access" in notes for node in NODES)


def test_check_mode_keeps_the_report_of_the_last_run(bench: Bench) -> None:
    first = bench.run(STORY)
    kept = (bench.state / "report.json").read_bytes()
    looked = bench.run(STORY, "--check", keep_report=True)
    assert (bench.state / "report.json").read_bytes() == kept and first.report["check_mode"] is False
    assert bench.written("report-check.json")["check_mode"] is True
    assert any("the list is in report-check.json" in line for line in looked.lines)


def test_each_run_has_a_file_and_their_number_is_bounded(bench: Bench) -> None:
    folder = bench.state / "reports"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("20200101T000000Z-old.json", "20200102T000000Z-old.json", "mine.json", "20200101.txt"):
        (folder / name).write_text("{}")
    run = bench.run(STORY, HYPERPOD_REPORTS_KEPT="3")
    names = sorted(path.name for path in folder.iterdir())
    own = [name for name in names if re.fullmatch(r"\d{8}T\d{6}Z-.*\.json", name)]
    assert len(own) == 3 and names.count("20200101T000000Z-old.json") == 0 and {"mine.json", "20200101.txt"} == {*names} - {*own}, names
    stamp = re.sub("[-:]", "", run.report["started"])
    (latest,) = [name for name in own if name.startswith(f"{stamp}-story")]
    assert json.loads((folder / latest).read_text()) == run.report
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder / latest, bench.state / "report.json")]
    assert modes == [0o600, 0o600] and not list(bench.state.glob("tmp*")) and not list(folder.glob("tmp*"))
    none = bench.run(STORY, HYPERPOD_REPORTS_KEPT="0")
    assert none.rc == 0 and sorted(path.name for path in folder.iterdir()) == names


def test_awx_keeps_the_verdict_within_bounds(bench: Bench) -> None:
    long = """
- hosts: cluster_ml
  gather_facts: false
  tasks:
    - ansible.builtin.set_stats: {data: {hyperpod: all is well}} # any module can return that
    - mlfleet.hyperpod.finding:
        code: home-waits
        texts: "{{ range(40) | map('string') | map('regex_replace', '$', ' ' ~ 'x' * 4000) }}"
    - mlfleet.hyperpod.finding:
        code: cluster-failed
        texts: ["{{ inventory_hostname }} failed", !unsafe "{{ 7 * 7 }}"]
        fail: false
- ansible.builtin.import_playbook: mlfleet.hyperpod.end
"""
    run = bench.run(long, ANSIBLE_SHOW_CUSTOM_STATS="true", ANSIBLE_CALLBACK_RESULT_FORMAT="json")
    shown = run.output.partition("CUSTOM STATS:")[2].partition("HYPERPOD REPORT")[0]
    cluster = json.loads(shown[shown.index("{") : shown.rindex("}") + 1])["hyperpod"]["clusters"]["ml"]
    assert len(shown) < 20_000 and len(json.dumps(run.report)) > 150_000
    assert (cluster["status"], len(reported.texts(cluster, "pending")), cluster["codes"]["home-waits"]) == ("failed", 20, 360)
    assert {"ml failed", "{{ 7 * 7 }}"} <= set(reported.texts(cluster, "failure")) and cluster["changes"] == {}


@pytest.mark.parametrize("name", ["(known after apply)", "hp-ml.example"])
def test_check_mode_writes_nothing_for_people(bench: Bench, name: str) -> None:
    run = bench.run(PEOPLE, "-e", json.dumps({"connect_to": name}), "--check")
    assert run.rc == 0 and not (bench.state / "people").exists(), run.output


def test_the_folder_of_files_for_people_is_reported(bench: Bench) -> None:
    run = bench.run(PEOPLE, "-e", "connect_to=hp-ml.example")
    place = bench.state / "people/ml"
    assert (run.rc, run.cluster()["people_files"]) == (0, str(place)), run.output
    assert (place / "known_hosts").read_text() == "hp-ml.example ssh-ed25519 AAAA\n" and (place / "ssh_config").exists()
    assert f"    - files for users are in {place}" in run.lines
    assert run.cluster()["pending"] == ["i-00000000000000002 is not reached: no trust record. Run login_access to create one."], "only two are login nodes"
