# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that is interrupted by Ctrl-C is reported with its changes so far."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from simulated.controller import started
from simulated.verdict_runs import Bench

STORY = """
- hosts: hyperpod_clusters
  gather_facts: false
  tasks:
    - ansible.builtin.ping:
    - ansible.builtin.shell: echo here >{fifo}; exec sleep 100
"""


def test_an_interrupted_run_is_reported_as_failed(tmp_path: Path) -> None:
    bench, fifo, log = Bench(tmp_path), tmp_path / "fifo", tmp_path / "log"
    os.mkfifo(fifo)
    (tmp_path / "story.yml").write_text(STORY.format(fifo=fifo))
    arguments = ("-i", str(bench.inventory), str(tmp_path / "story.yml"), "--limit", "ml")
    run = started("playbook", *arguments, home=tmp_path, temporary=tmp_path / "tmp", log=log, HYPERPOD_STATE_DIR=str(bench.state))
    try:
        assert fifo.read_text() == "here\n"
        os.killpg(run.pid, signal.SIGINT)
        status = run.wait(timeout=60)
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
    shown = log.read_text()
    assert status != 0 and "HYPERPOD REPORT" in shown, shown
    assert "The run was interrupted" in shown.partition("HYPERPOD REPORT")[2], shown
    report = json.loads((bench.state / "report.json").read_text())
    assert (report["status"], report["interrupted"], report["clusters"]["ml"]["status"]) == ("failed", True, "unchanged")
