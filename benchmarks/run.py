"""`make bench`: the benchmarks, on a separate lab. Prints a table; README.md in this folder explains the figures.

run.py [accounts] [reconcile] [quiet] [fleet] [health] [inventory] [definitions] [tasks] [topology] [training] [training_cluster]
[events] [fleet_report] [--loop-users N]
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import typing as t
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
NAME = os.environ.get("LAB_NAME", "bench")
CASES = (
    *("reconcile", "accounts", "health", "quiet", "fleet", "inventory", "definitions", "tasks", "topology"),
    *("training", "training_cluster", "events", "fleet_report"),
)
"""In this order: reconcile prepares the nodes for accounts."""


def lab(*arguments: str) -> int:
    """Exit status of a subcommand of the lab."""
    return python("-m", "lab", *arguments)


def python(*arguments: str) -> int:
    return subprocess.run([sys.executable, *arguments], env={**os.environ, "PYTHONPATH": str(TESTS)}, check=False).returncode


def outside(arguments: t.Sequence[str]) -> int:
    """Start a lab, run this file again inside it, remove the lab."""
    lab("down", "--name", NAME)  # what a crashed run left
    if python("-m", "lab.eda.runtime") or lab("up", "--name", NAME):  # no lab can download it
        return 1
    try:
        return lab("exec", "--name", NAME, "--", sys.executable, __file__, *arguments)
    finally:
        lab("down", "--name", NAME)


def inside(options: argparse.Namespace) -> int:
    sys.path[:0] = [str(HERE), str(TESTS)]
    import definitions
    import events
    import fleet
    import fleet_report
    import health
    import measure
    import quiet
    import tasks
    import topology
    import training
    import training_cluster

    cases = {
        "reconcile": measure.reconcile,
        "accounts": lambda: measure.accounts(loop_users=options.loop_users),
        "health": health.rows,
        "quiet": quiet.rows,
        "fleet": fleet.rows,
        "inventory": measure.inventory,
        "definitions": definitions.rows,
        "tasks": tasks.rows,
        "topology": topology.rows,
        "training": training.rows,
        "training_cluster": training_cluster.rows,
        "events": events.rows,
        "fleet_report": fleet_report.rows,
    }
    print(f"\nMachine: {machine()}\n\n| what | figure |\n|---|---|", flush=True)
    for name in options.cases or CASES:
        for what, figure in cases[name]():
            print(f"| {what} | {figure} |", flush=True)
    return 0


def machine() -> str:
    cpuinfo = Path("/proc/cpuinfo").read_text()
    model = next((line.split(": ")[1] for line in cpuinfo.splitlines() if line.startswith("model name")), "unknown CPU")
    memory = int(Path("/proc/meminfo").read_text().split()[1]) // 1024**2
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} x {model}, {memory} GiB, Python {platform.python_version()}, load {load:.1f} at the start"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="case", help=f"{', '.join(CASES)}; default: all")
    parser.add_argument("--loop-users", type=int, default=20, help="users for the measurement of the usual loops")
    options = parser.parse_args()
    return inside(options) if "LAB_STATE" in os.environ else outside(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
