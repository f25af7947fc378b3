# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A reconcile of many clusters where nothing changed, so only AWS APIs are called.

The nodes are records of a simulated API and were never checked; the records that full looks leave are written first.
"""

from __future__ import annotations

import os
import sys
import tempfile
import typing as t
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
CLUSTERS, NODES, LOGIN = 20, 250, 3


def rows(clusters: int = CLUSTERS, nodes: int = NODES) -> t.Iterator[tuple[str, str]]:
    sys.path[:0] = [str(HERE), str(TESTS), *os.environ["ANSIBLE_COLLECTIONS_PATH"].split(":")]
    from lab import python
    from measure import processor_seconds
    from simulated import Simulated, simulator
    from simulated.quiet import Fleet

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "aws").mkdir()
        with simulator(folder / "aws") as url:
            aws = Simulated(url)
            names = [f"bench-{number:02d}" for number in range(clusters)]
            fleet = Fleet(folder, aws, *names, login=LOGIN, compute=nodes - LOGIN - 1)
            fleet.record()
            fast = ":".join(map(str, python.FOLDERS))
            ways = {"without the fork server": {"PYTHONPATH": ""}, "with the fork server": {"PYTHONPATH": fast}}
            for way, variables in ways.items():
                busy = processor_seconds()
                run = fleet.reconcile(**variables)
                busy = processor_seconds() - busy
                quiet = sum("AWS only" in line for line in run.lines())
                if run.rc or run.changes or quiet != clusters:
                    sys.exit(f"these clusters must be quiet:\n{run.output[-3000:]}")
                calls = ", ".join(f"{name} {count}" for name, count in run.calls.most_common())
                yield (
                    f"reconcile of {clusters} quiet clusters, {clusters * nodes} nodes, {way}",
                    f"{run.seconds:.1f} s (processor {busy:.1f} s), {sum(run.calls.values())} calls ({calls}) without the "
                    f"inventory's {sum(fleet.of_inventory.values())}, none mutating",
                )
            aws.stop()
