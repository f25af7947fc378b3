# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a run waits for registered login nodes; the test controls the clock."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.model import (
    Desired,
    LoginNode,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.observe import Observer, registered
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, Group

NODES = (LoginNode("i-11111111111111111", "10.1.1.11", "Running"), LoginNode("i-22222222222222222", "10.1.1.12", "Running"))


class Balancer:
    """Returns the health of both nodes as a function of the elapsed time."""

    def __init__(self, *courses: tuple[tuple[float, str], ...]) -> None:
        self.time, self.courses = 0.0, courses

    def call(self, _operation: str, **_arguments: str) -> dict:
        now = [[health for since, health in course if since <= self.time][-1] for course in self.courses]
        targets = [({"Id": node.ip, "Port": 22}, {"State": health}) for node, health in zip(NODES, now)]
        return {"TargetHealthDescriptions": [{"Target": target, "TargetHealth": health} for target, health in targets]}

    def sleep(self, seconds: float) -> None:
        self.time += seconds


FINE = ((0, "healthy"),)


@pytest.mark.parametrize(
    ("course", "timeout", "ends"),
    [
        (FINE, 420, (0, 0)),
        (((0, "unhealthy"), (30, "healthy")), 420, (30, 40)),
        (((0, "unhealthy"),), 420, (120, 130)),
        (((0, "unhealthy"),), 60, (60, 70)),
        (((0, "initial"), (200, "healthy")), 420, (200, 210)),
        (((0, "initial"), (200, "unhealthy")), 420, (200, 210)),
        (((0, "initial"),), 420, (420, 430)),
        (((0, "unused"),), 420, (0, 0)),
    ],
)
def test_an_unhealthy_node_gets_two_minutes_and_a_registration_the_whole_timeout(course, timeout, ends) -> None:
    balancer = Balancer(FINE, course)
    wanted = Desired(target_group="hp-ml", verified=frozenset(node.instance_id for node in NODES))
    state = State(target_group_arn="arn", nodes=NODES, registered=registered(balancer, "arn", about=""))
    clock = Clock(now=lambda: balancer.time, sleep=balancer.sleep, jitter=lambda: 0.0)
    seen = Observer(None, balancer, wanted, check_mode=False).settled(state, timeout=timeout, clock=clock)
    assert ends[0] <= balancer.time <= ends[1]
    assert seen.registered == registered(balancer, "arn", about="")


def test_the_refusal_of_a_cluster_without_a_login_group_lists_its_groups() -> None:
    groups = tuple(Group(name, None, 1, 1, "ml.m5.large", "", "InService") for name in ("login-group", "controller-machine"))
    cluster = Cluster("legacy", "arn", "id", "us-west-2", "1", "aws", "InService", "slurm", groups)
    observer = Observer(None, None, Desired(target_group="hp-ml"), check_mode=False)
    with pytest.raises(Refused, match="^node_types: missing; cluster legacy .* The groups of the cluster are controller-machine, login-group.$"):
        observer._groups(cluster)
