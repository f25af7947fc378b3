# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the replacement of a login node to logins on it: after an event, and with the timer alone.

Meanwhile, runs over another cluster are in progress. The timer starts a run every ten minutes, so on average it begins after five.
Its row has the time of a run that is started at once.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import threading
import time
import typing as t
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
OTHER = "other"
TIMES, LOGINS = 3, 6
PERIOD = 600.0
"""Seconds between two runs of the timer."""
MOST = 90.0
"""The largest number of seconds after an event. A larger one ends the benchmark with an error."""


def rows() -> t.Iterator[tuple[str, str]]:
    sys.path[:0] = [str(TESTS), str(TESTS / "integration")]
    import listener
    from harness import World
    from lab.cli import world as lab_world

    world = World()
    lab_world.create_cluster(OTHER, world.subnets(), world.node_security_group(), login=1, compute=0)
    lab_world.wait_in_service(OTHER)
    listener.prepare(world)
    events = ("-e", f"events_rulebook={listener.RULEBOOK}", "-e", "events_run=playbook")
    for verb, arguments in {"login_access": (), "events": events}.items():
        made = world.playbook(verb, *arguments)
        if made.rc:
            sys.exit(made.log)

    ours = world.aws("sagemaker").describe_cluster(ClusterName=lab_world.CLUSTER)["ClusterArn"].rpartition("/")[2]

    def replaced(heal: t.Callable[[], t.Any]) -> float:
        node = next(each for each in world.login_nodes() if each["cluster_id"] == ours)
        begin = time.monotonic()
        new = world.replace(node["instance_id"])["name"]
        heal()
        world.eventually(lambda: reach(world, new), seconds=PERIOD)
        return time.monotonic() - begin

    def reconciled() -> None:
        """A run that came before the node could be reached is degraded, and the timer would start the next one."""
        deadline = time.monotonic() + PERIOD
        while world.playbook("reconcile", "-e", "hyperpod_only=ml").status == "degraded":
            if time.monotonic() > deadline:
                sys.exit(f"ml is degraded after {PERIOD:.0f} s")

    with busy():
        timer = statistics.median(replaced(reconciled) for _turn in range(TIMES))
        yield "the run of the timer, started at once", f"{timer:.0f} s; on average {timer + PERIOD / 2:.0f} s after the replacement"
        with listener.with_playbooks():
            event = statistics.median(replaced(lambda: None) for _turn in range(TIMES))
    yield "after the event", f"{event:.0f} s, **{(timer + PERIOD / 2) / event:.1f} times** as fast"
    if event > MOST:
        sys.exit(f"{event:.0f} s after the event are more than {MOST:.0f} s")


def reach(world: t.Any, node: str) -> None:
    """Log in through the name of the cluster until a login lands on the node."""
    landed = [world.login().stdout.strip() for _turn in range(LOGINS)]
    assert node in landed, landed


@contextlib.contextmanager
def busy() -> t.Iterator[None]:
    """Runs over another cluster, one after the other."""
    ended = threading.Event()
    argv = ["ansible-playbook", "mlfleet.hyperpod.reconcile", "--tags", "sweep", "-e", f"hyperpod_only={OTHER}"]

    def work() -> None:
        while not ended.is_set():
            subprocess.run(argv, env=os.environ, cwd=HERE.parent, stdin=subprocess.DEVNULL, capture_output=True, check=False)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
