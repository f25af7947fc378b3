# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""service_quota_info against the simulated API."""

from __future__ import annotations

import pytest
from simulated.shape import reads

ALL = "Total number of instances allowed across SageMaker HyperPod clusters"
ONE = "Maximum number instances allowed per SageMaker HyperPod cluster"
VOLUME = "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance"


@pytest.fixture
def quota_info(small_cluster):
    """A function that runs the module and returns its result, and its quotas by name."""

    def run(**options):
        found = reads(small_cluster, "service_quota_info", **options)
        return found, {each["name"]: each for each in found["quotas"]}

    yield run
    small_cluster.control("settings", {"service_quotas": {}})


def test_used_and_planned_values(small_cluster, quota_info):
    small_cluster.control("settings", {"service_quotas": {"ml.p5.48xlarge for cluster usage": 8}})
    planned = [{"instance_type": "ml.m5.large", "count": 2}, {"instance_type": "ml.p5.48xlarge", "count": 8}]
    found, by_name = quota_info(planned=planned, cluster_nodes=12, volume_size_in_gb=500)
    counts = {name: (each["used"], each["planned"], each["applied"], each["enough"]) for name, each in by_name.items()}
    assert found["enough"] and counts == {
        "ml.m5.large for cluster usage": (2, 2, 4.0, True),
        "ml.p5.48xlarge for cluster usage": (0, 8, 8.0, True),
        ALL: (2, 10, 30.0, True),
        ONE: (0, 12, 20.0, True),
        VOLUME: (0, 500, 1024.0, True),
    }


def test_a_low_quota_shows_the_pending_request(small_cluster, quota_info):
    kind = {"instance_type": "ml.m5.large", "count": 1, "spot": True}
    found, by_name = quota_info(planned=[kind])
    spot = by_name["ml.m5.large for cluster spot instance usage"]
    assert not found["enough"] and (spot["enough"], spot["pending"]) == (False, None)
    small_cluster.run("service_quota", name=spot["name"], value=5)
    found, by_name = quota_info(planned=[kind])
    assert by_name[spot["name"]]["pending"] == 5.0


def test_an_unlisted_quota_is_unknown(quota_info):
    found, by_name = quota_info(planned=[{"instance_type": "ml.p6-b200.48xlarge", "count": 1}])
    unknown = by_name["ml.p6-b200.48xlarge for cluster usage"]
    assert (unknown["applied"], unknown["enough"], unknown["quota_code"]) == (None, None, "") and found["enough"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"planned": [{"instance_type": "p5", "count": 1}]}, "planned.instance_type: 'p5'"),
        ({"planned": [{"instance_type": "ml.m5.large", "count": -1}]}, "planned.count: -1"),
        ({"cluster_nodes": 7000}, "cluster_nodes: 7000"),
        ({"volume_size_in_gb": 20000}, "volume_size_in_gb: 20000"),
    ],
)
def test_bad_input_is_refused(simulator, wrong, message):
    assert message in simulator.run("service_quota_info", **wrong)["msg"]
