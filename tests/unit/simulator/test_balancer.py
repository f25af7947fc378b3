# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data path of load balancers: what security groups forbid, and haproxy itself where the lab's image exists."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest
from lab import rootfs
from lab.aws.elbv2.view import ListenerView, LoadBalancerView, TargetGroupView, TargetView
from lab.balancer import routing_rules
from lab.names import cache_folder

HERE = pathlib.Path(__file__).resolve().parent
IMAGE = cache_folder() / f"rootfs-{rootfs.recipe_hash()}"
# Name resolution and /run/netns of this machine stay as they are: the namespace has its own.
ENTER = 'mkdir -p /run/netns && mount -t tmpfs none /run/netns && ip link set lo up && exec "$@"'


@pytest.mark.parametrize(
    ("clients", "target", "expected"),
    [
        (None, TargetView("10.1.1.11", 22, 2022), set()),
        ((), TargetView("10.1.1.11", 22, 2022), {"ipproto tcp sport 22 pref 2000 blackhole"}),
        (
            ("10.0.0.0/8",),
            TargetView("10.1.1.11", 22, 2022),
            {
                "ipproto tcp sport 22 pref 2000 blackhole",
                "ipproto tcp sport 22 to 10.0.0.0/8 pref 1000 lookup main",
            },
        ),
        (
            None,
            TargetView("10.1.1.11", 22, 2022, open=False),
            {"ipproto tcp dport 22 to 10.1.1.11 pref 500 unreachable"},
        ),
        (
            None,
            TargetView("10.1.1.11", 22, 2022, probe_open=False),
            {"ipproto tcp dport 2022 to 10.1.1.11 pref 500 unreachable"},
        ),
    ],
)
def test_routing_rules(clients: tuple[str, ...] | None, target: TargetView, expected: set[str]) -> None:
    listener = ListenerView("l", 22, TargetGroupView("g", targets=(target,)), clients=clients)
    assert routing_rules(LoadBalancerView("a", "n", "d", "v", (("10.1.1.250", 24),), (listener,))) == expected


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root for network namespaces")
@pytest.mark.skipif(not IMAGE.is_dir(), reason="the lab's image is not built yet (the first `lab up` does)")
def test_haproxy_in_namespaces() -> None:
    tests = [sys.executable, "-m", "pytest", str(HERE / "balancer_in_namespaces.py"), "-q", "-p", "no:cacheprovider"]
    namespaces = ["unshare", "--net", "--mount", "--propagation", "private", "sh", "-c", ENTER, "sh"]
    environment = {**os.environ, "BALANCER_IMAGE": str(IMAGE), "PYTHONPATH": str(HERE.parents[1])}
    command = [*namespaces, *tests, "--import-mode=importlib"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
