# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics file that the report callback updates at the end of each run."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulated.verdict_runs import Bench

STORY = """
- hosts: hyperpod_clusters
  gather_facts: false
  vars: {metrics: /of/the/inventory, HYPERPOD_METRICS: /of/the/inventory}
  tasks:
    - ansible.builtin.ping:
    - ansible.builtin.set_fact: {hyperpod_report: {certificates: {vpn-ca: "2036-11-22T08:00:00Z"}}}
      when: certificates | default(true) | bool
    - ansible.builtin.assert:
        that: inventory_hostname == 'other' or not broken | default(false) | bool
        fail_msg: broken
        quiet: true
"""
STATUS = 'mlfleet_hyperpod_last_run_status{{cluster="{}",playbook="story"}} {}'


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("metrics"))


def line(path: Path, start: str) -> str:
    (found,) = [each for each in path.read_text().split("\n") if each.startswith(start)]
    return found


def test_each_run_updates_the_file(bench: Bench) -> None:
    path = bench.folder / "runs.prom"
    limits = ("--limit", "hyperpod_clusters")
    assert bench.run(STORY, *limits, HYPERPOD_METRICS=str(path)).rc == 0
    success = line(path, 'mlfleet_hyperpod_last_success_timestamp_seconds{cluster="ml",')
    certificate = line(path, 'mlfleet_hyperpod_certificate_expiry_timestamp_seconds{cluster="ml",certificate="vpn-ca"} 2110953600')
    assert line(path, STATUS.format("ml", 0)) and line(path, STATUS.format("other", 0))

    assert bench.run(STORY, *limits, "-e", "broken=true", "--check", HYPERPOD_METRICS=str(path)).rc == 2
    assert line(path, STATUS.format("ml", 0)), "check mode is no run"

    run = bench.run(STORY, "--limit", "ml", "-e", "broken=true", "-e", "certificates=false", HYPERPOD_METRICS=str(path))
    assert run.rc == 2
    assert line(path, STATUS.format("ml", 4)) and line(path, STATUS.format("other", 0))
    assert line(path, success) and line(path, certificate)


def test_a_file_that_can_not_be_written_does_not_stop_the_report(bench: Bench) -> None:
    run = bench.run(STORY, "--limit", "ml", HYPERPOD_METRICS=str(bench.folder / "missing/runs.prom"))
    assert run.rc == 0 and run.report["status"] == "unchanged"
    assert "The metrics could not be written" in run.output
