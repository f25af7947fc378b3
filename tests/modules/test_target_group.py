# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""target_group against the simulated API."""

from __future__ import annotations

import pytest
from modules.fixtures.balancer import CLUSTER
from simulated.shape import changes_once, one_shape

NAME = "hp-ml-4574af3f"


@pytest.fixture
def options(network):
    return {
        "name": NAME,
        "port": 22,
        "vpc_id": network["vpc"],
        "cluster_arn": CLUSTER,
        "health_check": {"port": 2022, "interval": 10},
        "attributes": {"deregistration_delay": 3600, "stickiness": True, "unhealthy_connection_termination": False},
    }


def test_made_and_removed(simulator, options):
    one_shape(simulator, "target_group", present=options, absent={"name": NAME, "state": "absent", "cluster_arn": CLUSTER})


def test_omitted_options_are_kept(simulator, options):
    simulator.run("target_group", **options)
    changed = changes_once(
        simulator,
        "target_group",
        name=NAME,
        health_check={"port": "traffic-port"},
        attributes={"stickiness": False, "unhealthy_connection_termination": True},
    )
    assert changed["target_group"]["attributes"]["deregistration_delay"] == 3600


def test_the_target_group_of_another_cluster_is_unchanged(simulator, options):
    simulator.run("target_group", **options)
    foreign = simulator.run("target_group", name=NAME, state="absent", cluster_arn=CLUSTER.replace("abc", "xyz"))
    assert not foreign["changed"] and not foreign["mutating"]


LOST = ("CreateTargetGroup", "ModifyTargetGroupAttributes", "DeleteTargetGroup")


def test_lost_replies_cause_no_duplicates(simulator, network, faults):
    for operation in LOST:
        faults(kind="cut_after", operation=operation, times=1)
    made = {
        "name": "hp-lost",
        "port": 22,
        "vpc_id": network["vpc"],
        "cluster_arn": CLUSTER,
        "attributes": {"deregistration_delay": 3600},
    }
    removal = {"name": "hp-lost", "state": "absent", "cluster_arn": CLUSTER}
    for arguments, exists in ((made, True), (removal, False)):
        result = simulator.run("target_group", **arguments)
        assert not result.get("failed"), result["msg"]
        assert result["target_group"]["exists"] is exists
        assert not simulator.run("target_group", **arguments)["mutating"]
    assert [rule["fired"] for rule in simulator.control("faults")] == [1] * len(LOST)
