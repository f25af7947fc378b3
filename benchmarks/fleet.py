# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drift check of many clusters that were never configured, compared with modules of amazon.aws that compare nothing.

The API is simulated, without machines, so no node is reached. The bounds end the benchmark with an error.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import typing as t
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
CLUSTERS, LOGIN, COMPUTE = 20, 2, 7
FORKS = (10, 15)
PEER, TIMES = "amazon.aws.ec2_vpc_subnet_info", 18
"""The drift check of a cluster calls 18 modules of this collection and of amazon.aws; the peer runs one as often."""
MOST_BYTES = 1.5 * 2**30
LINES, FRAME = 3, 5
"""The largest number of lines: for each cluster its status, and two notes about missing users and access; and around them."""
SECONDS = 1800


def rows(clusters: int = CLUSTERS) -> t.Iterator[tuple[str, str]]:
    sys.path[:0] = [str(HERE), str(TESTS), *os.environ["ANSIBLE_COLLECTIONS_PATH"].split(":")]
    from simulated import Simulated, quiet, simulator

    with tempfile.TemporaryDirectory() as temporary, mock.patch.object(quiet, "LIMIT", SECONDS):
        folder = Path(temporary)
        (folder / "aws").mkdir()
        with simulator(folder / "aws") as url:
            names = [f"bench-{number:02d}" for number in range(clusters)]
            fleet = quiet.Fleet(folder, Simulated(url), *names, login=LOGIN, compute=COMPUTE)
            peer = folder / "peer.json"
            peer.write_text(json.dumps([play()]))
            for forks in FORKS:
                usual, shown = measured(fleet, str(peer), forks)
                yield f"{PEER}, {TIMES} times for each of {clusters} clusters, {forks} forks", shown
                busy, shown = measured(fleet, "mlfleet.hyperpod.drift", forks, "--check")
                yield f"drift of {clusters} clusters, {forks} forks", f"{shown}, **{busy / usual:.2f} times** the processor"


def measured(fleet: t.Any, playbook: str, forks: int, *arguments: str) -> tuple[float, str]:
    """Processor seconds of a run without the lab's fork server, and all figures as text."""
    from measure import processor_seconds
    from processes import watched

    settings = {"PYTHONPATH": "", "ANSIBLE_STDOUT_CALLBACK": "mlfleet.hyperpod.brief"}
    busy = processor_seconds()
    with watched() as peak:
        run = fleet.reconcile(playbook, "--forks", str(forks), *arguments, **settings)
    busy = processor_seconds() - busy
    lines = run.output.count("\n")
    if arguments and (run.rc != 2 or run.changes or peak.bytes > MOST_BYTES or lines > LINES * len(fleet.names) + FRAME):
        sys.exit(f"status {run.rc}, {peak.bytes / 2**30:.2f} GiB, {lines} lines:\n{run.output[-3000:]}")
    memory = f"{peak.processes} processes, {peak.bytes / 2**30:.2f} GiB"
    return busy, f"{run.seconds:.0f} s (processor {busy:.0f} s), {memory}, {sum(run.calls.values())} calls, {lines} lines"


def play() -> dict[str, t.Any]:
    task = {"name": "Run", PEER: {"region": "{{ hyperpod_region }}"}}
    return {"hosts": "hyperpod_clusters", "gather_facts": False, "vars": {"hyperpod_brief": True}, "tasks": [task] * TIMES}
