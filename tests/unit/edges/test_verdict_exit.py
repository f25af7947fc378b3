# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The exit status of runs: no possible login, hyperpod_degraded_fails, and failures that the last play keeps."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import reported
import yaml
from simulated.verdict_runs import Bench

PLAYBOOKS = Path(__file__).resolve().parents[3] / "playbooks"
LAST = "end.yml: Validate the result of each cluster"
STORY = """
- hosts: hyperpod_clusters
  gather_facts: false
  tasks:
    - ansible.builtin.ping: # a check, as a cluster without checks is reported as skipped
    - mlfleet.hyperpod.finding:
        code: home-waits
        texts: "{{ pending | default([]) if inventory_hostname == 'ml' else [] }}"
    - ansible.builtin.assert:
        that: inventory_hostname == 'ml' or not broken | default(false) | bool
        fail_msg: broken
        quiet: true
    - block:
        - ansible.builtin.assert:
            that: inventory_hostname == 'other' or not rescued | default(false) | bool
            fail_msg: rescued
            quiet: true
      rescue:
        - ansible.builtin.debug: {msg: the play continues}
- ansible.builtin.import_playbook: mlfleet.hyperpod.end
"""
SERVICE = """
- hosts: hyperpod_clusters
  gather_facts: false
  vars:
    starts: {login_nodes: 2, in_service: [], finding: {kind: pending, code: login-service-starting, text: "AWS is at work on i-1."}}
    closed: {login_nodes: 2, in_service: [], finding: {kind: failure, code: no-login-service, text: "i-1 is closed."}}
    serves: {login_nodes: 1, in_service: [i-2], finding: null}
    hyperpod_run: {login_name: "{{ '(known after apply)' if ansible_check_mode else 'hp-ml.example' }}"}
    __login_targets_registered:
      login_service: "{{ serves if inventory_hostname == 'other' else starts if at_work | default(false) | bool else closed }}"
  tasks:
    - ansible.builtin.ping:
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.login_targets, tasks_from: cluster/service}
- hosts: hyperpod_clusters
  gather_facts: false
  tasks:
    - name: Run a task after the failed login check
      ansible.builtin.assert: {that: true, quiet: true}
- ansible.builtin.import_playbook: mlfleet.hyperpod.end
"""
PENDING = ("-e", '{"pending": ["i-1 waits"]}')
FAILS = ("-e", "hyperpod_degraded_fails=true")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("exit"))


@pytest.mark.parametrize(
    ("arguments", "rc", "status"),
    [
        (PENDING, 0, "degraded"),
        ((*PENDING, *FAILS), 2, "degraded"),
        (FAILS, 0, "unchanged"),
        (("-e", "rescued=true"), 2, "failed"),
        ((*PENDING, *FAILS, "--check"), 2, "degraded"),
        ((*PENDING, "-e", "offboard_name=eve"), 2, "degraded"),
    ],
    ids=["default", "with the option", "nothing is pending", "rescued", "check mode", "an order by name"],
)
def test_degraded_fails_only_with_the_option(bench: Bench, arguments: tuple[str, ...], rc: int, status: str) -> None:
    run = bench.run(STORY, *arguments)
    report = run.report or bench.written("report-check.json")
    assert (run.rc, report["clusters"]["ml"]["status"]) == (rc, status), run.output
    failures = ["ml: ansible.builtin.assert: rescued"] if "rescued=true" in arguments else []
    assert reported.cluster(report)["failures"] == failures and report["clusters"]["other"]["status"] == "unchanged"


def test_a_failed_cluster_keeps_its_reason_and_the_others_are_evaluated(bench: Bench) -> None:
    run = bench.run(STORY, *PENDING, *FAILS, "-e", "broken=true")
    assert (run.rc, run.report["status"]) == (2, "failed"), run.output
    assert run.cluster("other")["failures"] == ["other: ansible.builtin.assert: broken"]
    assert "Cluster ml is degraded (1 pending, see the report)" in " ".join(run.output.split())


def test_a_run_without_the_callback_is_refused(bench: Bench) -> None:
    """This includes playbooks that only read."""
    run = bench.run("mlfleet.hyperpod.status", *FAILS, ANSIBLE_CALLBACKS_ENABLED="ansible.builtin.junit")
    assert run.rc == 2 and "callbacks_enabled: mlfleet.hyperpod.report is missing" in " ".join(run.output.split()), run.output


EXCLUDED = ("awx.yml", "begin.yml", "end.yml", "cluster.yml", "rollout.yml", "training_cluster.yml")
"""A playbook without clusters, parts of other playbooks, those for clusters that may not exist yet, and one that ends with another."""


def _plays(playbook: str) -> t.Iterator[str]:
    """All plays in order, with those of imported playbooks."""
    for play in yaml.safe_load((PLAYBOOKS / playbook).read_text()):
        imported = play.get("ansible.builtin.import_playbook")
        yield from _plays(imported) if imported else [f"{playbook}: {play['name']}"]


@pytest.mark.parametrize("playbook", sorted(path.name for path in PLAYBOOKS.glob("*.yml") if path.name not in EXCLUDED))
def test_every_playbook_ends_with_the_validation_of_results(playbook: str) -> None:
    plays = list(_plays(playbook))
    assert plays[-1] == LAST and plays.count(LAST) == 1


@pytest.mark.parametrize(("arguments", "rc", "status"), [((), 2, "failed"), (("--check",), 0, "unchanged")], ids=["run", "check mode"])
def test_a_run_fails_at_its_end_if_no_login_is_possible(bench: Bench, arguments: tuple[str, ...], rc: int, status: str) -> None:
    run = bench.run(SERVICE, *arguments)
    report = run.report or bench.written("report-check.json")
    clusters = {key: reported.cluster(report, key) for key in report["clusters"]}
    assert (run.rc, clusters["ml"]["status"], clusters["other"]["status"]) == (rc, status, "unchanged"), run.output
    assert clusters["ml"]["failures"] == ([] if arguments else ["i-1 is closed."])
    assert [(clusters[key]["login_nodes_in_service"], clusters[key]["login_nodes"]) for key in ("ml", "other")] == [(0, 2), (1, 1)]
    assert clusters["ml"]["login_name"] == (None if arguments else "hp-ml.example")
    assert "Run a task after the failed login check" in run.output


def test_a_run_is_degraded_while_the_login_service_starts(bench: Bench) -> None:
    run = bench.run(SERVICE, "-e", "at_work=true")
    assert (run.rc, run.cluster()["status"]) == (0, "degraded"), run.output
    assert run.cluster()["pending"] == ["AWS is at work on i-1."]
