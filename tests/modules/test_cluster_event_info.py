# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_event_info against the simulated API."""

from __future__ import annotations

import pytest
from modules.fixtures.small_cluster import QUICK
from simulated.shape import reads


@pytest.fixture
def rolled_back(small_cluster, faults):
    """A cluster with an event of a change that was rolled back."""
    faults(kind="fail_later", operation="UpdateCluster", code="no \x1b[31mcapacity", times=1)
    failed = small_cluster.run("cluster", name="small", instance_groups=[{"name": "a", "instance_count": 3}], **QUICK)
    assert failed["failed"], failed
    return small_cluster


def test_events_are_listed(rolled_back):
    found = reads(rolled_back, "cluster_event_info", cluster_arn=rolled_back.arn, resource_type="Cluster")["events"]
    assert [(event["event_level"], event["cluster_name"], "metadata" in event) for event in found] == [("Error", "small", False)] * 2
    assert rolled_back.calls() == ["ListClusterEvents"]


def test_details_include_the_failure_message(rolled_back):
    found = reads(rolled_back, "cluster_event_info", cluster_arn=rolled_back.arn, details=True, resource_type="Cluster")["events"]
    (event,) = [each for each in found if each["metadata"]["cluster"]]
    message = event["metadata"]["cluster"]["failure_message"]
    assert "capacity" in message and "\x1b" not in message


def test_filters(rolled_back):
    every = len(reads(rolled_back, "cluster_event_info", cluster_arn=rolled_back.arn)["events"])
    assert every > 2, "the events of nodes, besides those of the failure"
    for chosen, count in (
        ({"resource_type": "Cluster"}, 2),
        ({"resource_type": "Instance"}, every - 2),
        ({"instance_group_name": "a"}, every - 2),
        ({"node_id": "i-0123456789abcdef0"}, 0),
        ({"event_time_after": "2026-01-01T00:00:00Z"}, every),
        ({"event_time_before": "2026-01-01T00:00:00Z"}, 0),
    ):
        assert len(reads(rolled_back, "cluster_event_info", cluster_arn=rolled_back.arn, **chosen)["events"]) == count, chosen


def test_bad_input_is_refused(small_cluster):
    for wrong, message in (
        ({"cluster_arn": "small"}, "cluster_arn: 'small' is not allowed"),
        ({"node_id": "a-1"}, "node_id: 'a-1' is not allowed"),
        ({"instance_group_name": "a_b"}, "instance_group_name: 'a_b' is not allowed"),
        ({"operation_id": "last"}, "operation_id: 'last' is not allowed"),
        ({"event_time_after": "yesterday"}, "event_time_after: 'yesterday' is not allowed"),
        ({"limit": 0}, "limit: 0 is not allowed"),
    ):
        assert message in small_cluster.run("cluster_event_info", **{"cluster_arn": small_cluster.arn, **wrong})["msg"]
        assert small_cluster.calls() == []
