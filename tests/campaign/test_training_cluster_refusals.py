# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that AWS would refuse after the cluster exists are refused before the first change."""

from __future__ import annotations

import typing as t

import pytest
from training_definition import ACCEPTED, NAME, QUOTAS, VARIABLES, Definition, everything, mutating
from training_world import TrainingWorld

pytestmark = pytest.mark.slow
RESERVATION, ENDED = "cr-0123456789abcdef0", "cr-0123456789abcdef1"
RESERVATIONS = {
    RESERVATION: {"InstanceType": "p5.48xlarge", "AvailabilityZone": "us-west-2b", "TotalInstanceCount": 1, "AvailableInstanceCount": 1},
    ENDED: {"InstanceType": "p5.48xlarge", "State": "expired"},
}
GPU = VARIABLES["training_cluster_groups"][0]


def group(**more: t.Any) -> dict[str, t.Any]:
    return {"training_cluster_groups": [{**GPU, **more}]}


REFUSED: tuple[tuple[dict[str, t.Any], tuple[str, ...]], ...] = (
    ({"training_cluster_version": "1.99"}, ("training_cluster_version: '1.99' is not allowed: EKS does not offer this version",)),
    ({"training_cluster_addons": [{"name": "nonsense"}]}, ("EKS offers no version of this add-on for Kubernetes 1.34",)),
    ({"training_cluster_addons": [{"name": "coredns", "version": "v0.1.0-eksbuild.1"}]}, ("version: 'v0.1.0-eksbuild.1' is not allowed",)),
    (group(capacity_reservation_id="cr-0123456789abcdef9"), ("EC2 does not have it in this Region and account",)),
    (group(capacity_reservation_id=ENDED), ("its state is expired",)),
    (
        {
            **group(capacity_reservation_id=RESERVATION),
            "training_cluster_addons": [{"name": "coredns", "configuration": {"replicas": 2}}],
        },
        (
            "its capacity is in us-west-2b, and the nodes are in us-west-2a",
            f"nodes: 2 is not allowed: {RESERVATION} reserves 1 instances",
            "training_cluster_addons[0].configuration.replicas: 2 is not allowed",
        ),
    ),
    (group(placement_group="near"), ("training_cluster_groups[0].placement_group: 'near' is not allowed",)),
)


def test_values_of_aws_are_checked_before_the_first_change() -> None:
    with TrainingWorld(NAME) as world:
        world.world.settings(service_quotas=QUOTAS, price_list=True, capacity_reservations=RESERVATIONS)
        before = everything(world)
        for variables, sentences in REFUSED:
            world.world.reset_calls()
            refused = Definition(world, **variables).playbook(*ACCEPTED)
            said = " ".join(refused.output.split())
            assert refused.rc != 0 and [each for each in sentences if each not in said] == [], refused.log
            assert mutating(world) == [] and everything(world) == before
        world.world.settings(service_quotas={}, price_list=False, capacity_reservations={})
